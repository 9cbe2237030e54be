import { execFileSync } from "node:child_process";
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { commandFor } from "../../src/actors/script-command.ts";

const scratch = mkdtempSync(path.join(tmpdir(), "script-command-"));
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

const runtimes = { node: "/usr/bin/node", python: "/usr/bin/python3", uv: null };
const withUv = { ...runtimes, uv: "/usr/bin/uv" };

function script(name: string, source: string): string {
  const file = path.join(scratch, name);
  writeFileSync(file, source);
  return file;
}

const shell = (name: string, source: string) =>
  commandFor({ runtime: "shell", file: script(name, source) }, runtimes);

describe("the command of a script", () => {
  test("is its interpreter and the file, or the program itself", () => {
    expect(commandFor({ runtime: "node", file: "/s/a.mjs" }, runtimes)).toEqual({
      file: "/usr/bin/node",
      arguments: ["/s/a.mjs"],
    });
    expect(commandFor({ runtime: "python", file: "/s/a.py" }, runtimes)).toEqual({
      file: "/usr/bin/python3",
      arguments: ["-u", "/s/a.py"],
    });
    expect(commandFor({ runtime: "program", file: "/s/a" }, runtimes)).toEqual({
      file: "/s/a",
      arguments: [],
    });
  });

  test("of Python without Python says what is missing", () => {
    const command = commandFor(
      { runtime: "python", file: "/s/a.py" },
      { ...runtimes, python: null },
    );
    expect(command).toEqual({
      missing: "a.py needs Python 3, and none was found: install python3",
    });
  });

  test.each<[string, Parameters<typeof commandFor>, string[]]>([
    [
      "is uv where packages are declared",
      [{ runtime: "python", file: "/s/a.py", packages: ["rich"] }, withUv],
      ["/usr/bin/uv", "run", "--quiet", "--no-project", "--script", "/s/a.py"],
    ],
    [
      "keeps uv off a network that is denied",
      [{ runtime: "python", file: "/s/a.py", packages: ["rich"] }, withUv, "denied"],
      ["/usr/bin/uv", "run", "--quiet", "--no-project", "--offline", "--script", "/s/a.py"],
    ],
    [
      "is uv even without Python, which uv brings along",
      [
        { runtime: "python", file: "/s/a.py", packages: ["rich"] },
        { ...withUv, python: null },
      ],
      ["/usr/bin/uv", "run", "--quiet", "--no-project", "--script", "/s/a.py"],
    ],
    [
      "is Python where packages are declared and uv is not there",
      [{ runtime: "python", file: "/s/a.py", packages: ["rich"] }, runtimes],
      ["/usr/bin/python3", "-u", "/s/a.py"],
    ],
    [
      "is Python where none are declared, even with uv",
      [{ runtime: "python", file: "/s/a.py", packages: [] }, withUv],
      ["/usr/bin/python3", "-u", "/s/a.py"],
    ],
  ])("%s", (_title, given, words) => {
    const command = commandFor(...given);
    expect("file" in command && [command.file, ...command.arguments]).toEqual(words);
  });

  test.each<[string, string, string, string, string[]]>([
    ["/bin/sh", "a.sh", "#!/bin/sh\n", "/bin/sh", []],
    ["no first line", "b.sh", "echo a\n", "/bin/sh", []],
    ["an empty file", "c.sh", "", "/bin/sh", []],
    ["flags", "d.sh", "#!/bin/sh -eu\n", "/bin/sh", ["-eu"]],
    ["env", "e.sh", "#!/usr/bin/env bash\n", "bash", []],
    ["env -S with flags and CRLF", "f.sh", "#!/usr/bin/env -S bash -e\r\n", "bash", ["-e"]],
    ["a shell that lies elsewhere here", "g.sh", "#!/opt/nowhere/bin/zsh -f\n", "zsh", ["-f"]],
    ["another language", "h.sh", "#!/usr/bin/env python3\n", "/bin/sh", []],
    [".bash without a first line", "i.bash", "echo a\n", "bash", []],
  ])("of a shell script with %s", (_title, name, source, file, flags) => {
    expect(shell(name, source)).toEqual({ file, arguments: [...flags, path.join(scratch, name)] });
  });

  test("of a shell script that is gone is sh, which says so", () => {
    const file = path.join(scratch, "gone.sh");
    expect(commandFor({ runtime: "shell", file }, runtimes)).toEqual({
      file: "/bin/sh",
      arguments: [file],
    });
  });

  test("starts a shell script without its executable bit, and the words arrive as they are", () => {
    const command = shell("run.sh", '#!/bin/sh -e\nprintf "[%s]" "$@"\nfalse || exit 3\n');
    if ("missing" in command) throw new Error(command.missing);
    chmodSync(path.join(scratch, "run.sh"), 0o600);
    const words = ["a b", "$HOME", "", "-x\n'"];
    const run = () =>
      execFileSync(command.file, [...command.arguments, ...words], { stdio: "pipe" });
    expect(run).toThrow(expect.objectContaining({ status: 3 }) as Error);
    expect(run).toThrow(
      expect.objectContaining({ stdout: Buffer.from("[a b][$HOME][][-x\n']") }) as Error,
    );
  });
});
