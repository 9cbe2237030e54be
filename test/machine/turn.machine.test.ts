import { initialTransition } from "xstate";
import { describe, expect, test } from "vitest";
import type { Call } from "../../src/contracts/call.ts";
import type { Problem } from "../../src/contracts/problem.ts";
import { turnMachine } from "../../src/machine/turn.machine.ts";
import type { TurnEvent, TurnInput } from "../../src/machine/turn.types.ts";
import {
  after,
  asks,
  backendFailed,
  call,
  failedWith,
  input,
  loaded,
  loadSkill,
  printed,
  readA,
  readB,
  refused,
  says,
  tool,
  user,
  waited,
  wants,
} from "../helpers/turn.ts";

const noBlock: Problem = { code: "no_block", bare_json: false };
const unknownSkill: Problem = { code: "unknown_skill", name: "calendar", known: ["file-ops"] };
const unknownTool: Problem = { code: "unknown_tool", name: "reed", known: ["read_file"] };
const toToolCall = [wants("skill_call", loadSkill), loaded];
const noAsks = input({ limits: { max_retries: 3, max_steps: 12, max_asks: 0 } });
const noSteps = input({ limits: { max_retries: 3, max_steps: 0, max_asks: 3 } });
const oneStep = input({ limits: { max_retries: 3, max_steps: 1, max_asks: 3 } });
const twoSteps = input({ limits: { max_retries: 3, max_steps: 2, max_asks: 3 } });
const noRetries = input({ limits: { max_retries: 0, max_steps: 12, max_asks: 3 } });
const nothing = input({ skills: [] });
const onlyDefault = input({ skills: [{ name: "memory", is_default: true, has_tools: true }] });
const onlyDefaultText = input({ skills: [{ name: "style", is_default: true, has_tools: false }] });
const alreadyLoaded = input({ loaded_skills: ["file-ops"] });
const needsPermission = tool({ kind: "needs_permission", question: "delete a.txt?" });
const crash = (id: string): TurnEvent =>
  ({ type: `xstate.error.actor.${id}`, actorId: id, error: new TypeError("boom") }) as TurnEvent;

describe("where each outcome goes", () => {
  const rows: [string, TurnInput, TurnEvent[], string][] = [
    ["nothing to route and no tools: no model call for routing", nothing, [], "answer"],
    ["only a default skill with tools: straight to tool_call", onlyDefault, [], "tool_call"],
    ["only a default skill without tools: straight to answer", onlyDefaultText, [], "answer"],
    [
      "every skill loaded in an earlier turn: straight to tool_call",
      alreadyLoaded,
      [],
      "tool_call",
    ],
    ["a skill to choose: skill_call", input(), [], "skill_call"],
    ["skill_call: no skill wanted, none loaded", input(), [wants("skill_call")], "answer"],
    [
      "skill_call: no skill wanted, a default skill has tools",
      input({ skills: [...input().skills, { name: "memory", is_default: true, has_tools: true }] }),
      [wants("skill_call")],
      "tool_call",
    ],
    ["skill_call: a skill", input(), [wants("skill_call", loadSkill)], "tool_use"],
    ["skill_call: a skill, loaded", input(), toToolCall, "tool_call"],
    ["skill_call: a question", input(), [asks("skill_call", "Which one?")], "ask_user_question"],
    ["skill_call: a question, no asks left", noAsks, [asks("skill_call", "Which one?")], "answer"],
    ["skill_call: a refused reply", input(), [refused("skill_call", noBlock)], "fail_recovery"],
    ["skill_call: calls, no steps left", noSteps, [wants("skill_call", loadSkill)], "answer"],
    [
      "skill_call: a fault worth a retry",
      input(),
      [backendFailed("skill_call", true)],
      "fail_recovery",
    ],
    ["skill_call: a fault that stays", input(), [backendFailed("skill_call", false)], "fallback"],
    ["skill_call: a bug", input(), [crash("skill_call")], "fallback"],
    ["tool_call: nothing wanted", input(), [...toToolCall, wants("tool_call")], "answer"],
    ["tool_call: new calls", input(), [...toToolCall, wants("tool_call", readA)], "tool_use"],
    [
      "tool_call: calls, no steps left",
      oneStep,
      [...toToolCall, wants("tool_call", readA)],
      "answer",
    ],
    [
      "tool_call: a question",
      input(),
      [...toToolCall, asks("tool_call", "Which one?")],
      "ask_user_question",
    ],
    [
      "tool_call: a refused reply",
      input(),
      [...toToolCall, refused("tool_call", noBlock)],
      "fail_recovery",
    ],
    [
      "tool_call: a fault worth a retry",
      input(),
      [...toToolCall, backendFailed("tool_call", true)],
      "fail_recovery",
    ],
    [
      "tool_call: a fault that stays",
      input(),
      [...toToolCall, backendFailed("tool_call", false)],
      "fallback",
    ],
    [
      "tool_call: only calls that were already executed",
      input(),
      [...toToolCall, wants("tool_call", readA), printed("A"), wants("tool_call", readA)],
      "answer",
    ],
    [
      "tool_call: one executed and one new call",
      input(),
      [...toToolCall, wants("tool_call", readA), printed("A"), wants("tool_call", readA, readB)],
      "tool_use",
    ],
    [
      "tool_call: the same read after something was written is new",
      input(),
      [
        ...toToolCall,
        wants("tool_call", readA),
        printed("A"),
        wants("tool_call", call("update_file", { path: "a.txt" })),
        printed("", "write"),
        wants("tool_call", readA),
      ],
      "tool_use",
    ],
    [
      "tool_use: a result, more queued",
      input(),
      [...toToolCall, wants("tool_call", readA, readB), printed("A")],
      "tool_use",
    ],
    [
      "tool_use: a result, none left",
      input(),
      [...toToolCall, wants("tool_call", readA, readB), printed("A"), printed("B")],
      "tool_call",
    ],
    [
      "tool_use: a result, more queued, no steps left",
      twoSteps,
      [...toToolCall, wants("tool_call", readA, readB), printed("A")],
      "answer",
    ],
    [
      "tool_use: already done",
      input(),
      [...toToolCall, wants("tool_call", readA), tool({ kind: "already_done" })],
      "tool_call",
    ],
    [
      "tool_use: unknown tool",
      input(),
      [...toToolCall, wants("tool_call", readA), failedWith(unknownTool)],
      "fail_recovery",
    ],
    [
      "tool_use: an unknown tool goes back to tool_call",
      input(),
      [...toToolCall, wants("tool_call", readA), failedWith(unknownTool), waited],
      "tool_call",
    ],
    [
      "tool_use: an unknown skill goes back to skill_call",
      input(),
      [
        wants("skill_call", call("load_skill", { skill_name: "calendar" })),
        failedWith(unknownSkill),
        waited,
      ],
      "skill_call",
    ],
    [
      "tool_use: an unknown tool written in skill_call goes back to skill_call",
      input(),
      [wants("skill_call", readA), failedWith(unknownTool), waited],
      "skill_call",
    ],
    [
      "tool_use: not yet allowed",
      input(),
      [...toToolCall, wants("tool_call", readA), needsPermission],
      "ask_user_question",
    ],
    [
      "tool_use: not yet allowed, no asks left",
      noAsks,
      [...toToolCall, wants("tool_call", readA), needsPermission],
      "answer",
    ],
    [
      "the user says yes",
      input(),
      [...toToolCall, wants("tool_call", readA), needsPermission, user({ kind: "yes" })],
      "tool_use",
    ],
    [
      "the user says no",
      input(),
      [...toToolCall, wants("tool_call", readA), needsPermission, user({ kind: "no" })],
      "tool_call",
    ],
    [
      "a refused permission is not asked for twice",
      input(),
      [
        ...toToolCall,
        wants("tool_call", readA),
        needsPermission,
        user({ kind: "no" }),
        wants("tool_call", readA),
      ],
      "answer",
    ],
    [
      "nobody is there to confirm",
      input(),
      [...toToolCall, wants("tool_call", readA), needsPermission, user({ kind: "no_reply" })],
      "stopped",
    ],
    [
      "nobody is there to reply",
      input(),
      [asks("skill_call", "Which?"), user({ kind: "no_reply" })],
      "stopped",
    ],
    [
      "a reply goes back to skill_call",
      input(),
      [asks("skill_call", "Which?"), user({ kind: "reply", text: "a" })],
      "skill_call",
    ],
    [
      "a reply goes back to tool_call",
      input(),
      [...toToolCall, asks("tool_call", "Which?"), user({ kind: "reply", text: "a" })],
      "tool_call",
    ],
    [
      "a reply goes back to answer",
      nothing,
      [asks("answer", "Which?"), user({ kind: "reply", text: "a" })],
      "answer",
    ],
    [
      "nobody replies to a question in the answer: it is the answer",
      nothing,
      [asks("answer", "Which?"), user({ kind: "no_reply" })],
      "answered",
    ],
    [
      "several questions are put one at a time",
      input(),
      [asks("skill_call", "Which?", "How?"), user({ kind: "reply", text: "a" })],
      "ask_user_question",
    ],
    [
      "several questions, both answered",
      input(),
      [
        asks("skill_call", "Which?", "How?"),
        user({ kind: "reply", text: "a" }),
        user({ kind: "reply", text: "b" }),
      ],
      "skill_call",
    ],
    ["answer: text", nothing, [says("hello")], "answered"],
    [
      "answer: a question, no asks left, is the answer",
      input({ ...noAsks, skills: [] }),
      [asks("answer", "Which?")],
      "answered",
    ],
    ["answer: empty", nothing, [refused("answer", { code: "empty" })], "fail_recovery"],
    [
      "answer: empty, tried again",
      nothing,
      [refused("answer", { code: "empty" }), waited],
      "answer",
    ],
    ["answer: a fault that stays", nothing, [backendFailed("answer", false)], "fallback"],
    [
      "no retries: a refused call goes to the answer",
      noRetries,
      [refused("skill_call", noBlock)],
      "answer",
    ],
    [
      "no retries: a refused answer is the end",
      input({ ...noRetries, skills: [] }),
      [refused("answer", { code: "empty" })],
      "fallback",
    ],
  ];
  test.each(rows)("%s", (_name, given, events, state) => {
    expect(after(given, ...events).value).toBe(state);
  });
});

test.each([
  ["skill_call", []],
  ["tool_call", toToolCall],
  ["tool_use", [wants("skill_call", loadSkill)]],
  ["ask_user_question", [asks("skill_call", "Which?")]],
  ["fail_recovery", [refused("skill_call", noBlock)]],
  ["answer", [wants("skill_call")]],
] as [string, TurnEvent[]][])("%s accepts abort", (state, events) => {
  const before = after(input(), ...events);
  expect(before.value).toBe(state);
  const stopped = after(input(), ...events, { type: "abort", by: "user" });
  expect(stopped.value).toBe("stopped");
  expect(stopped.output).toEqual({ kind: "stopped", by: "user" });
});

test("flush_turn is a plain named action on entry, and nothing of the last turn is left", () => {
  const first = after(
    input(),
    wants("skill_call", loadSkill),
    loaded,
    wants("tool_call", readA),
    printed("A"),
    wants("tool_call"),
    says("It holds A."),
  );
  expect(first.output).toEqual({ kind: "answered", text: "It holds A.", ended_early: null });
  const [second, actions] = initialTransition(turnMachine, {
    ...first.context,
    question: "and b.txt?",
  });
  expect(actions.map(({ type }) => type)).toContain("flush_turn");
  const { context } = second;
  expect({ ...context, skills: [], limits: {} }).toEqual({
    messages: [
      { role: "user", text: "what is in a.txt?" },
      { role: "assistant", text: "It holds A." },
    ],
    loaded_skills: ["file-ops"],
    question: "and b.txt?",
    attachment: "",
    nonce: "n0nce",
    skills: [],
    limits: {},
    budget: { retries: 3, steps: 12, asks: 3 },
    log: [],
    queue: [],
    called_in: "skill_call",
    questions: [],
    pending: null,
    allowed: [],
    ran: [],
    problem: null,
    return_to: "skill_call",
    mistakes: [],
    attempt: 0,
    faults: 0,
    refused: { reply: "", times: 0 },
    asked_again: false,
    ended_early: null,
    outcome: null,
    usage: {
      skill_call: { calls: 0, input_tokens: 0, output_tokens: 0, estimated: false },
      tool_call: { calls: 0, input_tokens: 0, output_tokens: 0, estimated: false },
      answer: { calls: 0, input_tokens: 0, output_tokens: 0, estimated: false },
    },
  });
});

describe("recovery", () => {
  test("three retries with different wrong replies, then an honest answer", () => {
    const tries = ["a", "b", "c", "d"]
      .flatMap((reply) => [refused("skill_call", noBlock, reply), waited])
      .slice(0, -1);
    const state = after(input(), ...tries);
    expect(state.value).toBe("answer");
    expect(state.context.ended_early).toBe("max_retries");
    expect(state.context.budget.retries).toBe(0);
    expect(state.context.log.at(-1)).toEqual({
      kind: "notice",
      notice: { code: "max_retries", problem: { code: "no_block", bare_json: false } },
    });
  });

  test("the same reply refused for the third time is not asked for a fourth time", () => {
    const state = after(
      input(),
      refused("skill_call", noBlock),
      waited,
      refused("skill_call", noBlock),
      waited,
      refused("skill_call", noBlock),
    );
    expect(state.value).toBe("answer");
    expect(state.context.ended_early).toBe("no_progress");
    expect(state.context.budget.retries).toBe(1);
  });

  test("each refusal is counted, so that no two corrections read the same", () => {
    const state = after(
      input(),
      refused("skill_call", noBlock, "a"),
      waited,
      refused("skill_call", noBlock, "b"),
      waited,
    );
    const attempts = state.context.log.flatMap((entry) =>
      entry.kind === "refusal" ? [entry.attempt] : [],
    );
    expect(attempts).toEqual([1, 2]);
  });

  test("a good step makes the next mistake a first one again", () => {
    const state = after(
      input(),
      refused("skill_call", noBlock),
      waited,
      wants("skill_call", loadSkill),
      loaded,
      refused("tool_call", noBlock),
    );
    expect(state.context.attempt).toBe(1);
    expect(state.context.budget.retries).toBe(2);
  });

  test("if the answer fails as well, the turn ends in fallback and says why", () => {
    const state = after(
      input({ skills: [], limits: { max_retries: 1, max_steps: 1, max_asks: 1 } }),

      refused("answer", { code: "empty" }, ""),
      waited,
      refused("answer", { code: "cut_off", inside: "text" }, "x"),
    );
    expect(state.value).toBe("fallback");
    expect(state.output).toMatchObject({
      kind: "fallback",
      problem: { code: "cut_off", inside: "text" },
    });
  });

  test.each([
    ["the first wait", [backendFailed("skill_call", true)], 1000],
    [
      "the second wait",
      [backendFailed("skill_call", true), waited, backendFailed("skill_call", true)],
      2000,
    ],
    ["what the service asks for", [backendFailed("skill_call", true, 7000)], 7000],
    ["never more than a minute", [backendFailed("skill_call", true, 999_999)], 60_000],
    ["no wait before a correction", [refused("skill_call", noBlock)], 0],
  ] as [string, TurnEvent[], number][])("%s", (_name, events, wait_ms) => {
    const { fail_recovery } = after(input(), ...events).children;
    expect(fail_recovery?.getSnapshot()).toMatchObject({ input: { wait_ms } });
  });

  test("a failed call drops the rest of its list, and says so", () => {
    const state = after(
      input(),
      ...toToolCall,
      wants("tool_call", readA, readB),
      failedWith({ code: "script_failed", tool: "read_file", exit_code: 1, signal: null }, true),
    );
    expect(state.context.queue).toEqual([]);
    expect(state.context.log.at(-1)).toEqual({
      kind: "notice",
      notice: { code: "dropped", calls: [readB] },
    });
  });

  test("a script that failed and is called again just the same: to the answer, not round again", () => {
    const failed = failedWith(
      { code: "script_failed", tool: "read_file", exit_code: 1, signal: null },
      true,
    );
    const state = after(
      input(),
      ...toToolCall,
      wants("tool_call", readA),
      failed,
      waited,
      wants("tool_call", readA),
    );
    expect(state.value).toBe("answer");
  });
});

describe("the answer", () => {
  const claim: Problem = { code: "claimed_effect", claim: "I deleted it." };

  test("a claim of something that never ran is put back once", () => {
    expect(after(nothing, refused("answer", claim, "I deleted it."), waited).value).toBe("answer");
  });

  test("the second claim is kept with the truth under it", () => {
    const state = after(
      nothing,
      refused("answer", claim, "I deleted it."),
      waited,
      refused("answer", claim, "I deleted it!"),
    );
    expect(state.value).toBe("answered");
    expect(state.output).toEqual({
      kind: "answered",
      text: "I deleted it!\n\n(Note from the harness: no tool has done this in this turn. Nothing was changed by it.)",
      ended_early: null,
    });
  });

  test("an attachment is part of what the conversation remembers", () => {
    const state = after(input({ skills: [], attachment: "1\n2" }), says("three"));
    expect(state.context.messages).toEqual([
      { role: "user", text: "what is in a.txt?\n\n1\n2" },
      { role: "assistant", text: "three" },
    ]);
  });

  test("a stopped turn leaves the conversation as it was", () => {
    expect(after(input(), { type: "abort", by: "timeout" }).context.messages).toEqual([]);
  });
});

test("two calls that undo each other over and over end as going round", () => {
  const [a, b] = ["a", "b"].map((content) => call("update_file", { path: "x", content })) as [
    Call,
    Call,
  ];
  const round = [
    wants("tool_call", a),
    printed("", "write"),
    wants("tool_call", b),
    printed("", "write"),
  ];
  const state = after(
    input(),
    ...toToolCall,
    ...round,
    wants("tool_call", a),
    printed("", "write"),
    wants("tool_call", b),
  );
  expect(state.value).toBe("answer");
  expect(state.context.ended_early).toBe("going_round");
});

test("every state of the design is there, and every branch of a choice has a guard of its own", () => {
  const { states } = turnMachine.root;
  expect(Object.keys(states)).toEqual([
    "skill_call",
    "tool_call",
    "tool_use",
    "ask_user_question",
    "fail_recovery",
    "answer",
    "answered",
    "fallback",
    "stopped",
  ]);
  for (const node of Object.values(states))
    for (const branches of [...node.transitions.values(), node.always ?? []])
      if (branches.length > 1) {
        const names = branches.map(({ guard }) => (typeof guard === "string" ? guard : undefined));
        expect(new Set(names).size).toBe(branches.length);
        expect(names).not.toContain(undefined);
      }
});

test("the machine is bounded against runaway transitions", () => {
  expect(turnMachine.options?.maxIterations).toBe(100);
});

test("a turn survives being written down as JSON at every step", () => {
  const events = [
    ...toToolCall,
    wants("tool_call", readA),
    needsPermission,
    user({ kind: "yes" }),
    printed("A"),
    wants("tool_call"),
    says("A"),
  ];
  for (let length = 0; length <= events.length; length++) {
    const { context } = after(input(), ...events.slice(0, length));
    expect(JSON.parse(JSON.stringify(context))).toEqual(context);
  }
});
