import { assign } from "xstate";
import { describe, expect, test } from "vitest";
import { turnMachine } from "../../src/machine/turn.machine.ts";
import type { TurnInput } from "../../src/machine/turn.types.ts";
import { boundsOf } from "../../src/proof/bounds.ts";
import type { TurnSnapshot } from "../../src/machine/turn.machine.ts";
import { prove } from "../../src/proof/prove.ts";
import { explore } from "../../src/proof/quotient.ts";
import { Graph, keyOf } from "../paths/paths.ts";

const limits = (max_retries: number, max_steps: number, max_asks: number) => ({
  max_retries,
  max_steps,
  max_asks,
});
const input = (given: ReturnType<typeof limits>): TurnInput => ({
  messages: [],
  loaded_skills: [],
  question: "?",
  nonce: "",
  skills: [
    { name: "base", is_default: true, has_tools: true },
    { name: "skill", is_default: false, has_tools: true },
  ],
  limits: given,
});
const shared = explore(turnMachine);

const isModel = (state: string) => ["skill_call", "tool_call", "answer"].includes(state);

/** The largest sum of weights on any way from the first configuration, all budgets counted as they are. */
function longest(graph: Graph, weight: (from: TurnSnapshot, to: TurnSnapshot) => number): number {
  const best = new Map<string, number>();
  const from = (at: TurnSnapshot): number => {
    const key = keyOf(at);
    const known = best.get(key);
    if (known !== undefined) return known;
    const edges = at.status === "active" ? graph.edges(at) : [];
    const most = Math.max(0, ...edges.map(({ after }) => weight(at, after) + from(after)));
    best.set(key, most);
    return most;
  };
  return from(graph.first);
}

describe("the proof of the machine that ships", () => {
  test("with the limits that ship: no way round, and the exact worst case", () => {
    expect(prove({ limits: limits(3, 12, 3) })).toStrictEqual({
      limits: limits(3, 12, 3),
      holds: true,
      nodes: 1107,
      cycle: null,
      bounds: {
        configurations: 18633,
        edges: 181306,
        model_calls: 21,
        tool_runs: 12,
        questions: 3,
      },
      finals: ["answered", "fallback", "stopped"],
      deaf_to_abort: [],
      dead_ends: [],
      broken: [],
      cost: null,
    });
  });

  test.each([
    // retries, steps, asks → model calls: one to route, one to find that nothing is to be done, one to answer; one for each retry, step and question
    [0, 0, 0, 3],
    [1, 0, 0, 4],
    [0, 1, 0, 4],
    [0, 0, 1, 4],
    [1, 1, 1, 6],
    [2, 3, 1, 9],
    [3, 50, 3, 59],
  ])("%i retries, %i steps, %i asks: at most %i model calls", (retries, steps, asks, calls) => {
    const bounds = boundsOf(shared, limits(retries, steps, asks));
    expect(bounds.model_calls).toBe(calls);
    expect(bounds.tool_runs).toBe(steps);
    expect(bounds.questions).toBe(asks);
  });

  test.each([
    ["max_steps", ["tool_call", "one call", "tool_use", "it ran (read)", "tool_call"]],
    ["max_asks", ["answer", "a question", "ask_user_question", "a reply", "answer"]],
    ["max_retries", ["fail_recovery", "waited", "answer", "no good reply", "fail_recovery"]],
  ])("%s without end is refused, and the way round is shown", (limit, expected) => {
    const report = prove({ limits: { ...limits(3, 12, 3), [limit]: Number.POSITIVE_INFINITY } });
    expect(report.holds).toBe(false);
    expect(report.bounds).toBeNull();
    expect(report.cycle).toStrictEqual(expected);
  });

  test("what a model takes and costs gives the most tokens and money", () => {
    const profile = {
      window_tokens: 8000,
      output_tokens_max: 2000,
      input_usd_per_million: 0.5,
      output_usd_per_million: 2,
    };
    expect(prove({ limits: limits(1, 1, 1), profile }).cost).toStrictEqual({
      tokens_max: 60_000,
      usd_max: 0.048,
    });
  });
});

describe("the prediction: what follows from some or none is what real budgets give", () => {
  test.each([
    [limits(0, 0, 0), 3, 0, 0],
    [limits(0, 1, 0), 4, 1, 0],
    [limits(1, 1, 1), 6, 1, 1],
    [limits(1, 2, 1), 7, 2, 1],
  ])("%o", (given, model_calls, tool_runs, questions) => {
    const explored = new Graph(input(given));
    const found = {
      // The first configuration waits for a model call already.
      model_calls: 1 + (longest(explored, (_from, to) => (isModel(to.value) ? 1 : 0)) ?? -1),
      tool_runs: longest(
        explored,
        ({ context: before }, { context: after }) => before.budget.steps - after.budget.steps,
      ),
      questions: longest(explored, (_from, to) => (to.value === "ask_user_question" ? 1 : 0)),
    };
    expect(found).toStrictEqual({ model_calls, tool_runs, questions });
    expect(boundsOf(shared, given)).toMatchObject(found);
  });
});

describe("a machine with a bug", () => {
  test("that spends no retries has a way round", () => {
    const machine = turnMachine.provide({ actions: { spend_retry: () => {} } });
    const { holds, cycle, bounds } = prove({ limits: limits(3, 12, 3), machine });
    expect({ holds, bounds }).toStrictEqual({ holds: false, bounds: null });
    expect(cycle).toContain("fail_recovery");
  });

  test("that spends two steps at once does not count as some or none", () => {
    const machine = turnMachine.provide({
      actions: {
        spend_step: assign(({ context: { budget } }) => ({
          budget: { ...budget, steps: budget.steps - 2 },
        })),
      },
    });
    const { holds, broken } = prove({ limits: limits(1, 2, 1), machine });
    expect(holds).toBe(false);
    expect(broken).toContain("tool_call, one call: the last of steps makes a difference");
  });
});
