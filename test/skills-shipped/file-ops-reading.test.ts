import { describe, expect, test } from "vitest";

import { failure, fileOps, makeProject } from "./tool-runs.ts";

describe("read_file", () => {
  test("prints a file byte for byte, whatever its line ends and letters", async () => {
    const content = "\uFEFFeins\r\nzwei\tä 漢字 🎈\n\nlast without end";
    const project = makeProject({ "docs/größe & more.txt": content });
    const ran = await fileOps("read_file", { path: "docs/größe & more.txt" }, project);
    expect(ran.code).toBe(0);
    expect(ran.bytes.equals(Buffer.from(content))).toBe(true);
    expect(ran.stderr).toBe("");
  });

  test("prints nothing for an empty file", async () => {
    const ran = await fileOps("read_file", { path: "empty.txt" }, makeProject({ "empty.txt": "" }));
    expect(ran).toMatchObject({ code: 0, stdout: "", stderr: "" });
  });

  test("prints text in an old one-byte encoding as it is stored", async () => {
    const latin = Buffer.from([0x63, 0x61, 0x66, 0xe9, 0x0a]);
    const ran = await fileOps(
      "read_file",
      { path: "latin.txt" },
      makeProject({ "latin.txt": latin }),
    );
    expect(ran.bytes.equals(latin)).toBe(true);
  });

  test.each([
    [{ from_line: 2 }, "b\r\nc"],
    [{ from_line: 2, lines: 1 }, "b\r\n"],
    [{ lines: 2 }, "a\r\nb\r\n"],
    [{ from_line: 3, lines: 99 }, "c"],
    [{ from_line: 1 }, "a\r\nb\r\nc"],
  ])("reads the lines %j", async (part, expected) => {
    const ran = await fileOps(
      "read_file",
      { path: "x.txt", ...part },
      makeProject({ "x.txt": "a\r\nb\r\nc" }),
    );
    expect(ran).toMatchObject({ code: 0, stdout: expected });
  });

  test("says how many lines there are when the first one wanted lies behind the end", async () => {
    const project = makeProject({ "x.txt": "a\nb\n", "empty.txt": "" });
    expect(failure(await fileOps("read_file", { path: "x.txt", from_line: 3 }, project))).toBe(
      '1 "x.txt" has only 2 lines; from_line was 3.',
    );
    expect(failure(await fileOps("read_file", { path: "empty.txt", from_line: 2 }, project))).toBe(
      '1 "empty.txt" has only 0 lines; from_line was 2.',
    );
    expect(await fileOps("read_file", { path: "empty.txt", from_line: 1 }, project)).toMatchObject({
      code: 0,
      stdout: "",
    });
  });

  test("refuses more than 1 MiB, and reads a part of it", async () => {
    const line = `${"x".repeat(1023)}\n`;
    const project = makeProject({ "big.log": line.repeat(1025), "full.log": line.repeat(1024) });
    expect(failure(await fileOps("read_file", { path: "big.log" }, project))).toBe(
      '1 "big.log" is too large: more than 1 MiB. Read a part of it with from_line and lines.',
    );
    expect(failure(await fileOps("read_file", { path: "big.log", from_line: 1 }, project))).toMatch(
      /too large/,
    );
    expect((await fileOps("read_file", { path: "big.log", from_line: 1025 }, project)).stdout).toBe(
      line,
    );
    expect(
      (await fileOps("read_file", { path: "big.log", from_line: 64, lines: 2 }, project)).stdout,
    ).toBe(line + line);
    expect((await fileOps("read_file", { path: "full.log" }, project)).bytes.length).toBe(
      1024 * 1024,
    );
  });

  test("refuses binary files, with and without zero bytes", async () => {
    const project = makeProject({
      "a.bin": Buffer.from("text\0text"),
      "b.gz": Buffer.from([0x1f, 0x8b, 0x08, 0xff]),
    });
    expect(failure(await fileOps("read_file", { path: "a.bin" }, project))).toBe(
      '1 "a.bin" is a binary file, not text.',
    );
    expect(failure(await fileOps("read_file", { path: "b.gz" }, project))).toBe(
      '1 "b.gz" is a binary file, not text.',
    );
  });

  test("refuses a folder", async () => {
    const project = makeProject({ "docs/a.txt": "" });
    expect(failure(await fileOps("read_file", { path: "docs/" }, project))).toBe(
      '1 "docs/" is a folder. Use list_files to see what is in it.',
    );
  });

  test("takes the only file of a bare name, and names it beside the output", async () => {
    const project = makeProject({
      "docs/deep/notes.txt": "here",
      "node_modules/x/notes.txt": "no",
      ".git/notes.txt": "no",
    });
    const ran = await fileOps("read_file", { path: "notes.txt" }, project);
    expect(ran).toMatchObject({
      code: 0,
      stdout: "here",
      stderr: '"notes.txt" is "docs/deep/notes.txt"\n',
    });
  });

  test("prefers the file at the top to others of its name", async () => {
    const project = makeProject({ "notes.txt": "top", "docs/notes.txt": "below" });
    expect((await fileOps("read_file", { path: "notes.txt" }, project)).stdout).toBe("top");
    expect((await fileOps("read_file", { path: "./notes.txt" }, project)).stdout).toBe("top");
    expect((await fileOps("read_file", { path: "notes.txt/" }, project)).stdout).toBe("top");
  });

  test("names the candidates when several files have the bare name", async () => {
    const project = makeProject({ "a/notes.txt": "1", "b/notes.txt": "2" });
    expect(failure(await fileOps("read_file", { path: "notes.txt" }, project))).toBe(
      '1 no file "notes.txt", but several files have that name: "a/notes.txt", "b/notes.txt". Ask the user which one is meant.',
    );
  });

  test("names at most ten candidates", async () => {
    const files = Object.fromEntries(
      Array.from({ length: 12 }, (_, index) => [`d${10 + index}/n.txt`, ""]),
    );
    const { stderr } = await fileOps("read_file", { path: "n.txt" }, makeProject(files));
    expect(stderr).toContain('"d19/n.txt" and 2 more. Ask');
  });

  test("does not guess the folder of a path that has one", async () => {
    const project = makeProject({ "docs/notes.txt": "" });
    expect(failure(await fileOps("read_file", { path: "doc/notes.txt" }, project))).toBe(
      '1 no file "doc/notes.txt". One file has that name: "docs/notes.txt". If it is the one meant, give this path.',
    );
  });

  test.each([
    ["notse.txt", ' Near names: "docs/notes.txt".'],
    ["NOTES.TXT", ' Near names: "docs/notes.txt".'],
    ["notes", ' Near names: "docs/notes.txt".'],
    ["notes.md", ' Near names: "docs/notes.txt".'],
    ["budget.xlsx", ""],
  ])("names near files for %s", async (name, near) => {
    const project = makeProject({ "docs/notes.txt": "" });
    expect(failure(await fileOps("read_file", { path: name }, project))).toBe(
      `1 no file named "${name}" in the project.${near}`,
    );
  });

  test("takes wildcards only where a file is really called so", async () => {
    const project = makeProject({ "a[1]*.txt": "odd", "b.txt": "" });
    expect((await fileOps("read_file", { path: "a[1]*.txt" }, project)).stdout).toBe("odd");
    expect(failure(await fileOps("read_file", { path: "*.txt" }, project))).toBe(
      '1 "*.txt" is a pattern, and no file has exactly that name. Give the exact path of one file.',
    );
  });
});
