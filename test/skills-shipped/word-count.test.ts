import { spawnSync } from "node:child_process";
import { chmodSync, symlinkSync } from "node:fs";
import path from "node:path";
import { beforeEach, expect, test } from "vitest";

import { failure, makeProject, runScript, scriptPath } from "./tool-runs.ts";

// The interpreter itself: a version manager's shim would need the environment that a script does not get.
const found = spawnSync("python3", ["-c", "import sys; print(sys.executable)"], {
  encoding: "utf8",
});
const python = found.status === 0 ? found.stdout.trim() : undefined;
// oxlint-disable-next-line node/no-process-env -- a missing interpreter is a gap on a user's machine, a mistake in CI
const mayBeMissing = process.env["CI"] === undefined;
const script = scriptPath("word-count", "word_count.py");

beforeEach(({ skip }) => {
  if (python === undefined && mayBeMissing) skip("python3 is not on the PATH");
});

const wordCount = (project: string, file: string, options: string[] = [], running = {}) =>
  runScript([python ?? "python3", "-X", "utf8", script, ...options, "--", file], project, running);

test.each([
  ["", "lines: 0\nwords: 0\ncharacters: 0\n"],
  ["one", "lines: 1\nwords: 1\ncharacters: 3\n"],
  ["a b\n\n c\t d \n", "lines: 3\nwords: 4\ncharacters: 12\n"],
  ["a\r\nb\r\n", "lines: 2\nwords: 2\ncharacters: 6\n"],
  ["größe 漢字 🎈", "lines: 1\nwords: 3\ncharacters: 10\n"],
  ["\uFEFFhi\n", "lines: 1\nwords: 1\ncharacters: 3\n"],
])("counts %j", async (content, expected) => {
  const project = makeProject({ "docs/a b.txt": content });
  expect(await wordCount(project, "docs/a b.txt")).toMatchObject({
    code: 0,
    stdout: expected,
    stderr: "",
  });
});

test("names the most frequent words, punctuation around them dropped, in a fixed order", async () => {
  const project = makeProject({
    "-rf": "The cat saw the dog -- the dog, not the (cat). It's Größe: größe!",
  });
  const counts = "lines: 1\nwords: 14\ncharacters: 65\nmost frequent words:\n";
  expect((await wordCount(project, "-rf", ["--top=3"])).stdout).toBe(
    `${counts}the: 3\ncat: 2\ndog: 2\n`,
  );
  expect((await wordCount(project, "-rf", ["--top=2", "--ignore-case"])).stdout).toBe(
    `${counts}the: 4\ncat: 2\n`,
  );
  expect((await wordCount(project, "-rf", ["--top=99"])).stdout).toContain("\nIt's: 1\n");
});

test.each([
  ["missing.txt", [], 'no file named "missing.txt" in the project.'],
  ["notes.txt", [], 'no file "notes.txt". Files of that name: "a/notes.txt", "b/notes.txt".'],
  ["a/notes.txt/x", [], 'no file named "a/notes.txt/x" in the project.'],
  ["dangling", [], 'no file named "dangling" in the project.'],
  ["two\nlines", [], 'no file named "two\\nlines" in the project.'],
  ["a", [], '"a" is a folder. Give the path of a file.'],
  ["", [], 'the path is empty. Give one, such as "notes.txt".'],
  [
    "../outside/secret.txt",
    [],
    '"../outside/secret.txt" is outside of the project. Only files in the project can be counted.',
  ],
  [
    "/etc/passwd",
    [],
    '"/etc/passwd" is outside of the project. Only files in the project can be counted.',
  ],
  ["link", [], '"link" is outside of the project. Only files in the project can be counted.'],
  ["zero.bin", [], '"zero.bin" is not text: it is a binary file.'],
  ["latin.txt", [], '"latin.txt" is not text in UTF-8.'],
  ["big.txt", [], '"big.txt" is too large: more than 16 MiB.'],
  ["a/notes.txt", ["--top=1001"], "--top must be from 1 to 1000, got 1001."],
  ["a/notes.txt", ["--top=-1"], "--top must be from 1 to 1000, got -1."],
  ["a/notes.txt", ["--top=ten"], "argument --top: invalid int value: 'ten'"],
  ["a/notes.txt", ["--ignore"], "unrecognized arguments: --ignore"],
])("%j %j: one sentence and exit code 2", async (file, options, message) => {
  const project = makeProject({
    "a/notes.txt": "",
    "b/notes.txt": "",
    "node_modules/notes.txt": "",
    "../outside/secret.txt": "secret",
    "zero.bin": "a\0b",
    "latin.txt": Buffer.from([0x63, 0xe9]),
    "big.txt": file === "big.txt" ? Buffer.alloc(16 * 1024 * 1024 + 1, "x") : "",
  });
  symlinkSync("../outside/secret.txt", path.join(project, "link"));
  symlinkSync("nowhere", path.join(project, "dangling"));
  expect(failure(await wordCount(project, file, options))).toBe(`2 ${message}`);
});

test("a pipe is refused, not waited for", async ({ skip }) => {
  const project = makeProject();
  if (spawnSync("mkfifo", [path.join(project, "pipe")]).status !== 0) skip("mkfifo is not there");
  expect(failure(await wordCount(project, "pipe"))).toBe(
    '2 "pipe" is not a regular file, so it is not text.',
  );
});

test("a file without permission is named", async () => {
  const project = makeProject({ "shut.txt": "x" });
  chmodSync(path.join(project, "shut.txt"), 0);
  const command = [python ?? "", "-X", "utf8", script, "--", "shut.txt"];
  expect(failure(await runScript(command, project, { unprivileged: true }))).toBe(
    '2 no permission to read "shut.txt".',
  );
});
