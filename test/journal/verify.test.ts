import { beforeAll, describe, expect, test } from "vitest";
import { fold } from "../../src/journal/fold.ts";
import { readLines, writeLine } from "../../src/journal/line.ts";
import { createRedactor, secretsOf } from "../../src/journal/redact.ts";
import { compare, replayFault } from "../../src/journal/replay.ts";
import { journalText, memoryJournal, session } from "../helpers/journal.ts";
import { block, loadNotes, nothing, play, raw, read } from "../helpers/notes.ts";
import { createHarness, newConversation } from "../../src/harness.ts";
import { createScriptedBackend } from "../../src/backends/scripted.ts";

let text = "";
beforeAll(async () => {
  const { project } = await play([loadNotes, nothing, raw("Hi.")]);
  const journal = memoryJournal();
  const harness = createHarness({
    skills: { skills: [project.skill], diagnostics: [], python: null },
    backend: createScriptedBackend([
      loadNotes,
      raw("nonsense"),
      block(read("plan"), read("gone")),
      nothing,
      raw("Buy milk."),
    ]),
    projectDir: project.projectDir,
    nonce: () => "n0nce",
  });
  await harness.run({ ...newConversation(), question: "What is in it?" }, { journal });
  text = journalText(journal.records);
});

describe("a journal that was changed", () => {
  test("1,000 changes of one character: each is rejected at its line", () => {
    const lines = text.trimEnd().split("\n");
    let state = 1;
    const next = (below: number) => {
      state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
      return state % below;
    };
    for (let change = 0; change < 1000; change++) {
      const index = next(lines.length);
      const line = lines[index] ?? "";
      const at = next(line.length);
      const letter = String.fromCharCode(33 + next(90));
      if (line[at] === letter) continue;
      const changed = lines.with(index, line.slice(0, at) + letter + line.slice(at + 1));
      expect(readLines(`${changed.join("\n")}\n`).fault?.line).toBe(index + 1);
    }
  });

  test("a line that is lost, doubled or moved is rejected where it is missed", () => {
    const lines = text.trimEnd().split("\n");
    const faultOf = (changed: string[]) => readLines(`${changed.join("\n")}\n`).fault?.line;
    expect(faultOf(lines.toSpliced(4, 1))).toBe(5);
    expect(faultOf(lines.toSpliced(4, 0, lines[3] ?? ""))).toBe(5);
    expect(faultOf([...lines.slice(0, 3), lines[4] ?? "", lines[3] ?? ""])).toBe(4);
  });

  test.each([
    [
      "an outcome of an actor that is not at work",
      3,
      { type: "outcome", of: "answer", output: { kind: "text", text: "x", reply: "x", usage: {} } },
      "something came from answer, but the turn is in skill_call",
    ],
    [
      "a kind that there is not",
      3,
      { type: "outcome", of: "skill_call", output: { kind: "dance" } },
      'skill_call has no outcome "dance"',
    ],
    [
      "an end before the end",
      4,
      { type: "end", state: "answered", digest: null },
      "the turn is still in tool_use",
    ],
  ])("with new checksums, %s is rejected by the machine", (_what, line, record, why) => {
    const records = readLines(text).records.map((known) =>
      known.n === line ? { ...record, n: line, at: 0 } : known,
    );
    let [sum, changed] = ["", ""];
    for (const item of records) {
      const written = writeLine(item as never, sum);
      sum = written.sum;
      changed += `${written.line}\n`;
    }
    expect(fold(readLines(changed)).fault).toStrictEqual({ line, why });
  });
});

test("with new checksums, nothing that is put into a line makes the reader stumble", () => {
  const junk = [null, 0, -1, "", "x", [], {}, true, [null], "constructor"];
  let state = 3;
  const next = (below: number) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return (state >>> 8) % below;
  };
  type Tree = Record<string, unknown>;
  const placesIn = (tree: Tree): [Tree, string][] =>
    Object.entries(tree).flatMap(([key, value]): [Tree, string][] => [
      [tree, key],
      ...(typeof value === "object" && value !== null ? placesIn(value as Tree) : []),
    ]);
  const { records } = readLines(text);
  let rejected = 0;
  for (let change = 0; change < 1000; change++) {
    const copy = structuredClone(records);
    const places = placesIn(copy[next(copy.length)] as unknown as Tree);
    const [tree, key] = places[next(places.length)] ?? [{}, ""];
    if (next(4) === 0) delete tree[key];
    else tree[key] = junk[next(junk.length)];
    let [sum, changed] = ["", ""];
    for (const item of copy) {
      const written = writeLine(item, sum);
      sum = written.sum;
      changed += `${written.line}\n`;
    }
    const folded = fold(readLines(changed));
    if (folded.fault ?? replayFault(folded)) rejected += 1;
    compare(folded, { limits: { max_steps: 1 } });
  }
  expect(rejected).toBeGreaterThan(400);
});

test("line ends changed to CRLF are named", () => {
  expect(readLines(text.replaceAll("\n", "\r\n")).fault).toStrictEqual({
    line: 1,
    why: "its end was changed to CRLF: a journal's lines end in a line feed alone",
  });
});

test("half a last line is dropped and told; everything before it stands", () => {
  const torn = readLines(text.slice(0, -20));
  expect(torn.fault).toBeNull();
  expect(torn.torn).toContain('"type":"end"');
  expect(fold(torn).turns[0]?.snapshot.value).toBe("answered");
});

test("a whole journal is the same again; another machine's limits change it where they bite", () => {
  const folded = fold(readLines(text));
  expect(folded.fault).toBeNull();
  expect(replayFault(folded)).toBeNull();
  expect(compare(folded, {})).toStrictEqual([]);
  expect(compare(folded, { limits: { max_retries: 0 } })).toMatchObject([
    { line: 2, end_was: "answered", end_now: "answered (max_retries)" },
  ]);
});

test("line breaks of other alphabets are escaped, and lone surrogates come back", () => {
  const written = journalText([{ ...session, cwd: "a\u2028b\u2029c\ud800" }]);
  expect(written).not.toMatch(/[\u2028\u2029]/);
  expect(readLines(written).records).toMatchObject([{ cwd: "a\u2028b\u2029c\ud800" }]);
});

test("secrets are taken out of texts, one number for each", () => {
  const redactor = createRedactor(
    secretsOf({ API_KEY: "hunter2hunter2", HOME: "/root", SHORT_TOKEN: "abc" }),
  );
  const given = { a: "it is hunter2hunter2", b: ["Bearer abcdefgh12345", "hunter2hunter2", "abc"] };
  expect(redactor.redact(given)).toStrictEqual({
    value: { a: "it is [redacted:1]", b: ["Bearer [redacted:2]", "[redacted:1]", "abc"] },
    found: true,
  });
});
