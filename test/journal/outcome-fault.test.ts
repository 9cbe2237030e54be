import { describe, expect, test } from "vitest";
import { outcomeFault } from "../../src/journal/outcome-fault.ts";
import type { ActorName } from "../../src/journal/record.ts";
import { after, input, loaded, loadSkill, readA, refused, tool, wants } from "../helpers/turn.ts";

const usage = { input_tokens: 1, output_tokens: 1, estimated: true };
const said = { reply: "x", usage };
const observation = { output: "", exit_code: 0, signal: null, duration_ms: 1 };

const loading = [wants("skill_call", loadSkill), loaded];
const at = {
  skill_call: after(input()),
  tool_use: after(input(), wants("skill_call", loadSkill)),
  tool_call: after(input(), ...loading),
  answer: after(input(), ...loading, wants("tool_call")),
  ask_user_question: after(input(), {
    type: "xstate.done.actor.skill_call",
    actorId: "skill_call",
    output: { kind: "question", questions: ["Which?"], ...said },
  }),
  fail_recovery: after(input(), refused("skill_call", { code: "empty" })),
};

test.each([
  ["skill_call", { kind: "calls", calls: [loadSkill], ...said }],
  ["skill_call", { kind: "calls", calls: [], ...said }],
  ["skill_call", { kind: "question", questions: ["Which?"], ...said }],
  ["tool_call", { kind: "refused", problem: { code: "empty" }, example: readA, ...said }],
  [
    "tool_call",
    {
      kind: "failed",
      problem: { code: "backend", fault: "throttled", message: "wait", retryable: true },
      ...said,
    },
  ],
  ["answer", { kind: "text", text: "Hi.", ...said }],
  ["tool_use", { kind: "result", effect: "read", observation }],
  ["tool_use", { kind: "already_done" }],
  ["tool_use", { kind: "needs_permission", question: "Run it?" }],
  [
    "tool_use",
    {
      kind: "failed",
      problem: { code: "script_timed_out", tool: "read_file", timeout_ms: 5 },
      effect: "read",
      observation: { ...observation, exit_code: null, signal: "SIGTERM" },
    },
  ],
  ["ask_user_question", { kind: "reply", text: "this one" }],
  ["ask_user_question", { kind: "no_reply" }],
  ["fail_recovery", null],
  ["fail_recovery", undefined],
] as [ActorName, unknown][])("%s can give back %j", (of, output) => {
  expect(outcomeFault(at[of], of, output)).toBeNull();
});

const calls = 'a list of calls, each { "name": text, "input": {} }';
const watched =
  '{ "output": text, "exit_code": number or null, "signal": text or null, "duration_ms": number }';
test.each([
  ["skill_call", { kind: "text", text: "Hi.", ...said }, 'skill_call has no outcome "text"'],
  ["skill_call", "calls", 'skill_call has no outcome "undefined"'],
  ["skill_call", null, 'skill_call has no outcome "undefined"'],
  ["skill_call", [], 'skill_call has no outcome "undefined"'],
  ["skill_call", { kind: "constructor" }, 'skill_call has no outcome "constructor"'],
  [
    "tool_call",
    { kind: "calls", calls: [{ name: "", input: {} }], ...said },
    `tool_call, "calls": "calls" has to be ${calls}`,
  ],
  [
    "tool_call",
    { kind: "calls", calls: [{ name: "ask_user_question", input: { question: "?" } }], ...said },
    'a question is no call: give { "kind": "question", "questions": […] } with the same "reply" and "usage"',
  ],
  [
    "tool_call",
    { kind: "question", questions: [], ...said },
    'tool_call, "question": "questions" has to be a list of texts with at least one',
  ],
  ["answer", { kind: "text", text: 5, ...said }, 'answer, "text": "text" has to be a text'],
  ["answer", { kind: "text", text: "Hi.", usage }, 'answer, "text": "reply" has to be a text'],
  [
    "answer",
    { kind: "text", text: "Hi.", reply: "Hi." },
    'answer, "text": "usage" has to be { "input_tokens": number, "output_tokens": number, "estimated": true or false }',
  ],
  [
    "answer",
    { kind: "refused", problem: { code: "nonsense" }, example: null, ...said },
    'answer, "refused": "problem" has to be a problem with its code and all that belongs to it',
  ],
  [
    "answer",
    { kind: "failed", problem: { code: "empty" }, ...said },
    'answer, "failed": "problem" has to be a problem with the code "backend" and all that belongs to it',
  ],
  [
    "tool_use",
    { kind: "result", effect: "good", observation },
    'tool_use, "result": "effect" has to be "read", "write" or "destructive"',
  ],
  [
    "tool_use",
    { kind: "result", effect: "read", observation: null },
    `tool_use, "result": "observation" has to be ${watched}`,
  ],
  [
    "tool_use",
    { kind: "failed", problem: { code: "empty" }, effect: "read" },
    `tool_use, "failed": "observation" has to be ${watched}, or null`,
  ],
  [
    "ask_user_question",
    { kind: "yes" },
    'the question is not one of yes or no: give { "kind": "reply", "text": … }',
  ],
  [
    "tool_use",
    { kind: "skill_loaded", name: "other", has_tools: true },
    'there is no skill "other" to load; there is file-ops',
  ],
  ["fail_recovery", {}, "fail_recovery gives nothing back"],
  ["fail_recovery", "ready", "fail_recovery gives nothing back"],
] as [ActorName, unknown, string][])("%s cannot give back %j", (of, output, why) => {
  expect(outcomeFault(at[of], of, output)).toBe(why);
});

test("to yes or no, a text is no reply", () => {
  const asked = after(
    input(),
    wants("skill_call", loadSkill),
    tool({ kind: "needs_permission", question: "Run it?" }),
  );
  expect(outcomeFault(asked, "ask_user_question", { kind: "yes" })).toBeNull();
  expect(outcomeFault(asked, "ask_user_question", { kind: "reply", text: "yes" })).toBe(
    "ask_user_question has no way on for this",
  );
});

describe("an output that comes at the wrong place", () => {
  test("is not of an actor at work", () => {
    expect(outcomeFault(at.skill_call, "answer", { kind: "text", text: "Hi.", ...said })).toBe(
      "something came from answer, but the turn is in skill_call",
    );
  });

  test("is of a turn that has ended", () => {
    const ended = after(input(), { type: "abort", by: "user" });
    expect(outcomeFault(ended, "skill_call", { kind: "calls", calls: [], ...said })).toBe(
      "the turn had ended in stopped",
    );
  });
});
