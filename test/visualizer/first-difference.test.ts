import { expect, test } from "vitest";
import type { Run, StepView } from "../../src/inspector/protocol.ts";
import { firstDifference, isSameStep } from "../../visualizer/first-difference.ts";

const step = (title: string, changes: Partial<StepView> = {}): StepView => ({
  turn: 1,
  line: 1,
  at: 0,
  kind: "tool",
  type: "xstate.done.actor.tool_use",
  title,
  ok: true,
  by: null,
  from: [],
  to: ["turn.tool_call"],
  arcs: [],
  actions: [],
  patch: {},
  output: { kind: "result" },
  blocks: [],
  budget: null,
  remaining: null,
  asks_model: false,
  can_fork: true,
  ended: null,
  ...changes,
});

const run = (id: number, titles: string[], fork: Run["fork"] = null): Run => ({
  id,
  name: String(id),
  session: null,
  fork,
  steps: titles.map((title) => step(title)),
});

test("the first step that is another one", () => {
  expect(firstDifference(run(0, ["a", "b", "c"]), run(1, ["a", "x", "c"]))).toBe(1);
});

test("a run that goes on longer differs where the other ends", () => {
  expect(firstDifference(run(0, ["a", "b"]), run(1, ["a", "b", "c"]))).toBe(2);
  expect(firstDifference(run(0, ["a", "b", "c"]), run(1, ["a", "b"]))).toBe(2);
});

test("two runs that are the same have none", () => {
  expect(firstDifference(run(0, ["a", "b"]), run(1, ["a", "b"]))).toBeNull();
  expect(firstDifference(run(0, []), run(1, []))).toBeNull();
});

test("a fork is not compared before the step where it leaves, from either side", () => {
  const first = run(0, ["a", "b", "c"]);
  const fork = run(1, ["not looked at", "b", "x"], { run: 0, step: 1 });
  expect(firstDifference(first, fork)).toBe(2);
  expect(firstDifference(fork, first)).toBe(2);
});

test("two forks of one run are compared from where the earlier one leaves", () => {
  const early = run(1, ["a", "x"], { run: 0, step: 1 });
  const late = run(2, ["a", "b", "y"], { run: 0, step: 2 });
  expect(firstDifference(early, late)).toBe(1);
});

test("when it came, who gave it and how long it took make no difference", () => {
  const one = step("a", {
    at: 1,
    line: 2,
    output: { observation: { output: "x", duration_ms: 1 } },
  });
  const other = step("a", {
    at: 9,
    line: 7,
    by: "recording",
    output: { observation: { output: "x", duration_ms: 8 } },
  });
  expect(isSameStep(one, other)).toBe(true);
});

test.each<[string, Partial<StepView>]>([
  ["state", { to: ["turn.answer"] }],
  ["event", { type: "abort" }],
  ["success", { ok: false }],
  ["output", { output: { kind: "failed" } }],
])("another %s makes another step", (_, changes) => {
  expect(isSameStep(step("a"), step("a", changes))).toBe(false);
});
