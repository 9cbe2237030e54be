import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";

import { contentOf, failure, fileOps, makeProject } from "./tool-runs.ts";

describe("create_file", () => {
  test.each([
    ["notes.txt", "hello"],
    ["new/deep/folder/a b ü.txt", "ä\r\n漢字 🎈\r\n"],
    ["./-rf", "--content=x"],
    ["empty.txt", ""],
    ["..hidden", "$HOME `id` $(id)\\n"],
  ])("writes %s exactly as given", async (name, content) => {
    const project = makeProject();
    const ran = await fileOps("create_file", { path: name, content }, project);
    expect(ran).toMatchObject({
      code: 0,
      stdout: `created ${JSON.stringify(name)} (${Buffer.byteLength(content)} bytes)\n`,
    });
    expect(contentOf(project, name)).toBe(content);
  });

  test("takes the longest content that its schema allows", async () => {
    const project = makeProject();
    const content = "🎈".repeat(30_000);
    expect((await fileOps("create_file", { path: "long.txt", content }, project)).code).toBe(0);
    expect(contentOf(project, "long.txt")).toBe(content);
  });

  test("refuses a file that exists, and leaves it", async () => {
    const project = makeProject({ "notes.txt": "old" });
    expect(
      failure(await fileOps("create_file", { path: "notes.txt", content: "new" }, project)),
    ).toBe('1 "notes.txt" exists already. Use update_file to replace its text.');
    expect(contentOf(project, "notes.txt")).toBe("old");
  });

  test("refuses folders, and files as folders", async () => {
    const project = makeProject({ "docs/a.txt": "" });
    expect(failure(await fileOps("create_file", { path: "docs", content: "" }, project))).toBe(
      '1 "docs" is a folder that exists already. Choose a file name in it.',
    );
    expect(failure(await fileOps("create_file", { path: "new/", content: "" }, project))).toBe(
      '1 "new/" is a folder name. Give the name of a file in it.',
    );
    expect(
      failure(await fileOps("create_file", { path: "docs/a.txt/b.txt", content: "" }, project)),
    ).toBe('1 "docs/a.txt/b.txt" cannot exist: "a.txt" is a file, not a folder.');
    expect(readdirSync(project)).toEqual(["docs"]);
  });

  test("refuses a name that no disk takes", async () => {
    const { code, stderr } = await fileOps(
      "create_file",
      { path: "x".repeat(300), content: "" },
      makeProject(),
    );
    expect(code).toBe(1);
    expect(stderr).toMatch(/^the name is too long: "x{200}"…\. Choose a shorter one\.\n$/);
  });

  test("of two calls at once exactly one wins", async () => {
    const project = makeProject();
    const runs = await Promise.all(
      ["first", "second"].map((content) =>
        fileOps("create_file", { path: "a/b.txt", content }, project),
      ),
    );
    expect(runs.filter(({ code }) => code === 0).length).toBe(1);
    expect(contentOf(project, "a/b.txt")).toBe(runs[0]?.code === 0 ? "first" : "second");
    expect(runs.find(({ code }) => code === 1)?.stderr).toBe(
      '"a/b.txt" exists already. Use update_file to replace its text.\n',
    );
  });
});

describe("update_file", () => {
  test("replaces the whole text, keeps the mode and leaves nothing else behind", async () => {
    const project = makeProject({ "run.sh": "a long old text" });
    chmodSync(path.join(project, "run.sh"), 0o754);
    const ran = await fileOps("update_file", { path: "run.sh", content: "ne\u00fc\r\n" }, project);
    expect(ran).toMatchObject({ code: 0, stdout: 'replaced the text of "run.sh" (6 bytes)\n' });
    expect(contentOf(project, "run.sh")).toBe("ne\u00fc\r\n");
    expect(statSync(path.join(project, "run.sh")).mode & 0o7777).toBe(0o754);
    expect(readdirSync(project)).toEqual(["run.sh"]);
  });

  test("empties a file", async () => {
    const project = makeProject({ "a.txt": "x" });
    expect((await fileOps("update_file", { path: "a.txt", content: "" }, project)).code).toBe(0);
    expect(contentOf(project, "a.txt")).toBe("");
  });

  test("adds to the end as it is", async () => {
    const project = makeProject({ "a.txt": "one\r\n" });
    const ran = await fileOps(
      "update_file",
      { path: "a.txt", content: "two\n", append: true },
      project,
    );
    expect(ran).toMatchObject({ code: 0, stdout: 'added to the end of "a.txt" (4 bytes)\n' });
    expect(contentOf(project, "a.txt")).toBe("one\r\ntwo\n");
    expect(readdirSync(project)).toEqual(["a.txt"]);
  });

  test("writes through a link inside the project, and the link stays", async () => {
    const project = makeProject({ "docs/real.txt": "old" });
    symlinkSync("docs/real.txt", path.join(project, "link.txt"));
    expect((await fileOps("update_file", { path: "link.txt", content: "new" }, project)).code).toBe(
      0,
    );
    expect(contentOf(project, "docs/real.txt")).toBe("new");
    expect(lstatSync(path.join(project, "link.txt")).isSymbolicLink()).toBe(true);
  });

  test("never guesses: the one file of that name is only named", async () => {
    const project = makeProject({ "docs/notes.txt": "old" });
    expect(
      failure(await fileOps("update_file", { path: "notes.txt", content: "new" }, project)),
    ).toBe(
      '1 no file "notes.txt". One file has that name: "docs/notes.txt". If it is the one meant, give this path.',
    );
    expect(contentOf(project, "docs/notes.txt")).toBe("old");
  });

  test("refuses what is missing, and folders", async () => {
    const project = makeProject({ "docs/a.txt": "" });
    expect(failure(await fileOps("update_file", { path: "new.txt", content: "" }, project))).toBe(
      '1 no file named "new.txt" in the project.',
    );
    expect(failure(await fileOps("update_file", { path: "docs", content: "" }, project))).toBe(
      '1 "docs" is a folder. Only files can be updated.',
    );
    expect(existsSync(path.join(project, "new.txt"))).toBe(false);
  });
});

describe("delete_file", () => {
  test.each(["a.txt", "a b ü.txt", "-rf", "docs/sub/x.txt", "two\nlines.txt", "[id].tsx", "*"])(
    "deletes exactly %j",
    async (name) => {
      const project = makeProject({ [name]: "x", "keep.txt": "x" });
      const ran = await fileOps("delete_file", { path: name }, project);
      expect(ran).toMatchObject({
        code: 0,
        stdout: `deleted ${JSON.stringify(name)}\n`,
        stderr: "",
      });
      expect(existsSync(path.join(project, name))).toBe(false);
      expect(contentOf(project, "keep.txt")).toBe("x");
    },
  );

  test.each(["*", "*.txt", "docs/?.txt", "[ab].txt", "{a,b}.txt", "**/a.txt"])(
    "refuses the pattern %s",
    async (pattern) => {
      const project = makeProject({ "b.txt": "", "docs/b.txt": "" });
      expect(failure(await fileOps("delete_file", { path: pattern }, project))).toBe(
        `1 "${pattern}" is a pattern, and no file has exactly that name. Give the exact path of one file.`,
      );
      expect(readdirSync(project)).toEqual(["b.txt", "docs"]);
    },
  );

  test.each([".", "docs", "docs/", "docs/.."])("refuses the folder %s", async (folder) => {
    const project = makeProject();
    mkdirSync(path.join(project, "docs"));
    expect(failure(await fileOps("delete_file", { path: folder }, project))).toBe(
      `1 "${folder}" is a folder. Only files can be deleted, one by one.`,
    );
    expect(existsSync(path.join(project, "docs"))).toBe(true);
  });

  test("never guesses: one or several files of that name are only named", async () => {
    const project = makeProject({ "a/n.txt": "", "b/n.txt": "", "a/one.txt": "" });
    expect(failure(await fileOps("delete_file", { path: "n.txt" }, project))).toBe(
      '1 no file "n.txt", but several files have that name: "a/n.txt", "b/n.txt". Ask the user which one is meant.',
    );
    expect(failure(await fileOps("delete_file", { path: "one.txt" }, project))).toBe(
      '1 no file "one.txt". One file has that name: "a/one.txt". If it is the one meant, give this path.',
    );
    expect(readdirSync(path.join(project, "a"))).toEqual(["n.txt", "one.txt"]);
  });

  test("takes away a link, not the file behind it", async () => {
    const project = makeProject({ "real.txt": "x" });
    symlinkSync("real.txt", path.join(project, "link"));
    symlinkSync("nothing", path.join(project, "dangling"));
    expect(await fileOps("delete_file", { path: "link" }, project)).toMatchObject({
      stdout: 'deleted the link "link"; the file it points to stays\n',
    });
    expect((await fileOps("delete_file", { path: "dangling" }, project)).code).toBe(0);
    expect(readdirSync(project)).toEqual(["real.txt"]);
  });

  test("fails the second time", async () => {
    const project = makeProject();
    writeFileSync(path.join(project, "a.txt"), "");
    expect((await fileOps("delete_file", { path: "a.txt" }, project)).code).toBe(0);
    expect(failure(await fileOps("delete_file", { path: "a.txt" }, project))).toBe(
      '1 no file named "a.txt" in the project.',
    );
  });
});
