import { assign } from "xstate";
import { expect, test } from "vitest";
import { fold } from "../../src/journal/fold.ts";
import { readLines } from "../../src/journal/line.ts";
import type { JournalRecord } from "../../src/journal/record.ts";
import { compare } from "../../src/journal/replay.ts";
import { machineHash } from "../../src/machine/machine-hash.ts";
import { turnMachine } from "../../src/machine/turn.machine.ts";
import { journalText, session } from "../helpers/journal.ts";
import { input } from "../helpers/turn.ts";

const usage = { input_tokens: 10, output_tokens: 5, estimated: false };
const wants = (of: "skill_call" | "tool_call", ...names: string[]): JournalRecord => ({
  type: "outcome",
  of,
  output: {
    kind: "calls",
    calls: names.map((name) => ({ name, input: {} })),
    reply: names.join(" "),
    usage,
  },
});
const ran: JournalRecord = {
  type: "outcome",
  of: "tool_use",
  output: {
    kind: "result",
    effect: "read",
    observation: { output: "x", exit_code: 0, signal: null, duration_ms: 1 },
  },
};
const says: JournalRecord = {
  type: "outcome",
  of: "answer",
  output: { kind: "text", text: "It is x.", reply: "It is x.", usage },
};
const models = { skill_call: "m", tool_call: "m", answer: "m" };
const begin: JournalRecord = {
  type: "turn",
  machine: machineHash(),
  models,
  contract: "codeblock",
  skills: [],
  input: input(),
  settings: {},
};

const folded = (...records: JournalRecord[]) => {
  const result = fold(readLines(journalText([session, begin, ...records])));
  expect(result.fault).toBeNull();
  return result;
};
const loads: JournalRecord[] = [
  wants("skill_call", "load_skill"),
  {
    type: "outcome",
    of: "tool_use",
    output: { kind: "skill_loaded", name: "file-ops", has_tools: true },
  },
];
const whole = [...loads, wants("tool_call", "list"), ran, wants("tool_call"), says];

test("the same machine changes nothing, nor do limits that do not bite", () => {
  expect(compare(folded(...whole), {})).toStrictEqual([]);
  expect(compare(folded(...whole), { machine: turnMachine })).toStrictEqual([]);
  expect(compare(folded(...whole), { limits: { max_steps: 2 } })).toStrictEqual([]);
});

test("on another way each actor gets its own next answer", () => {
  expect(compare(folded(...whole), { limits: { max_steps: 1 } })).toStrictEqual([
    {
      line: 2,
      question: "what is in a.txt?",
      step: 4,
      path_was: [
        "skill_call",
        "tool_use",
        "tool_call",
        "tool_use",
        "tool_call",
        "answer",
        "answered",
      ],
      path_now: ["skill_call", "tool_use", "tool_call", "answer", "answered"],
      end_was: "answered",
      end_now: "answered (max_steps)",
    },
  ]);
});

test("a turn whose recorded answers are used up stays where it is", () => {
  const cut = folded(...loads, wants("tool_call", "list"));
  expect(compare(cut, { limits: { max_steps: 1 } })).toMatchObject([
    { step: 4, end_was: "waits in tool_use", end_now: "waits in answer" },
  ]);
});

test("another outcome at the end of the same path is a change", () => {
  const machine = turnMachine.provide({
    actions: {
      keep_answer: assign({ outcome: { kind: "answered", text: "Other.", ended_early: null } }),
    },
  });
  expect(compare(folded(...whole), { machine })).toMatchObject([
    {
      step: 7,
      end_was: '{"kind":"answered","text":"It is x.","ended_early":null}',
      end_now: '{"kind":"answered","text":"Other.","ended_early":null}',
    },
  ]);
});
