import { expect, test } from "vitest";
import { consideredArcs } from "../../src/machine/explain-step.ts";
import { after, input, loaded, loadSkill, refused, wants } from "../helpers/turn.ts";

const noRetries = input({ limits: { max_retries: 0, max_steps: 12, max_asks: 3 } });

test("the guards in the chart's order, up to the one that was true", () => {
  expect(consideredArcs(after(input()), wants("skill_call", loadSkill)).slice(-2)).toStrictEqual([
    { from: "skill_call", guard: "wants_nothing", target: "answer", allowed: false },
    { from: "skill_call", guard: "wants_calls", target: "tool_use", allowed: true },
  ]);
});

test("a state that is passed through shows its guards, too", () => {
  const before = after(noRetries, wants("skill_call", loadSkill), loaded);
  const arcs = consideredArcs(before, refused("tool_call", { code: "no_block", bare_json: false }));
  expect(arcs.filter(({ allowed }) => allowed)).toStrictEqual([
    { from: "tool_call", guard: "is_refused", target: "fail_recovery", allowed: true },
    { from: "fail_recovery", guard: "max_retries", target: "answer", allowed: true },
  ]);
});

test("a state that is stayed in shows that none of its ways on was open", () => {
  const before = after(input(), wants("skill_call", loadSkill), loaded);
  const arcs = consideredArcs(before, refused("tool_call", { code: "no_block", bare_json: false }));
  expect(arcs.filter(({ from }) => from === "fail_recovery")).toStrictEqual([
    { from: "fail_recovery", guard: "answer_given_up", target: "fallback", allowed: false },
    { from: "fail_recovery", guard: "no_progress", target: "answer", allowed: false },
    { from: "fail_recovery", guard: "max_retries", target: "answer", allowed: false },
  ]);
});

test("an abort is taken in every state, without a guard", () => {
  expect(consideredArcs(after(input()), { type: "abort", by: "user" })).toStrictEqual([
    { from: "skill_call", guard: "", target: "stopped", allowed: true },
  ]);
});
