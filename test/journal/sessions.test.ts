import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  statSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir, userInfo } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { loadJournal } from "../../src/journal/load-journal.ts";
import {
  findSession,
  listSessions,
  newestSession,
  newSessionId,
  sessionPath,
  sessionsFolder,
} from "../../src/journal/load-sessions.ts";
import type { JournalRecord } from "../../src/journal/record.ts";
import { createRedactor } from "../../src/journal/redact.ts";
import { openJournal } from "../../src/journal/save-journal.ts";
import { forkRecords, forkSession, removeSession } from "../../src/journal/save-sessions.ts";
import { journalText, session } from "../helpers/journal.ts";

const temporary = () => mkdtempSync(join(tmpdir(), "broharness-sessions-"));
const asks = (question: string) => ({ type: "turn", input: { question } }) as JournalRecord;
const ends = (state: string): JournalRecord => ({ type: "end", state, digest: null });

/** Writes a session that changed so many seconds after 1970. */
function keep(folder: string, id: string, changed: number, records: JournalRecord[], cwd = "/tmp") {
  const path = join(folder, `${id}.jsonl`);
  writeFileSync(path, journalText([{ ...session, id, cwd }, ...records]));
  utimesSync(path, changed, changed);
  return path;
}

test.each([
  [{ BROHARNESS_HOME: "/bro", XDG_STATE_HOME: "/state", HOME: "/me" }, "/bro/sessions"],
  [{ XDG_STATE_HOME: "/state", HOME: "/me" }, "/state/broharness/sessions"],
  [{ XDG_STATE_HOME: "state", HOME: "/me" }, "/me/.local/state/broharness/sessions"],
  [{ HOME: "/me" }, "/me/.local/state/broharness/sessions"],
  [{ HOME: "" }, `${userInfo().homedir}/.local/state/broharness/sessions`],
])("%o keeps sessions in %s", (environment, folder) => {
  expect(sessionsFolder(environment)).toBe(folder);
});

test("ids sort by time", () => {
  const now = Date.UTC(2026, 10, 30, 23, 15, 0);
  expect(newSessionId(now, 0)).toBe("20261130-231500-000000");
  expect(newSessionId(now, 0.9999999999)).toMatch(/^20261130-231500-fffff[ef]$/);
});

test("sessions are listed by their last change, with how they ended; what cannot be read is damaged", () => {
  const folder = temporary();
  keep(folder, "a", 1, [asks("one"), ends("answered"), asks("two"), ends("needs_input")]);
  keep(folder, "b", 5, [asks("hi"), ends("fallback")]);
  keep(folder, "c", 3, [asks("hi"), ends("stopped"), { type: "resume" }]);
  keep(folder, "d", 4, []);
  keep(folder, "e", 2, [asks("hi"), ends("answered")]);
  writeFileSync(join(folder, "f.jsonl"), "?\n");
  utimesSync(join(folder, "f.jsonl"), 0, 0);
  mkdirSync(join(folder, "g.jsonl"));
  utimesSync(join(folder, "g.jsonl"), 6, 6);
  writeFileSync(join(folder, "a.jsonl.lock"), "{}");
  const sessions = listSessions(folder);
  expect(sessions.map(({ id, turns, state }) => [id, turns, state])).toStrictEqual([
    ["g", 0, "damaged"],
    ["b", 1, "fallback"],
    ["d", 0, "unfinished"],
    ["c", 1, "unfinished"],
    ["e", 1, "answered"],
    ["a", 2, "stopped"],
    ["f", 0, "damaged"],
  ]);
  expect(sessions[5]).toStrictEqual({
    id: "a",
    cwd: "/tmp",
    started_at: 1_000,
    changed_at: 1_000,
    turns: 2,
    first_question: "one",
    state: "stopped",
  });
  expect(listSessions(join(folder, "gone"))).toStrictEqual([]);
  expect(() => listSessions(join(folder, "f.jsonl"))).toThrow("a part of the path is not a folder");
});

test("the newest session of a folder is its own newest", () => {
  const folder = temporary();
  keep(folder, "a", 1, [], "/one");
  keep(folder, "b", 3, [], "/two");
  keep(folder, "c", 2, [], "/one");
  expect(newestSession(folder, "/one")).toBe("c");
  expect(newestSession(folder, "/two")).toBe("b");
  expect(newestSession(folder, "/three")).toBeNull();
});

test("a session is found by its id or by a beginning that only it has", () => {
  const folder = temporary();
  for (const id of ["20261130-1", "20261130-12", "20261201-1"]) keep(folder, id, 1, []);
  expect(findSession(folder, "20261130-1")).toBe("20261130-1");
  expect(findSession(folder, "202612")).toBe("20261201-1");
  expect(() => findSession(folder, "202611")).toThrow(
    'session "202611" could be 20261130-12 or 20261130-1; `broharness sessions` lists them',
  );
  expect(() => findSession(folder, "20261202-1")).toThrow(
    'session "20261202-1" is not there, but 20261201-1 is; `broharness sessions` lists them',
  );
  for (const wanted of ["", "../x", "x"])
    expect(() => findSession(folder, wanted)).toThrow(
      `session "${wanted}" is not there; \`broharness sessions\` lists them`,
    );
  for (const hour of [1, 2, 3, 4, 5, 6, 7]) keep(folder, `x${hour}`, 1, []);
  expect(() => findSession(folder, "x")).toThrow(
    '"x" could be x7 or x6 or x5 or x4 or x3 or 2 more;',
  );
});

test.each(["../x", "a/b", "..", ".", "", "a\\b", "a\0b", ".hidden"])("%j is no id", (id) => {
  expect(() => sessionPath("/sessions", id)).toThrow("is no session id");
});

test("a session is removed, but not while it is in use", () => {
  const folder = temporary();
  const path = keep(folder, "a", 1, []);
  const { journal } = openJournal({ path, redactor: createRedactor([]), now: () => 1 });
  expect(() => removeSession(folder, "a")).toThrow(`${path} is in use by process ${process.pid}`);
  expect(existsSync(path)).toBe(true);
  journal.close();
  removeSession(folder, "a");
  expect(existsSync(path)).toBe(false);
  expect(() => removeSession(folder, "a")).toThrow(
    `${path} cannot be removed: no such file or folder`,
  );
  expect(() => removeSession(join(folder, "gone"), "a")).toThrow("no such file or folder");
  expect(existsSync(`${path}.lock`)).toBe(false);
});

test("a copy has a chain of its own and says where it is from; the original stays, byte for byte", () => {
  const folder = temporary();
  const path = keep(folder, "a", 1, [asks("hi"), ends("answered")]);
  writeFileSync(path, '{"n":4', { flag: "a" });
  const before = readFileSync(path);
  forkSession(folder, "a", "b");
  expect(readFileSync(path).equals(before)).toBe(true);
  expect(loadJournal(sessionPath(folder, "b"))).toMatchObject({
    records: [
      { type: "session", id: "b", forked_from: "a", at: 1_000 },
      { type: "turn", at: 2_000 },
      { type: "end", at: 3_000 },
    ],
    fault: null,
    torn: null,
  });
  expect(() => forkSession(folder, "a", "b")).toThrow("something of this name is there already");
  writeFileSync(path, "?\n");
  expect(() => forkSession(folder, "a", "c")).toThrow("session a, line 1: not a line of a journal");
  expect(existsSync(sessionPath(folder, "c"))).toBe(false);
});

test("some records of a session become one of their own, which nobody else may read", () => {
  const folder = temporary();
  const from = keep(folder, "a", 1, [asks("hi"), ends("answered"), asks("more")]);
  const [first, second, , last] = loadJournal(from).records;
  if (!first || !second || !last) throw new Error("no records");
  const path = join(folder, "b.jsonl");
  forkRecords([first, second, last], { path, id: "b", forkedFrom: null });
  expect(loadJournal(path)).toMatchObject({
    records: [
      { n: 1, type: "session", id: "b", forked_from: null, at: 1_000 },
      { n: 2, type: "turn", at: 2_000, input: { question: "hi" } },
      { n: 3, type: "turn", at: 4_000, input: { question: "more" } },
    ],
    fault: null,
    torn: null,
    endsLine: true,
  });
  expect(statSync(path).mode & 0o777).toBe(0o600);
  const before = readFileSync(path);
  expect(() => forkRecords([first], { path, id: "c", forkedFrom: "a" })).toThrow(
    `${path} cannot be written: something of this name is there already`,
  );
  expect(readFileSync(path).equals(before)).toBe(true);
});
