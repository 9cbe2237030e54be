import { mkdirSync, symlinkSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";

import { failure, fileOps, makeProject } from "./tool-runs.ts";

describe("list_files", () => {
  test("lists names in order, folders with a slash, and leaves out .git and node_modules", async () => {
    const project = makeProject({
      "b.txt": "",
      "a b.txt": "",
      "docs/x.md": "",
      ".git/config": "",
      "node_modules/m/i.js": "",
      ".env": "",
    });
    expect(await fileOps("list_files", {}, project)).toMatchObject({
      code: 0,
      stdout: ".env\na b.txt\nb.txt\ndocs/\n",
    });
  });

  test("lists a folder with paths that the next call can use", async () => {
    const project = makeProject({ "docs/x.md": "", "docs/sub/y.md": "" });
    for (const folder of ["docs", "docs/", "./docs", "docs/sub/.."]) {
      expect((await fileOps("list_files", { path: folder }, project)).stdout).toBe(
        "docs/sub/\ndocs/x.md\n",
      );
    }
  });

  test.each([
    [{ glob: "*.md" }, "a.md\n"],
    [{ glob: "*.MD", depth: 2 }, "a.md\ndocs/b.md\n"],
    [{ glob: "**/*.md" }, "a.md\ndocs/b.md\ndocs/deep/c.md\n"],
    [{ glob: "docs/*.md" }, "docs/b.md\n"],
    [{ glob: "./*.md" }, "a.md\n"],
    [{ glob: "deep/*.md", path: "docs" }, "docs/deep/c.md\n"],
    [{ glob: "?.md", path: "docs" }, "docs/b.md\n"],
    [{ glob: "*.pdf" }, ""],
    [{ depth: 2 }, "a.md\na.txt\ndocs/\ndocs/b.md\ndocs/deep/\n"],
  ])("filters by %j", async (input, expected) => {
    const project = makeProject({ "a.md": "", "a.txt": "", "docs/b.md": "", "docs/deep/c.md": "" });
    expect(await fileOps("list_files", input, project)).toMatchObject({
      code: 0,
      stdout: expected,
    });
  });

  test("prints nothing for an empty folder", async () => {
    const project = makeProject();
    mkdirSync(path.join(project, "empty"));
    expect(await fileOps("list_files", { path: "empty" }, project)).toMatchObject({
      code: 0,
      stdout: "",
      stderr: "",
    });
  });

  test("shows 500 names and says how many more there are", async () => {
    const names = Array.from({ length: 503 }, (_, index) => `f${1000 + index}.txt`);
    const { stdout } = await fileOps(
      "list_files",
      {},
      makeProject(Object.fromEntries(names.map((name) => [name, ""]))),
    );
    const lines = stdout.trimEnd().split("\n");
    expect(lines.length).toBe(501);
    expect(lines.slice(-2)).toEqual(["f1499.txt", "(3 more. Give a path or a glob to see fewer.)"]);
  });

  test("keeps a name with a line end on one line", async () => {
    const project = makeProject({ "two\nlines.txt": "" });
    expect((await fileOps("list_files", {}, project)).stdout).toBe('"two\\nlines.txt"\n');
  });

  test("names links and does not enter them", async () => {
    const project = makeProject({ "docs/a.txt": "", "../outside/secret.txt": "" });
    symlinkSync("docs", path.join(project, "inside"));
    symlinkSync("../outside", path.join(project, "away"));
    symlinkSync("nowhere", path.join(project, "dangling"));
    symlinkSync("..", path.join(project, "docs", "up"));
    const { stdout } = await fileOps("list_files", { depth: 3 }, project);
    expect(stdout).toBe("away\ndangling\ndocs/\ndocs/a.txt\ndocs/up/\ninside/\n");
  });

  test("explains each failure", async () => {
    const project = makeProject({ "docs/a.txt": "", "b.txt": "" });
    expect(failure(await fileOps("list_files", { path: "doc" }, project))).toBe(
      '1 no folder "doc" in the project. Folders at the top: "docs".',
    );
    expect(failure(await fileOps("list_files", { path: "b.txt" }, project))).toBe(
      '1 "b.txt" is a file, not a folder. Use read_file to read it.',
    );
    expect(failure(await fileOps("list_files", { path: "docs/*.txt" }, project))).toBe(
      '1 "docs/*.txt" is a pattern, and no folder has exactly that name. Give the pattern as glob.',
    );
    expect(failure(await fileOps("list_files", { depth: 0 }, project))).toBe(
      '2 --depth must be a whole number from 1 to 20, got "0".',
    );
  });
});

describe("find_file", () => {
  test.each([
    ["readme.md", "README.md\ndocs/readme.md\n"],
    ["*.md", "README.md\ndocs/a b.md\ndocs/readme.md\n"],
    ["docs/*.md", "docs/a b.md\ndocs/readme.md\n"],
    ["./docs/readme.md", "docs/readme.md\n"],
    ["**/a?b.md", "docs/a b.md\n"],
    ["docs", ""],
    ["missing.txt", ""],
  ])("finds %s", async (name, expected) => {
    const project = makeProject({
      "README.md": "",
      "docs/readme.md": "",
      "docs/a b.md": "",
      "node_modules/readme.md": "",
    });
    expect(await fileOps("find_file", { name }, project)).toMatchObject({
      code: 0,
      stdout: expected,
      stderr: "",
    });
  });

  test("finds a name that is stored with composed letters by one with separate accents", async () => {
    const project = makeProject({ "caf\u00e9.txt": "" });
    expect((await fileOps("find_file", { name: "cafe\u0301.txt" }, project)).stdout).toBe(
      "caf\u00e9.txt\n",
    );
  });

  test("answers a pattern of many stars at once", async () => {
    const project = makeProject({ [`${"a".repeat(200)}.txt`]: "" });
    const ran = await fileOps("find_file", { name: `${"*a".repeat(2000)}*b` }, project);
    expect(ran).toMatchObject({ code: 0, stdout: "" });
  });

  test("shows 100 paths and says how many more there are", async () => {
    const files = Object.fromEntries(
      Array.from({ length: 102 }, (_, index) => [`d${1000 + index}/n.txt`, ""]),
    );
    const { stdout } = await fileOps("find_file", { name: "n.txt" }, makeProject(files));
    expect(stdout.trimEnd().split("\n").slice(-2)).toEqual([
      "d1099/n.txt",
      "(2 more. Give a longer name.)",
    ]);
  });

  test.each(["../x.txt", "/etc/passwd", "docs/../../x.txt", ".."])("refuses %s", async (name) => {
    const ran = await fileOps("find_file", { name }, makeProject());
    expect(failure(ran)).toBe(
      `1 "${name}" is outside of the project. Only files in the project can be found.`,
    );
  });
});
