import { initialTransition } from "xstate";
import { describe, expect, test } from "vitest";
import { turnMachine } from "../../src/machine/turn.machine.ts";
import type { TurnInput } from "../../src/machine/turn.types.ts";
import type { Snapshot } from "../../src/proof/machine.ts";
import { choices, type Choice } from "../../src/proof/outcomes.ts";
import { prove } from "../../src/proof/prove.ts";
import { stepOf } from "../../src/proof/step.ts";

const limits = (max_retries: number, max_steps: number, max_asks: number) => ({
  max_retries,
  max_steps,
  max_asks,
});
const input = (given: ReturnType<typeof limits>, has_tools = true): TurnInput => ({
  messages: [],
  loaded_skills: [],
  question: "?",
  nonce: "",
  skills: [{ name: "skill", is_default: false, has_tools }],
  limits: given,
});
const step = stepOf(turnMachine);

/** What a turn has used so far, counted from outside. */
interface Used {
  model_calls: number;
  tool_runs: number;
  questions: number;
}
const isModel = (state: string) => ["skill_call", "tool_call", "answer"].includes(state);

/** Plays a turn to its end; `pick` is the world. */
function play(given: TurnInput, pick: (possible: Choice[], at: Snapshot) => Choice): Used {
  let [snapshot] = initialTransition(turnMachine, given);
  const used = { model_calls: isModel(snapshot.value) ? 1 : 0, tool_runs: 0, questions: 0 };
  for (let steps = 0; snapshot.status === "active"; steps++) {
    if (steps > 500) throw new Error("the turn does not end");
    const before: Snapshot = snapshot;
    snapshot = step(before, pick(choices(before), before).event);
    if (isModel(snapshot.value)) used.model_calls += 1;
    if (snapshot.value === "ask_user_question") used.questions += 1;
    used.tool_runs += before.context.budget.steps - snapshot.context.budget.steps;
  }
  return used;
}

/** Chance that is the same in every run (mulberry32). */
function chance(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let value = Math.imul(state ^ (state >>> 15), 1 | state);
    value = (value + Math.imul(value ^ (value >>> 7), 61 | value)) ^ value;
    return ((value ^ (value >>> 14)) >>> 0) / 4294967296;
  };
}

describe("the proof of the machine that ships", () => {
  test("with the limits that ship: no way round, and the exact worst case", () => {
    expect(prove({ limits: limits(3, 12, 3) })).toStrictEqual({
      limits: limits(3, 12, 3),
      holds: true,
      nodes: 1663,
      cycle: null,
      bounds: {
        configurations: 14464,
        edges: 114495,
        model_calls: 20,
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
    // retries, steps, asks → model calls: one to route, one for each step, retry and question, one to answer
    [0, 0, 0, 2],
    [1, 0, 0, 3],
    [0, 1, 0, 3],
    [0, 0, 1, 3],
    [1, 1, 1, 5],
    [2, 3, 1, 8],
    [3, 50, 3, 58],
  ])("%i retries, %i steps, %i asks: at most %i model calls", (retries, steps, asks, calls) => {
    const { bounds } = prove({ limits: limits(retries, steps, asks) });
    expect(bounds?.model_calls).toBe(calls);
    expect(bounds?.tool_runs).toBe(steps);
    expect(bounds?.questions).toBe(asks);
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
      tokens_max: 50_000,
      usd_max: 0.04,
    });
  });
});

describe("a world that means ill", () => {
  test("9,900 turns of chance: none is longer than proved", () => {
    const next = chance(7);
    for (const given of [limits(1, 1, 1), limits(2, 3, 1), limits(3, 12, 3)]) {
      const { bounds } = prove({ limits: given });
      for (let turn = 0; turn < 3300; turn++) {
        const used = play(input(given, next() < 0.9), (possible) => {
          // What ends a turn comes rarely, or no turn would be long.
          const going = possible.filter(({ name }) => !["abort", "crash"].includes(name));
          const from = next() < 0.02 ? possible : going;
          const picked = from[Math.floor(next() * from.length)];
          if (!picked) throw new Error("nothing can happen");
          return picked;
        });
        for (const measure of ["model_calls", "tool_runs", "questions"] as const)
          expect(used[measure]).toBeLessThanOrEqual(bounds?.[measure] ?? -1);
      }
    }
  });

  test("the worst it can do reaches every bound", () => {
    const next = chance(11);
    for (let turn = 0; turn < 100; turn++) {
      const given = limits(3, 12, 3);
      const used = play(input(given), (possible, { context }) => {
        const named = (name: string) => possible.find((choice) => choice.name === name);
        // Spends whatever is left, in an order of chance; answers last.
        const wishes = [
          ...(context.budget.asks > 0 ? ["a question"] : []),
          ...(context.budget.retries > 0 ? ["no good reply"] : []),
          ...(context.budget.steps > 0 ? ["one call"] : []),
        ];
        const found =
          named("a reply") ??
          named("waited") ??
          named("skill loaded") ??
          named("it ran (read)") ??
          named(wishes[Math.floor(next() * wishes.length)] ?? "no call") ??
          named("an answer");
        if (!found)
          throw new Error(`nothing to do among ${possible.map(({ name }) => name).join()}`);
        return found;
      });
      expect(used).toStrictEqual({ model_calls: 20, tool_runs: 12, questions: 3 });
    }
  });
});
