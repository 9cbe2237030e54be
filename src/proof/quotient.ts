import { signature } from "../contracts/call.ts";
import { hasTools } from "../machine/turn.guards.ts";
import type { SkillCard, Turn, TurnInput } from "../machine/turn.types.ts";
import { abstract, budgets, concrete, keyOf, skillsOf, SOME, type Budget } from "./abstract.ts";
import type { TurnMachine, TurnSnapshot } from "../machine/turn.machine.ts";
import { choices } from "./outcomes.ts";
import { noInput, stepsOf, withChanges, type Steps } from "../machine/step.ts";

/** One edge of the graph. `spends`: the budget that it takes one of; then `to` is where some is left, `toNone` where none is. */
export interface Edge {
  choice: string;
  to: number;
  toNone: number;
  spends: Budget | null;
}

export interface Node {
  /** `keyOf` of the abstract configuration. */
  key: string;
  state: TurnSnapshot["value"];
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

const decks = [true, false].flatMap((withTools) =>
  [true, false].map((loadable) => skillsOf(withTools, loadable)),
);

const limitsOf = (left: Record<Budget, boolean>) => ({
  max_retries: left.retries ? SOME : 0,
  max_steps: left.steps ? SOME : 0,
  max_asks: left.asks ? SOME : 0,
});

/** Explores the machine that ships (or a changed one) by its own pure transitions. */
export function explore(machine: TurnMachine): Quotient {
  return new Exploration(machine).run();
}

class Exploration {
  readonly #machine: TurnMachine;
  readonly #steps: Steps;
  readonly #indexes = new Map<string, number>();
  readonly #waiting: { index: number; snapshot: TurnSnapshot }[] = [];
  readonly #result: Quotient = { nodes: [], first: [], broken: [] };

  constructor(machine: TurnMachine) {
    this.#machine = machine;
    this.#steps = stepsOf(machine);
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
    const snapshot = this.#steps.first({ ...noInput, skills, limits });
    const index = this.#indexOf(snapshot);
    if (!this.#result.first.includes(index)) this.#result.first.push(index);
  }

  #indexOf(snapshot: TurnSnapshot): number {
    const form = abstract(snapshot);
    const key = keyOf(form);
    const known = this.#indexes.get(key);
    if (known !== undefined) return known;
    const index = this.#result.nodes.length;
    const { budget } = form.context;
    const left = { retries: budget.retries > 0, steps: budget.steps > 0, asks: budget.asks > 0 };
    const isFinal = snapshot.status !== "active";
    this.#result.nodes.push({ key, state: snapshot.value, isFinal, left, edges: [] });
    this.#indexes.set(key, index);
    if (!isFinal) this.#waiting.push({ index, snapshot: concrete(this.#machine, form, snapshot) });
    return index;
  }

  #expand(index: number, before: TurnSnapshot): void {
    const edges = this.#result.nodes[index]?.edges ?? [];
    for (const start of meantBy(before))
      for (const { name, event } of choices(start)) {
        const after = this.#steps.next(start, event);
        const spent = spentBy(start, after);
        const [spends = null] = spent;
        if (spent.length > 1 || after.status === "error")
          this.#result.broken.push(`${start.value}, ${name}: spends ${spent.join(" and ")}`);
        const some = variants(start, after);
        const none = spends ? variants(start, this.#lastOf(start, name, spends, after)) : some;
        for (const [at, to] of some.entries()) {
          const [toNode, toNone] = [this.#indexOf(to), this.#indexOf(none[at] ?? to)];
          edges.push({ choice: name, to: toNode, toNone, spends });
        }
      }
  }

  /** The same step with the last of a budget. It must lead to the same state: what is left is asked about, never how much. */
  #lastOf(before: TurnSnapshot, name: string, spends: Budget, some: TurnSnapshot): TurnSnapshot {
    const last = changed(before, { budget: { ...before.context.budget, [spends]: 1 } });
    const choice = choices(last).find((candidate) => candidate.name === name);
    if (!choice) throw new Error(`no ${name} with the last of ${spends}`);
    const after = this.#steps.next(last, choice.event);
    if (after.value !== some.value || after.context.budget[spends] !== 0)
      this.#result.broken.push(
        `${before.value}, ${name}: the last of ${spends} makes a difference`,
      );
    return after;
  }
}

/** A node does not say whether the skill that is being loaded is the one that failed before: both are taken. */
function meantBy(node: TurnSnapshot): TurnSnapshot[] {
  const { queue, refused } = node.context;
  const [head] = node.value === "tool_use" ? queue : [];
  return head?.name === "load_skill" && refused.times > 0
    ? [node, changed(node, { refused: { ...refused, reply: signature(head) } })]
    : [node];
}

/**
 * Where a step may lead, since a node stands for more than its one configuration: behind a skill that was loaded there
 * may be another, behind two calls a third.
 */
function variants(before: TurnSnapshot, after: TurnSnapshot): TurnSnapshot[] {
  const [was, now] = [before.context, after.context];
  const relaxed: Partial<Turn>[][] = [];
  if (now.loaded_skills.length > was.loaded_skills.length)
    relaxed.push([{ skills: skillsOf(hasTools(now), true) }]);
  if (was.queue.length > 1 && now.queue.length === 1) relaxed.push([{ queue: was.queue }]);
  return relaxed.reduce(
    (all, changes) => [
      ...all,
      ...all.flatMap((snapshot) => changes.map((change) => changed(snapshot, change))),
    ],
    [after],
  );
}

/** A skill set that says of itself what is loaded needs no list of it. */
const changed = (snapshot: TurnSnapshot, change: Partial<Turn>): TurnSnapshot => {
  const loaded_skills = change.skills ? [] : snapshot.context.loaded_skills;
  return withChanges(snapshot, { context: { ...snapshot.context, loaded_skills, ...change } });
};

const spentBy = (before: TurnSnapshot, after: TurnSnapshot): Budget[] =>
  budgets.filter((budget) => after.context.budget[budget] !== before.context.budget[budget]);
