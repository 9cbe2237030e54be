import { describe, expect, test } from "vitest";
import { turnMachine } from "../../src/machine/turn.machine.ts";
import type { SkillCard, TurnInput } from "../../src/machine/turn.types.ts";
import { abstract, keyOf } from "../../src/proof/abstract.ts";
import { boundsOf } from "../../src/proof/bounds.ts";
import type { TurnSnapshot } from "../../src/machine/turn.machine.ts";
import { choices, type Choice } from "../../src/proof/outcomes.ts";
import { explore } from "../../src/proof/quotient.ts";
import { stepsOf } from "../../src/machine/step.ts";

type Limits = TurnInput["limits"];
const limits = (max_retries: number, max_steps: number, max_asks: number): Limits => ({
  max_retries,
  max_steps,
  max_asks,
});
const mixed = [limits(0, 1, 0), limits(1, 1, 1), limits(2, 3, 1), limits(3, 12, 3)];
const skill = (name: string, has_tools: boolean, is_default = false): SkillCard => ({
  name,
  is_default,
  has_tools,
});
const base = skill("base", true, true);
/** Skill sets of every kind, larger ones than the proof knows among them. */
const decks = [
  [],
  [base],
  [skill("a", true)],
  [skill("a", false)],
  [base, skill("a", true)],
  [base, skill("a", false), skill("b", true)],
  [skill("a", true), skill("b", false), skill("c", true)],
];
const input = (given: Limits, skills: SkillCard[]): TurnInput => ({
  messages: [],
  loaded_skills: [],
  question: "?",
  nonce: "",
  skills,
  limits: given,
});
const steps = stepsOf(turnMachine);
const quotient = explore(turnMachine);

const isModel = (state: string) => ["skill_call", "tool_call", "answer"].includes(state);

type Pick = (possible: Choice[], at: TurnSnapshot) => Choice;
interface Played {
  before: TurnSnapshot;
  choice: Choice;
  after: TurnSnapshot;
}

/** Plays a turn to its end, step by step; `pick` is the world. */
function* play(given: TurnInput, pick: Pick): Generator<Played> {
  let snapshot = steps.first(given);
  for (let count = 0; snapshot.status === "active"; count++) {
    if (count > 500) throw new Error("the turn does not end");
    const before: TurnSnapshot = snapshot;
    const possible = choices(before);
    const choice = pick(possible, before);
    snapshot = steps.next(before, choice.event);
    yield { before, choice, after: snapshot };
  }
}

/** What a turn uses, counted from outside. The first model call is the one that every turn of these begins with. */
function used(given: TurnInput, pick: Pick) {
  const counted = { model_calls: 1, tool_runs: 0, questions: 0 };
  for (const { before, after } of play(given, pick)) {
    if (isModel(after.value)) counted.model_calls += 1;
    if (after.value === "ask_user_question") counted.questions += 1;
    counted.tool_runs += before.context.budget.steps - after.context.budget.steps;
  }
  return counted;
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

/** Anything that can happen; what ends a turn comes rarely, or no turn would be long. */
const random =
  (next: () => number): Pick =>
  (possible) => {
    const going = possible.filter(({ name }) => !["abort", "crash"].includes(name));
    const from = next() < 0.02 ? possible : going;
    const picked = from[Math.floor(next() * from.length)];
    if (!picked) throw new Error("nothing can happen");
    return picked;
  };

/** Spends whatever is left, in an order of chance, and answers last: each such turn is a longest one. */
const worst =
  (next: () => number): Pick =>
  (possible, { value, context: { budget } }) => {
    const named = (name: string) => possible.find((choice) => choice.name === name);
    const wishes = [
      ...(budget.asks > 0 ? ["a question"] : []),
      ...(budget.retries > 0 ? ["no good reply"] : []),
      // Routing ends with the word that nothing is wanted: that is one call of the model more.
      ...(budget.steps > 0 && value !== "skill_call" ? ["one call"] : []),
    ];
    const found =
      named("a reply") ??
      named("waited") ??
      named("skill loaded") ??
      named("it ran (read)") ??
      named(wishes[Math.floor(next() * wishes.length)] ?? "no call") ??
      named("an answer");
    if (!found) throw new Error(`nothing to do among ${possible.map(({ name }) => name).join()}`);
    return found;
  };

describe("10,000 turns in a world that means ill", () => {
  test.each(mixed)("2,400 turns of chance: none takes more than proved (%o)", (given) => {
    const next = chance(7 + given.max_steps);
    const bounds = boundsOf(quotient, given);
    for (let turn = 0; turn < 2400; turn++) {
      const counted = used(input(given, decks[turn % decks.length] ?? []), random(next));
      for (const measure of ["model_calls", "tool_runs", "questions"] as const)
        expect(counted[measure]).toBeLessThanOrEqual(bounds[measure]);
    }
  });

  test.each([
    [limits(0, 1, 0), { model_calls: 4, tool_runs: 1, questions: 0 }],
    [limits(1, 1, 1), { model_calls: 6, tool_runs: 1, questions: 1 }],
    [limits(2, 3, 1), { model_calls: 9, tool_runs: 3, questions: 1 }],
    [limits(3, 12, 3), { model_calls: 21, tool_runs: 12, questions: 3 }],
  ])("100 turns of the worst: each reaches every bound (%o)", (given, bounds) => {
    const next = chance(11 + given.max_steps);
    expect(boundsOf(quotient, given)).toMatchObject(bounds);
    for (let turn = 0; turn < 100; turn++)
      expect(used(input(given, [base, skill("a", true)]), worst(next))).toStrictEqual(bounds);
  });
});

describe("the graph of the proof holds every turn", () => {
  const byKey = new Map(quotient.nodes.map((node) => [node.key, node]));
  const nodeOf = (snapshot: TurnSnapshot) => byKey.get(keyOf(abstract(snapshot)));

  test("700 turns of chance with sets of up to three skills: each step is an edge in it", () => {
    const next = chance(23);
    for (let turn = 0; turn < 700; turn++) {
      const limit = mixed[turn % mixed.length] ?? limits(1, 1, 1);
      const given = input(limit, decks[turn % decks.length] ?? []);
      for (const { before, choice, after } of play(given, random(next))) {
        const edges = nodeOf(before)?.edges ?? [];
        const reached = edges.flatMap(({ to, toNone }) => [to, toNone]);
        const keys = new Set(reached.map((index) => quotient.nodes[index]?.key));
        const taken = `${before.value}, ${choice.name}: ${after.value}`;
        expect({ taken, known: keys.has(keyOf(abstract(after))) }).toStrictEqual({
          taken,
          known: true,
        });
      }
    }
  });
});
