import { expect, test } from "vitest";
import { consideredArcs, consideredAtStart } from "../../src/machine/explain-step.ts";
import { after, input, loaded, loadSkill, refused, wants } from "../helpers/turn.ts";

const noRetries = input({ limits: { max_retries: 0, max_steps: 12, max_asks: 3 } });

/** Where an arc stands in the chart. */
const done = (from: string, index: number) => ({
  from,
  source: `turn.${from}`,
  event: `xstate.done.actor.${from}`,
  index,
});
const always = (index: number) => ({
  from: "fail_recovery",
  source: "turn.fail_recovery",
  event: "",
  index,
});

test("the guards in the chart's order, up to the one that was true", () => {
  expect(consideredArcs(after(input()), wants("skill_call", loadSkill)).slice(-2)).toStrictEqual([
    { ...done("skill_call", 3), guard: "wants_nothing", target: "answer", allowed: false },
    { ...done("skill_call", 4), guard: "wants_calls", target: "tool_use", allowed: true },
  ]);
});

test("a state that is passed through shows its guards, too", () => {
  const before = after(noRetries, wants("skill_call", loadSkill), loaded);
  const arcs = consideredArcs(before, refused("tool_call", { code: "no_block", bare_json: false }));
  expect(arcs.filter(({ allowed }) => allowed)).toStrictEqual([
    { ...done("tool_call", 7), guard: "is_refused", target: "fail_recovery", allowed: true },
    { ...always(2), guard: "max_retries", target: "answer", allowed: true },
  ]);
});

test("a state that is stayed in shows that none of its ways on was open", () => {
  const before = after(input(), wants("skill_call", loadSkill), loaded);
  const arcs = consideredArcs(before, refused("tool_call", { code: "no_block", bare_json: false }));
  expect(arcs.filter(({ from }) => from === "fail_recovery")).toStrictEqual([
    { ...always(0), guard: "answer_given_up", target: "fallback", allowed: false },
    { ...always(1), guard: "no_progress", target: "answer", allowed: false },
    { ...always(2), guard: "max_retries", target: "answer", allowed: false },
  ]);
});

test("an abort is taken in every state, without a guard", () => {
  expect(consideredArcs(after(input()), { type: "abort", by: "user" })).toStrictEqual([
    {
      from: "skill_call",
      source: "turn",
      event: "abort",
      index: 0,
      guard: "",
      target: "stopped",
      allowed: true,
    },
  ]);
});

test("a turn that begins with nothing to load and nothing to use goes straight to its answer", () => {
  const start = consideredAtStart(input({ skills: [] }));
  expect(start.map(({ guard, allowed }) => [guard, allowed])).toStrictEqual([
    ["only_tools_at_hand", false],
    ["nothing_at_hand", true],
  ]);
  expect(start[1]).toMatchObject({ source: "turn.skill_call", event: "", index: 1 });
});
