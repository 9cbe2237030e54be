import type { TurnLimits } from "../machine/turn.limits.ts";
import type { TurnSnapshot } from "../machine/turn.machine.ts";
import { abstract, budgets, keyOf, type Budget } from "./abstract.ts";
import type { Edge, Node, Quotient } from "./quotient.ts";

export const measures = ["model_calls", "tool_runs", "questions"] as const;

/** How much of each measure. */
export type Amounts = Record<(typeof measures)[number], number>;

const isModel = (state: string) => ["skill_call", "tool_call", "answer"].includes(state);

/** What taking an edge adds: a model call, a call of a tool (which spends a step), a question. */
function weightOf({ spends }: Edge, to: string): Amounts {
  return {
    model_calls: isModel(to) ? 1 : 0,
    tool_runs: spends === "steps" ? 1 : 0,
    questions: to === "ask_user_question" ? 1 : 0,
  };
}

/**
 * Nodes together with what is left of each budget, as numbers: every configuration that these limits allow. What is
 * left is one number, too, and spending one of a budget takes its stride off it.
 */
export class Unrolled {
  readonly strides: Record<Budget, number>;
  readonly limits: Record<Budget, number>;
  /** How many ways there are to have something left. */
  readonly lefts: number;

  constructor({ max_retries: retries, max_steps: steps, max_asks: asks }: TurnLimits) {
    this.limits = { retries, steps, asks };
    this.strides = { retries: (steps + 1) * (asks + 1), steps: asks + 1, asks: 1 };
    this.lefts = (retries + 1) * this.strides.retries;
  }

  /** What is left of each, as one number; null for what these limits do not allow. */
  leftOf(budget: Record<Budget, number>): number | null {
    if (budgets.some((name) => !(budget[name] >= 0 && budget[name] <= this.limits[name])))
      return null;
    return budgets.reduce((left, name) => left + budget[name] * this.strides[name], 0);
  }

  isLeft(left: number, budget: Budget): number {
    return Math.floor(left / this.strides[budget]) % (this.limits[budget] + 1);
  }

  fits({ isFinal, left }: Node, all: number): boolean {
    return isFinal || budgets.every((budget) => left[budget] === this.isLeft(all, budget) > 0);
  }

  /** Where an edge leads when this much is left, as a number for the node and what is left then. */
  next({ spends, to, toNone }: Edge, left: number): number {
    if (spends === null) return to * this.lefts + left;
    const node = this.isLeft(left, spends) === 1 ? toNone : to;
    return node * this.lefts + left - this.strides[spends];
  }
}

/** Nodes in an order in which free edges only lead backwards; the graph must have no free cycle. */
function sorted({ nodes }: Quotient): number[] {
  const order: number[] = [];
  const seen = new Set<number>();
  for (let root = 0; root < nodes.length; root++) {
    if (seen.has(root)) continue;
    seen.add(root);
    const path: { node: number; edge: number }[] = [{ node: root, edge: 0 }];
    for (let top = path.at(-1); top; top = path.at(-1)) {
      const edge = nodes[top.node]?.edges[top.edge++];
      if (!edge) {
        order.push(top.node);
        path.pop();
      } else if (edge.spends === null && !seen.has(edge.to)) {
        seen.add(edge.to);
        path.push({ node: edge.to, edge: 0 });
      }
    }
  }
  return order;
}

/** The most of each measure, by configuration: the node's number times `lefts`, plus what is left as a number. */
type Longest = Record<(typeof measures)[number], Uint16Array<ArrayBuffer>>;

/** For each configuration, the most of each measure on any way from it. What an edge leads to is always known before. */
export function longestPaths(quotient: Quotient, unrolled: Unrolled): Longest {
  const { nodes } = quotient;
  const size = nodes.length * unrolled.lefts;
  const longest = {
    model_calls: new Uint16Array(size),
    tool_runs: new Uint16Array(size),
    questions: new Uint16Array(size),
  };
  const order = sorted(quotient);
  const weights = nodes.map(({ edges }) =>
    edges.map((edge) => weightOf(edge, nodes[edge.to]?.state ?? "")),
  );
  const settle = ({ edges }: Node, index: number, left: number) => {
    const at = index * unrolled.lefts + left;
    for (const [number, edge] of edges.entries()) {
      const next = unrolled.next(edge, left);
      for (const measure of measures) {
        const known = longest[measure];
        const found = (known[next] ?? 0) + (weights[index]?.[number]?.[measure] ?? 0);
        if (found > (known[at] ?? 0)) known[at] = found;
      }
    }
  };
  for (let left = 0; left < unrolled.lefts; left++)
    for (const index of order) {
      const node = nodes[index];
      if (node && unrolled.fits(node, left)) settle(node, index, left);
    }
  return longest;
}

/** What still comes at most, the model call at work in this node with it. */
export function mostFrom({ state }: Pick<Node, "state">, longest: Longest, at: number): Amounts {
  return {
    model_calls: (isModel(state) ? 1 : 0) + (longest.model_calls[at] ?? 0),
    tool_runs: longest.tool_runs[at] ?? 0,
    questions: longest.questions[at] ?? 0,
  };
}

/** The most that can still come, for every configuration within some limits. Survives the way between two threads. */
export interface RemainingTable {
  limits: TurnLimits;
  /** `keyOf` and state of each node. */
  nodes: Pick<Node, "key" | "state">[];
  longest: Longest;
}

/** A table has about 11 kB for each: more than this many take more memory than their figures are worth. */
const LEFTS_MAX = 5000;

/** Whether these limits are small enough to count from each configuration that they allow. */
export const isCountable = (limits: TurnLimits): boolean =>
  Object.values(limits).every((limit) => limit >= 0) && new Unrolled(limits).lefts <= LEFTS_MAX;

/** Counts from every configuration that the limits, which have to be countable, allow. */
export function remainingTable(quotient: Quotient, limits: TurnLimits): RemainingTable {
  const nodes = quotient.nodes.map(({ key, state }) => ({ key, state }));
  return { limits, nodes, longest: longestPaths(quotient, new Unrolled(limits)) };
}

/**
 * Looks up what can still come at most after a snapshot, whatever the world does. A model call at work counts as still
 * to come: it may yet be asked again. A tool run and a question are counted when the chart decides on them, since that
 * is when their budget is spent; the one at work is not counted again. All are 0 once the turn has ended. Null for a
 * configuration that the proof does not know, and for a turn with larger limits.
 */
export function remainingIn({
  limits,
  nodes,
  longest,
}: RemainingTable): (snapshot: TurnSnapshot) => Amounts | null {
  const unrolled = new Unrolled(limits);
  const indexes = new Map(nodes.map(({ key }, index) => [key, index]));
  return (snapshot) => {
    const index = indexes.get(keyOf(abstract(snapshot)));
    const node = index === undefined ? undefined : nodes[index];
    const left = unrolled.leftOf(snapshot.context.budget);
    if (index === undefined || !node || left === null) return null;
    return mostFrom(node, longest, index * unrolled.lefts + left);
  };
}
