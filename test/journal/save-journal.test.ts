import { appendFileSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createRedactor } from "../../src/journal/redact.ts";
import { createJournal, openJournal } from "../../src/journal/save-journal.ts";
import { temporaryFolder } from "../helpers/cli.ts";
import { session } from "../helpers/journal.ts";

const options = (path: string) => ({ path, redactor: createRedactor([]), now: () => 1000 });

test("what was written is read again, and goes on in one chain", () => {
  const path = join(temporaryFolder(), "a/b/s.jsonl");
  const first = createJournal(options(path));
  first.write(session);
  first.close();
  const { journal, text } = openJournal(options(path));
  expect(text.records).toStrictEqual([{ ...session, n: 1, at: 1000 }]);
  journal.write({ type: "resume" });
  journal.close();
  const again = openJournal(options(path));
  again.journal.close();
  expect(again.text).toMatchObject({ fault: null, torn: null });
  expect(again.text.records.map(({ type }) => type)).toStrictEqual(["session", "resume"]);
});

test("half a line that a crash left is cut off, and the next one stands in its place", () => {
  const path = join(temporaryFolder(), "s.jsonl");
  const first = createJournal(options(path));
  first.write(session);
  first.close();
  const whole = readFileSync(path, "utf8");
  appendFileSync(path, '{"n":2,"at":1000,"type":"res');
  const { journal, text } = openJournal(options(path));
  expect(text.torn).toBe('{"n":2,"at":1000,"type":"res');
  expect(readFileSync(path, "utf8")).toBe(whole);
  journal.close();
});

test("a whole last line without its line break is kept, and gets one", () => {
  const path = join(temporaryFolder(), "s.jsonl");
  const first = createJournal(options(path));
  first.write(session);
  first.close();
  const whole = readFileSync(path, "utf8");
  writeFileSync(path, whole.trimEnd());
  const { journal, text } = openJournal(options(path));
  journal.close();
  expect(text.records).toHaveLength(1);
  expect(readFileSync(path, "utf8")).toBe(whole);
});

test("a second writer is told who is writing", () => {
  const path = join(temporaryFolder(), "s.jsonl");
  const first = createJournal(options(path));
  first.write(session);
  expect(() => openJournal(options(path))).toThrow(
    `${path} is in use by process ${process.pid}: wait for it, or go on in a copy with --fork-session`,
  );
  first.close();
  openJournal(options(path)).journal.close();
});

test("the lock of a process that is gone is taken over", () => {
  const path = join(temporaryFolder(), "s.jsonl");
  const first = createJournal(options(path));
  first.write(session);
  first.close();
  writeFileSync(`${path}.lock`, '{"pid":999999999,"started":"1"}');
  openJournal(options(path)).journal.close();
});

test.runIf(process.platform === "linux")(
  "a folder that can never be made is one clear error",
  () => {
    const path = "/proc/broharness/sessions/s.jsonl";
    expect(() => createJournal(options(path))).toThrow(
      `the session cannot be kept in ${path}: no such file or folder; put BROHARNESS_HOME elsewhere, or use --no-session`,
    );
  },
);

test("a folder in the place of the file is one clear error", () => {
  const path = join(temporaryFolder(), "s.jsonl");
  mkdirSync(path);
  expect(() => createJournal(options(path))).toThrow(
    `the session cannot be kept in ${path}: EEXIST`,
  );
});
