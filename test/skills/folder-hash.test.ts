import { execFileSync } from "node:child_process";
import {
  appendFileSync,
  chmodSync,
  mkdirSync,
  renameSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { folderHash } from "../../src/skills/load-folder-hash.ts";
import { project } from "../helpers/project.ts";

const make = () =>
  project({ "SKILL.md": "hi\n", "scripts/run.py": "print(1)\n", "scripts/data.txt": "" });
const hashOf = (folder: string) => {
  const found = folderHash(folder);
  if (!found.ok) throw new Error(found.reason);
  return found.hash;
};

describe("the hash of a folder", () => {
  test("is the same for the same content, wherever it lies and whenever it was written", () => {
    const [one, two] = [make(), make()];
    utimesSync(path.join(two, "SKILL.md"), 1, 1);
    expect(hashOf(two)).toBe(hashOf(one));
    expect(hashOf(one)).toBe("84f7930bd2272b1554e748a02e281969879f54e7ef83b6b763ebc792b590df50");
  });

  test.each<[string, (folder: string) => void]>([
    ["a byte of a script", (folder) => appendFileSync(path.join(folder, "scripts/run.py"), "#")],
    ["a new file", (folder) => writeFileSync(path.join(folder, "scripts/new.py"), "")],
    ["an empty folder", (folder) => mkdirSync(path.join(folder, "more"))],
    ["a file that is gone", (folder) => rmSync(path.join(folder, "scripts/data.txt"))],
    [
      "another name",
      (folder) =>
        renameSync(path.join(folder, "scripts/data.txt"), path.join(folder, "scripts/data.csv")),
    ],
    ["the executable bit", (folder) => chmodSync(path.join(folder, "scripts/run.py"), 0o755)],
    [
      "a link to a file in it",
      (folder) => symlinkSync("run.py", path.join(folder, "scripts/link.py")),
    ],
    [
      "a module that was compiled by hand",
      (folder) => writeFileSync(path.join(folder, "scripts/x.pyc"), ""),
    ],
  ])("changes with %s", (_what, change) => {
    const folder = make();
    const before = hashOf(folder);
    change(folder);
    expect(hashOf(folder)).not.toBe(before);
  });

  test("changes with a file of the same size and time", () => {
    const folder = make();
    const file = path.join(folder, "scripts/run.py");
    utimesSync(file, 1, 1);
    const before = hashOf(folder);
    writeFileSync(file, "print(2)\n");
    utimesSync(file, 1, 1);
    expect(hashOf(folder)).not.toBe(before);
  });

  test("does not change with what Python and git leave behind", () => {
    const folder = make();
    const before = hashOf(folder);
    for (const name of ["__pycache__", "scripts/__pycache__", ".git"]) {
      mkdirSync(path.join(folder, name));
      writeFileSync(path.join(folder, name, "x"), "x");
    }
    expect(hashOf(folder)).toBe(before);
  });

  test.each<[string, (folder: string) => void, string]>([
    [
      "a link out of it",
      (folder) => symlinkSync("/etc/passwd", path.join(folder, "x")),
      'the link "x" leads out of it or nowhere; copy the file into it',
    ],
    [
      "a link to nowhere",
      (folder) => symlinkSync("y", path.join(folder, "x")),
      'the link "x" leads out of it or nowhere; copy the file into it',
    ],
    [
      "a pipe",
      (folder) => void execFileSync("mkfifo", [path.join(folder, "x")]),
      '"x" is neither a file nor a folder; remove it',
    ],
    [
      "more than 2,000 files",
      (folder) => {
        for (let index = 0; index < 2_000; index += 1)
          writeFileSync(path.join(folder, `${index}`), "");
      },
      "it holds more than 2000 files; make it smaller",
    ],
    [
      "more than 64 MiB",
      (folder) => writeFileSync(path.join(folder, "x"), Buffer.alloc(64 * 1024 * 1024)),
      "it holds more than 64 MiB; make it smaller",
    ],
    [
      "nothing, for it is gone",
      (folder) => rmSync(folder, { recursive: true }),
      "it cannot be read whole: no such file or folder",
    ],
  ])("is not there for %s", (_what, change, reason) => {
    const folder = make();
    change(folder);
    expect(folderHash(folder)).toEqual({ ok: false, reason });
  });
});
