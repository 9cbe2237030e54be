import { initialTransition } from "xstate";
import type { SkillCard, TurnInput } from "../machine/turn.types.ts";
import { abstract, budgets, concrete, SOME, type Budget } from "./abstract.ts";
import type { Machine, Snapshot } from "./machine.ts";
import { choices } from "./outcomes.ts";
import { stepOf } from "./step.ts";

/** One edge of the graph. `spends`: the budget that it takes one of; then `to` is where some is left, `toNone` where none is. */
export interface Edge {
  choice: string;
  to: number;
  toNone: number;
  spends: Budget | null;
}

export interface Node {
  state: Snapshot["value"];
  isFinal: boolean;
  /** Of each budget, whether any is left. */
  left: Record<Budget, boolean>;
  edges: Edge[];
}

/**
 * All configurations of a machine for all limits at once: of each budget a node only knows whether any is left, which is
 * all that the chart asks. `broken` says where the machine does not keep to that.
 */
export interface Quotient {
  nodes: Node[];
  /** Where a turn can begin, for any limits. */
  first: number[];
  broken: string[];
}

const card = (is_default: boolean, has_tools: boolean): SkillCard => ({
  name: "skill",
  is_default,
  has_tools,
});
/** Every kind of skill set that the chart tells apart. */
const decks: SkillCard[][] = [
  [],
  [card(true, true)],
  [card(true, false)],
  [card(false, true)],
  [card(false, false)],
];

const limitsOf = (left: Record<Budget, boolean>) => ({
  max_retries: left.retries ? SOME : 0,
  max_steps: left.steps ? SOME : 0,
  max_asks: left.asks ? SOME : 0,
});

/** Explores the machine that ships (or a changed one) by its own pure transitions. */
export function explore(machine: Machine): Quotient {
  return new Exploration(machine).run();
}

class Exploration {
  readonly #machine: Machine;
  readonly #step: ReturnType<typeof stepOf>;
  readonly #indexes = new Map<string, number>();
  readonly #waiting: { index: number; snapshot: Snapshot }[] = [];
  readonly #result: Quotient = { nodes: [], first: [], broken: [] };

  constructor(machine: Machine) {
    this.#machine = machine;
    this.#step = stepOf(machine);
  }

  run(): Quotient {
    for (const skills of decks)
      for (const retries of [true, false])
        for (const steps of [true, false])
          for (const asks of [true, false]) this.#begin(skills, limitsOf({ retries, steps, asks }));
    for (let next = this.#waiting.pop(); next; next = this.#waiting.pop())
      this.#expand(next.index, next.snapshot);
    return this.#result;
  }

  #begin(skills: SkillCard[], limits: TurnInput["limits"]): void {
    const input: TurnInput = {
      messages: [],
      loaded_skills: [],
      question: "?",
      nonce: "",
      skills,
      limits,
    };
    const [snapshot] = initialTransition(this.#machine, input);
    const index = this.#indexOf(snapshot);
    if (!this.#result.first.includes(index)) this.#result.first.push(index);
  }

  #indexOf(snapshot: Snapshot): number {
    const form = abstract(snapshot);
    const key = JSON.stringify(form);
    const known = this.#indexes.get(key);
    if (known !== undefined) return known;
    const index = this.#result.nodes.length;
    const { budget } = form.context;
    const left = { retries: budget.retries > 0, steps: budget.steps > 0, asks: budget.asks > 0 };
    const isFinal = snapshot.status !== "active";
    this.#result.nodes.push({ state: snapshot.value, isFinal, left, edges: [] });
    this.#indexes.set(key, index);
    if (!isFinal)
      this.#waiting.push({ index, snapshot: concrete(this.#machine, form, snapshot, null) });
    return index;
  }

  #expand(index: number, before: Snapshot): void {
    const edges = this.#result.nodes[index]?.edges ?? [];
    for (const { name, event } of choices(before)) {
      const after = this.#step(before, event);
      const spent = spentBy(before, after);
      const [spends = null] = spent;
      if (spent.length > 1 || after.status === "error")
        this.#result.broken.push(`${before.value}, ${name}: spends ${spent.join(" and ")}`);
      const to = this.#indexOf(after);
      const toNone = spends ? this.#lastOf(before, name, spends, after) : to;
      edges.push({ choice: name, to, toNone, spends });
    }
  }

  /** The same step with the last of a budget. It must lead to the same state: what is left is asked about, never how much. */
  #lastOf(before: Snapshot, name: string, spends: Budget, some: Snapshot): number {
    const last = concrete(this.#machine, abstract(before), before, spends);
    const choice = choices(last).find((candidate) => candidate.name === name);
    if (!choice) throw new Error(`no ${name} with the last of ${spends}`);
    const after = this.#step(last, choice.event);
    if (after.value !== some.value || after.context.budget[spends] !== 0)
      this.#result.broken.push(
        `${before.value}, ${name}: the last of ${spends} makes a difference`,
      );
    return this.#indexOf(after);
  }
}

const spentBy = (before: Snapshot, after: Snapshot): Budget[] =>
  budgets.filter((budget) => after.context.budget[budget] !== before.context.budget[budget]);
