import { describe, expect, test } from "vitest";
import type { Expects, Finish, Verdict } from "../../src/contracts/contract.ts";
import type { Problem } from "../../src/contracts/problem.ts";
import { replyCase, replyCases } from "./cases.ts";
import { read } from "./read.ts";

const refused = (problem: Problem): Verdict => ({ kind: "refused", problem });
const text = (said: string): Verdict => ({ kind: "text", text: said });
const calls = (...list: [name: string, input: Record<string, string>][]): Verdict => ({
  kind: "calls",
  calls: list.map(([name, input]) => ({ name, input })),
});
const noBlock = refused({ code: "no_block", bare_json: false });

/** [case, what the task wants, the verdict]; where a case describes its text ("×60"), the text is written out. */
const rows: [id: string, expects: Expects, verdict: Verdict, written?: string][] = [
  ["A01", "calls", refused({ code: "foreign_syntax", syntax: "function_tag", tool: "read_note" })],
  ["A01", "text", refused({ code: "foreign_syntax", syntax: "function_tag", tool: "read_note" })],
  ["A02", "calls", refused({ code: "foreign_syntax", syntax: "xml_tag", tool: "read_note" })],
  ["A02", "text", refused({ code: "foreign_syntax", syntax: "xml_tag", tool: "read_note" })],
  ["A04", "calls", refused({ code: "no_block", bare_json: true })],
  ["A04", "text", refused({ code: "block_in_answer" })],
  [
    "A05",
    "calls",
    refused({ code: "text_outside", where: "before", excerpt: "Sure, let me look.", line: 1 }),
  ],
  ["A05", "text", refused({ code: "block_in_answer" })],
  [
    "A06",
    "calls",
    refused({
      code: "wrong_shape",
      at: "the top level",
      expected: 'an object with exactly one key, "tool_use"',
      found: 'an object with the key "tool_calls"',
    }),
  ],
  [
    "A07",
    "calls",
    refused({
      code: "wrong_shape",
      at: "the top level",
      expected: 'an object with the key "tool_use"',
      found: "a list",
    }),
  ],
  ["A07", "text", refused({ code: "block_in_answer" })],
  ["A09", "calls", calls(["save_note", { title: "md", text: "```js x ```" }])],
  ["A21", "calls", refused({ code: "foreign_syntax", syntax: "hermes", tool: "weather" })],
  ["A21", "text", refused({ code: "foreign_syntax", syntax: "hermes", tool: "weather" })],
  ["A22", "calls", refused({ code: "many_blocks", count: 2 })],
  ["B03", "calls", calls(["list_notes", {}])],
  ["B04", "text", text("It is sunny.")],
  ["B04", "calls", noBlock],
  ["B06", "calls", refused({ code: "cut_off", inside: "thinking" })],
  ["B06", "text", refused({ code: "cut_off", inside: "thinking" })],
  ["B07", "text", text("Saved it for you!")],
  [
    "C04",
    "calls",
    refused({
      code: "wrong_shape",
      at: "tool_use",
      expected: "a list of calls",
      found: 'an object with the key "name"',
    }),
  ],
  [
    "C08",
    "calls",
    refused({ code: "degenerate", phrase: "I will check." }),
    "I will check. ".repeat(60),
  ],
  [
    "C08",
    "text",
    refused({ code: "degenerate", phrase: "I will check." }),
    "I will check. ".repeat(60),
  ],
  ["C09", "calls", noBlock],
  ["C10", "calls", refused({ code: "empty" })],
  ["C10", "text", refused({ code: "empty" })],
  ["D02", "calls", refused({ code: "cut_off", inside: "block" })],
  ["D05", "calls", refused({ code: "cut_off", inside: "block" })],
  ["D06", "calls", refused({ code: "filtered" })],
  ["D06", "text", refused({ code: "filtered" })],
  ["E04", "text", text("Done — the note was created successfully.")],
  ["E07", "text", text("Sure.")],
  ["E07", "calls", noBlock],
  ["F01", "calls", refused({ code: "schema_echo" })],
  ["F01", "text", refused({ code: "schema_echo" })],
  ["F04", "text", text("I will now read the plan note.")],
  ["F06", "text", text("Hello! What shall we do today?")],
  ["F07", "text", text("The plan is short, you know?")],
  ["F08", "text", text("How can I help you today?")],
  ["F10", "calls", calls(["load_skill", { skill_name: "calendar" }])],
  ["H06", "calls", refused({ code: "empty" })],
  ["H06", "text", refused({ code: "empty" })],
  ["I04", "text", refused({ code: "empty" })],
  ["I07", "text", text("Authorization: Bearer abc123…")],
  ["J02", "calls", calls(["save_note", { title: "c", text: String.raw`a\nb` }])],
  [
    "J03",
    "calls",
    refused({
      code: "bad_json",
      reason: String.raw`\d is not an escape; write \\d`,
      line: 2,
      column: 54,
    }),
  ],
  ["J13", "calls", calls(["list_notes", { limit: "0x10" }])],
];

/** Cases whose output is a situation, not a reply, or whose verdict is not about the reply's form. */
const leftOut: Record<string, string> = {
  B08: "prompts: no thinking in later requests",
  C11: "compaction: session, not contract",
  E03: "guardrail: grounding, on results",
  E05: "guardrail: claims, on the ledger",
  E06: "guardrail: grounding, on results",
  F05: "a measurement of routing",
  G01: "compaction: session, not contract",
  G02: "compaction: session, not contract",
  G03: "preflight: the server's window",
  G04: "preflight: the server's window",
  G05: "guardrail: language",
  G06: "guardrail: language",
  G07: "results: clipping",
  G08: "requests: the system text",
  H02: "requests: no native tools",
  H04: "backends: abort",
  I01: "journal: torn lines",
  I02: "journal: line separators",
  I03: "journal: resuming",
  I05: "machine: abort",
};

describe("real failures of models", () => {
  test.each(rows)("%s, when the task wants %s", (id, expects, verdict, written) => {
    const { output, finish } = replyCase(id);
    expect(read(written ?? output, expects, finishOf(finish)).verdict).toEqual(verdict);
  });

  test("every case for this contract has a row or a reason why not", () => {
    const ours = replyCases.filter(({ fmt }) => fmt !== "call").map(({ id }) => id);
    const covered = new Set([...rows.map(([id]) => id), ...Object.keys(leftOut)]);
    expect([...covered].toSorted()).toEqual(ours.toSorted());
    expect(rows.filter(([id]) => id in leftOut)).toEqual([]);
  });

  test.each(replyCases.filter(({ fmt }) => fmt === "call"))(
    "$id, written for call lines, is never read as calls",
    ({ output, finish }) => {
      expect(read(output, "calls", finishOf(finish)).verdict.kind).toBe("refused");
    },
  );

  test("nothing that wants to run is read as an answer", () => {
    const acts = replyCases.filter(
      ({ output, finish }) => finish === "stop" && /^(CALL \w+_|<\|tool_call)/.test(output),
    );
    expect(acts.length).toBeGreaterThan(15);
    for (const { output } of acts)
      expect(read(output, "text").verdict).toMatchObject({ problem: { code: "foreign_syntax" } });
  });
});

/** Reasons no backend reports ("tool_calls", "abort") reach a reader as "stop". */
function finishOf(finish: string): Finish {
  return finish === "length" || finish === "content_filter" ? finish : "stop";
}
