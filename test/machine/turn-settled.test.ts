import { describe, expect, test } from "vitest";
import { ledger } from "../../src/guardrails/ledger.ts";
import type { Problem } from "../../src/contracts/problem.ts";
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
const scriptFailed: Problem = {
  code: "script_failed",
  tool: "read_file",
  exit_code: 1,
  signal: null,
};
const toToolCall = [wants("skill_call", loadSkill), loaded];
const drop = call("delete_file", { path: "a.txt" });
const write = call("update_file", { path: "b.txt", content: "b" });
const needsPermission = tool({ kind: "needs_permission", question: "delete a.txt?" });
const onlyText = input({ skills: [{ name: "style", is_default: false, has_tools: false }] });

describe("what a reply cost", () => {
  test.each([
    ["the same refusal three times", ["a", "a", "a"], 3],
    ["retries used up", ["a", "b", "c", "d"], 4],
  ])("is counted once where it ends the calls: %s", (_name, replies, calls) => {
    const events = replies.flatMap((reply) => [refused("skill_call", noBlock, reply), waited]);
    const { context, value } = after(input(), ...events.slice(0, -1));
    expect(value).toBe("answer");
    expect(context.usage.skill_call).toEqual({
      calls,
      input_tokens: 10 * calls,
      output_tokens: 5 * calls,
      estimated: false,
    });
  });
});

describe("a failure of the service", () => {
  test("is no mistake of the model: the first refusal after it is a first one", () => {
    const { context } = after(
      input(),
      backendFailed("skill_call", true),
      waited,
      backendFailed("skill_call", true),
      waited,
      refused("skill_call", noBlock),
    );
    expect(context.attempt).toBe(1);
    expect(context.faults).toBe(0);
  });

  test("keeps the count of the mistakes before it", () => {
    const { context } = after(
      input(),
      refused("skill_call", noBlock, "a"),
      waited,
      backendFailed("skill_call", true),
      waited,
      refused("skill_call", noBlock, "b"),
    );
    expect(context.attempt).toBe(2);
  });
});

describe("what the user said", () => {
  const askedToDrop = [...toToolCall, wants("tool_call", drop), needsPermission];

  test("a no holds, whatever was written after it", () => {
    const state = after(
      input(),
      ...askedToDrop,
      user({ kind: "no" }),
      wants("tool_call", write),
      printed("", "write"),
      wants("tool_call", drop),
    );
    expect(state.value).toBe("answer");
    expect(ledger(state.context.log).map(({ outcome }) => outcome)).toEqual(["denied", "done"]);
  });

  test("a yes is for one run", () => {
    const dropped = [...askedToDrop, user({ kind: "yes" })];
    expect(after(input(), ...dropped).context.allowed).toHaveLength(1);
    expect(after(input(), ...dropped, printed("", "destructive")).context.allowed).toEqual([]);
    expect(after(input(), ...dropped, failedWith(scriptFailed, true)).context.allowed).toEqual([]);
  });

  test("questions that cannot be put any more are named, all of them", () => {
    const oneAsk = input({ limits: { max_retries: 3, max_steps: 12, max_asks: 1 } });
    const { context } = after(
      oneAsk,
      asks("skill_call", "Which?", "When?", "Where?"),
      user({ kind: "reply", text: "that" }),
    );
    expect(context.log.at(-1)).toEqual({
      kind: "notice",
      notice: { code: "max_asks", question: "When? Where?" },
    });
    const noAsk = input({ limits: { max_retries: 3, max_steps: 12, max_asks: 0 } });
    expect(after(noAsk, asks("skill_call", "Which?", "When?")).context.log.at(-1)).toEqual({
      kind: "notice",
      notice: { code: "max_asks", question: "Which? When?" },
    });
  });
});

test("a call that was done already does not make the mistake beside it a first one", () => {
  const wrong = call("read_file", {});
  const bad = failedWith({ code: "bad_argument", tool: "read_file", faults: [] });
  const { context } = after(
    input(),
    ...toToolCall,
    wants("tool_call", readA, wrong),
    printed("A"),
    bad,
    waited,
    wants("tool_call", readA, wrong),
    tool({ kind: "already_done" }),
    bad,
  );
  expect(context.attempt).toBe(2);
  expect(context.refused.times).toBe(2);
});

test("another mistake than before is a first one: a script's first failure is not told as the third", () => {
  const state = after(
    input(),
    ...toToolCall,
    refused("tool_call", noBlock),
    waited,
    refused("tool_call", { code: "empty" }, ""),
    waited,
    wants("tool_call", readA),
    failedWith(scriptFailed, true),
    waited,
    refused("tool_call", noBlock),
  );
  const attempts = state.context.log.flatMap((entry) =>
    entry.kind === "refusal" || entry.kind === "failure" ? [entry.attempt] : [],
  );
  expect(attempts).toEqual([1, 1, 1, 2]);
});

test("a script that failed goes back to tool_call, even where it was called while skills were chosen", () => {
  const state = after(
    input(),
    wants("skill_call", loadSkill, readA),
    loaded,
    failedWith(scriptFailed, true),
    waited,
  );
  expect(state.value).toBe("tool_call");
});

test("skills that only instruct need no tool_call: the model is not asked for calls it cannot make", () => {
  expect(
    after(
      onlyText,
      wants("skill_call", call("load_skill", { skill_name: "style" })),
      tool({ kind: "skill_loaded", name: "style", has_tools: false }),
    ).value,
  ).toBe("answer");
});

test("an attachment that was answered is not put to the next question again", () => {
  const { context } = after(input({ skills: [], attachment: "1\n2" }), says("three"));
  expect(context.attachment).toBe("");
  const stopped = after(input({ attachment: "1\n2" }), { type: "abort", by: "user" });
  expect(stopped.context.attachment).toBe("1\n2");
});

test("the rest of a list is dropped with its question", () => {
  const noAsks = input({ limits: { max_retries: 3, max_steps: 12, max_asks: 0 } });
  const { context, value } = after(
    noAsks,
    ...toToolCall,
    wants("tool_call", drop, readB),
    needsPermission,
  );
  expect(value).toBe("answer");
  expect(context.queue).toEqual([]);
  expect(context.log.slice(-2)).toEqual([
    { kind: "notice", notice: { code: "max_asks", question: "delete a.txt?" } },
    { kind: "notice", notice: { code: "dropped", calls: [drop, readB] } },
  ]);
});
