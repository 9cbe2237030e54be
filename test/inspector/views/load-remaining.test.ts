import { expect, test } from "vitest";
import { loadRemaining } from "../../../src/inspector/views/load-remaining.ts";
import { stepsOf } from "../../../src/machine/step.ts";
import { defaultLimits } from "../../../src/machine/turn.limits.ts";
import { turnMachine, type TurnSnapshot } from "../../../src/machine/turn.machine.ts";
import type { SkillCard, TurnInput } from "../../../src/machine/turn.types.ts";
import { choices } from "../../../src/proof/outcomes.ts";
import { after, input, loaded, loadSkill, printed, readA, wants } from "../../helpers/turn.ts";

const card = (name: string, has_tools: boolean, is_default = false): SkillCard => ({
  name,
  has_tools,
  is_default,
});
/** Skills of every kind: none, tools at hand, more to load with and without tools. */
const decks = [
  [],
  [card("base", true, true)],
  [card("a", true)],
  [card("base", true, true), card("a", false), card("b", true)],
];
const smaller = { max_retries: 1, max_steps: 2, max_asks: 1 };
const remaining = await loadRemaining(defaultLimits);
const steps = stepsOf(turnMachine);

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

/** Any turn in a world of chance; what ends one comes rarely, or no turn would be long. */
function played(given: TurnInput, next: () => number): TurnSnapshot[] {
  const path = [steps.first(given)];
  for (let at = path[0]; at?.status === "active"; at = path.at(-1)) {
    const possible = choices(at);
    const going = possible.filter(({ name }) => !["abort", "crash"].includes(name));
    const from = next() < 0.02 ? possible : going;
    const choice = from[Math.floor(next() * from.length)];
    if (!choice) throw new Error(`nothing can happen in ${at.value}`);
    path.push(steps.next(at, choice.event));
  }
  return path;
}

const isModel = ({ value, status }: TurnSnapshot) =>
  status === "active" && ["skill_call", "tool_call", "answer"].includes(value);

test("the start of a turn that may load a skill and use a tool has the whole proof before it", () => {
  const skills = [card("base", true, true), card("a", true)];
  expect(remaining(after(input({ skills })))).toStrictEqual({
    model_calls: 21,
    tool_runs: 12,
    questions: 3,
  });
});

test("a model call at work is still to come, a tool run at work is not, and an end has nothing before it", () => {
  const routed = [wants("skill_call", loadSkill), loaded] as const;
  const calling = after(input(), ...routed);
  const using = after(input(), ...routed, wants("tool_call", readA));
  const used = after(input(), ...routed, wants("tool_call", readA), printed("text"));
  const ended = after(input(), { type: "abort", by: "user" });
  expect([calling, using, used, ended].map(remaining)).toStrictEqual([
    { model_calls: 19, tool_runs: 11, questions: 3 },
    { model_calls: 18, tool_runs: 10, questions: 3 },
    { model_calls: 18, tool_runs: 10, questions: 3 },
    { model_calls: 0, tool_runs: 0, questions: 0 },
  ]);
});

test("along 200 turns of chance the rest never rises, and what comes is never more", () => {
  const next = chance(41);
  for (let turn = 0; turn < 200; turn++) {
    const limits = turn % 2 === 0 ? defaultLimits : smaller;
    const path = played(input({ limits, skills: decks[turn % decks.length] ?? [] }), next);
    const spent = { model_calls: 0, tool_runs: 0, questions: 0 };
    let least = spent;
    // From the end: what came after each snapshot is known then.
    for (const [index, snapshot] of [...path.entries()].toReversed()) {
      const later = path[index + 1];
      if (later) {
        const { context, value } = later;
        spent.tool_runs += snapshot.context.budget.steps - context.budget.steps;
        if (value === "ask_user_question") spent.questions += 1;
      }
      if (isModel(snapshot)) spent.model_calls += 1;
      const rest = remaining(snapshot);
      if (!rest) throw new Error(`nothing is known of ${snapshot.value} in turn ${turn}`);
      for (const measure of ["model_calls", "tool_runs", "questions"] as const) {
        expect(rest[measure]).toBeGreaterThanOrEqual(spent[measure]);
        expect(rest[measure]).toBeGreaterThanOrEqual(least[measure]);
      }
      least = rest;
    }
  }
});

test("a turn with larger limits is unknown, and so is all where limits are too large to count", async () => {
  const larger = { ...defaultLimits, max_steps: 13 };
  expect(remaining(after(input({ limits: larger })))).toBeNull();
  const endless = await loadRemaining({ ...defaultLimits, max_steps: 2 ** 50 });
  expect(endless(after(input()))).toBeNull();
});
