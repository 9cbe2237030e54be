import { once } from "node:events";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { execa } from "execa";
import { expect, test } from "vitest";
import { loadJournal } from "../../src/journal/load-journal.ts";
import { createRedactor } from "../../src/journal/redact.ts";
import { createJournal, openJournal } from "../../src/journal/save-journal.ts";
import { journalText, session } from "../helpers/journal.ts";
import { withoutPrivileges } from "../helpers/processes.ts";

const temporary = () => mkdtempSync(join(tmpdir(), "broharness-save-"));
const optionsFor = (path: string, secrets: readonly string[] = []) => ({
  path,
  redactor: createRedactor(secrets),
  now: () => 1_000,
});
const resume = { type: "resume" } as const;
const crash = (message: string) =>
  ({ type: "crash", of: "answer", error: { name: "Error", message } }) as const;

const library = new URL("../../dist/index.js", import.meta.url).href;
/** Code for another process, in which `path` is the journal's and `options` are for it. */
const code = (body: string) => `
  import { createJournal, createRedactor, openJournal } from "${library}";
  const path = process.argv[1];
  const options = { path, redactor: createRedactor([]), now: () => 1000 };
  const attempt = (action) => { try { return action() } catch (error) { console.log(error.name + ": " + error.message.replaceAll(path, "PATH")) } };
  const session = ${JSON.stringify(session)};
  ${body}`;
const node = (body: string) => [process.execPath, "--input-type=module", "-e", code(body)];

test("what is written is there, line by line, for its owner only", () => {
  const path = join(temporary(), "new", "folder", "s.jsonl");
  const journal = createJournal(optionsFor(path));
  expect(existsSync(`${path}.lock`)).toBe(true);
  journal.write(session);
  expect(loadJournal(path).records).toHaveLength(1);
  journal.write(resume);
  journal.close();
  journal.close();
  expect(existsSync(`${path}.lock`)).toBe(false);
  expect(loadJournal(path)).toMatchObject({
    records: [{ n: 1, at: 1_000 }, { n: 2 }],
    fault: null,
  });
  expect((statSync(path).mode & 0o777).toString(8)).toBe("600");
  expect((statSync(join(path, "..")).mode & 0o777).toString(8)).toBe("700");
  expect(() => journal.write(resume)).toThrow("a record came after the journal was closed");
});

test("letters of all kinds and 10 MB in one record come back as they were", () => {
  const path = join(temporary(), "s.jsonl");
  const text = `\ud800 \u2028\u2029 😀 \u0000 \r\n ${"ä".repeat(5_000_000)}`;
  const journal = createJournal(optionsFor(path));
  journal.write(session);
  journal.write(crash(text));
  journal.close();
  const [, record] = loadJournal(path).records;
  expect(record?.type === "crash" && record.error.message === text).toBe(true);
});

test("secrets are kept out, and a turn knows whether one was", () => {
  const path = join(temporary(), "s.jsonl");
  const journal = createJournal(optionsFor(path, ["hunter2hunter2"]));
  journal.write(session);
  expect(journal.redacted).toBe(false);
  journal.write(crash("it was hunter2hunter2"));
  expect(journal.redacted).toBe(true);
  journal.close();
  expect(readFileSync(path, "utf8")).not.toContain("hunter2");
  const again = openJournal(optionsFor(path, ["another secret"])).journal;
  again.write(crash("another secret"));
  again.close();
  expect(readFileSync(path, "utf8")).toContain("[redacted:2]");
});

test.each([
  ["whole", (text: string) => text],
  ["torn", (text: string) => `${text}{"n":3,"at`],
  [
    "torn inside a letter",
    (text: string) => Buffer.concat([Buffer.from(text), Buffer.from([0xc3])]),
  ],
  ["without its last line break", (text: string) => text.trimEnd()],
])("a journal that is %s goes on", (_, change) => {
  const path = join(temporary(), "s.jsonl");
  writeFileSync(path, change(journalText([session, resume])));
  const { journal, text } = openJournal(optionsFor(path));
  expect(text.records).toHaveLength(2);
  journal.write(resume);
  journal.close();
  expect(loadJournal(path)).toMatchObject({ fault: null, torn: null, endsLine: true });
  expect(loadJournal(path).records.map(({ n }) => n)).toStrictEqual([1, 2, 3]);
});

test.each([1, 2])("a journal damaged in line %i is left as it is", (line) => {
  const path = join(temporary(), "s.jsonl");
  const lines = journalText([session, resume]).split("\n");
  const changed = lines.with(line - 1, "?").join("\n");
  writeFileSync(path, changed);
  const { journal } = openJournal(optionsFor(path));
  expect(() => journal.write(resume)).toThrow(`${path}, line ${line}: not a line of a journal`);
  journal.close();
  expect(readFileSync(path, "utf8")).toBe(changed);
});

test("a file that is there is not written over, and a new one without a line is not kept", () => {
  const path = join(temporary(), "s.jsonl");
  createJournal(optionsFor(path)).close();
  expect(existsSync(path)).toBe(false);
  writeFileSync(path, "mine");
  expect(() => createJournal(optionsFor(path))).toThrow(
    `the session cannot be kept in ${path}: something of this name is there already; put BROHARNESS_HOME elsewhere, or use --no-session`,
  );
  expect(readFileSync(path, "utf8")).toBe("mine");
  expect(existsSync(`${path}.lock`)).toBe(false);
  expect(() => createJournal(optionsFor(join(path, "s.jsonl")))).toThrow("cannot be kept");
});

test("a write that the system takes only in part is taken back, and later ones fail alike", async () => {
  const path = join(temporary(), "s.jsonl");
  const write = node(`
    const journal = createJournal(options);
    journal.write(session);
    const crash = { type: "crash", of: "answer", error: { name: "Error", message: "x".repeat(20_000) } };
    for (const record of [crash, { type: "resume" }]) attempt(() => journal.write(record));
    journal.close();`);
  const { stdout } = await execa("sh", ["-c", 'ulimit -f 8; exec "$@"', "sh", ...write, path]);
  const line =
    "HarnessError: the session cannot be kept in PATH: no file may grow this large; put BROHARNESS_HOME elsewhere, or use --no-session";
  expect(stdout.split("\n")).toStrictEqual([line, line]);
  expect(loadJournal(path)).toMatchObject({ records: [{ n: 1 }], fault: null, torn: null });
});

test("a disk that is full in the middle of a line: the line is taken back, and with room again it goes on", async () => {
  const path = join(temporary(), "s.jsonl");
  // As a full disk does it: a part is taken, and the next write is refused.
  const write = node(`
    const fs = (await import("node:fs")).default;
    const { syncBuiltinESMExports } = await import("node:module");
    const real = fs.writeSync;
    const journal = createJournal(options);
    journal.write(session);
    let isFull = false;
    fs.writeSync = (file, bytes, start, length, at) => {
      if (isFull) throw Object.assign(new Error("no space left on device"), { code: "ENOSPC" });
      isFull = true;
      return real(file, bytes, start, 20, at);
    };
    syncBuiltinESMExports();
    attempt(() => journal.write({ type: "resume" }));
    attempt(() => journal.write({ type: "resume" }));
    fs.writeSync = real;
    syncBuiltinESMExports();
    journal.close();
    const again = openJournal(options);
    again.journal.write({ type: "resume" });
    console.log(again.text.records.length, again.text.torn);`);
  const [command = "", ...args] = write;
  const { stdout } = await execa(command, [...args, path]);
  const line =
    "HarnessError: the session cannot be kept in PATH: the disk is full; put BROHARNESS_HOME elsewhere, or use --no-session";
  expect(stdout.split("\n")).toStrictEqual([line, line, "1 null"]);
  expect(loadJournal(path)).toMatchObject({ records: [{ n: 1 }, { n: 2 }], fault: null });
});

test("a folder that may not be written", async () => {
  const folder = temporary();
  chmodSync(folder, 0o500);
  const [command, ...args] = [
    ...withoutPrivileges,
    ...node("attempt(() => createJournal(options));"),
    join(folder, "s.jsonl"),
  ];
  const { stdout } = await execa(command, args);
  expect(stdout).toBe(
    "HarnessError: the session cannot be kept in PATH: no permission; put BROHARNESS_HOME elsewhere, or use --no-session",
  );
});

/** A process that holds a journal until it is told to end. */
async function holder(path: string) {
  const [command = "", ...rest] = node(`
    const { journal } = openJournal(options);
    console.log("held");
    process.stdin.once("data", () => { journal.close(); process.exit(0) });`);
  const held = execa(command, [...rest, path], { reject: false });
  await once(held.stdout, "data");
  return { held };
}

test("one writer at a time: a second process is told which one it is", async () => {
  const path = join(temporary(), "s.jsonl");
  writeFileSync(path, journalText([session]));
  const { held } = await holder(path);
  expect(() => openJournal(optionsFor(path))).toThrow(
    `${path} is in use by process ${held.pid}: wait for it, or go on in a copy with --fork-session`,
  );
  held.kill("SIGKILL");
  await held;
  openJournal(optionsFor(path)).journal.close();
  expect(readdirSync(join(path, ".."))).toStrictEqual(["s.jsonl"]);
});

test("a lock whose number has gone to another process is no lock, and neither is an old empty one", () => {
  const path = join(temporary(), "s.jsonl");
  writeFileSync(path, journalText([session]));
  writeFileSync(`${path}.lock`, JSON.stringify({ pid: process.pid, started: "1" }));
  const isKnown = existsSync("/proc/self/stat");
  if (isKnown) openJournal(optionsFor(path)).journal.close();
  writeFileSync(`${path}.lock`, "");
  expect(() => openJournal(optionsFor(path))).toThrow(`${path} is in use: wait for it`);
});

test("of many that take over a dead lock at once, every line of each gets through whole", async () => {
  const path = join(temporary(), "s.jsonl");
  writeFileSync(path, journalText([session]));
  const [command = "", ...rest] = node(`
    const { writeFileSync } = await import("node:fs");
    let written = 0;
    for (let round = 0; round < 200; round++) {
      try {
        const { journal } = openJournal(options);
        journal.write({ type: "resume" });
        written++;
        // Ends like a process that was killed: the lock stays, and its owner is dead.
        writeFileSync(path + ".lock", '{"pid":999999999,"started":"1"}');
      } catch (error) { if (error.name !== "HarnessError") throw error }
    }
    console.log(written);`);
  const counts = await Promise.all(
    [1, 2, 3, 4].map(async () => Number((await execa(command, [...rest, path])).stdout)),
  );
  const { records, fault, torn } = loadJournal(path);
  expect({ fault, torn }).toStrictEqual({ fault: null, torn: null });
  expect(records.length - 1).toBe(counts.reduce((sum, count) => sum + count));
});

test.runIf(process.platform === "linux")(
  "a folder that can never be made is one clear error (skipped where there is no /proc)",
  () => {
    const path = "/proc/broharness/sessions/s.jsonl";
    expect(() => createJournal(optionsFor(path))).toThrow(
      `the session cannot be kept in ${path}: no such file or folder; put BROHARNESS_HOME elsewhere, or use --no-session`,
    );
  },
);

test("a folder in the place of the file is one clear error", () => {
  const path = join(temporary(), "s.jsonl");
  mkdirSync(path);
  expect(() => createJournal(optionsFor(path))).toThrow(
    `the session cannot be kept in ${path}: something of this name is there already`,
  );
});
