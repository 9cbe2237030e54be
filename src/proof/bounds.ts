import type { TurnLimits } from "../machine/turn.limits.ts";
import { budgets, type Budget } from "./abstract.ts";
import type { Edge, Node, Quotient } from "./quotient.ts";

/** A way round that a turn could take for ever: state, choice, state, … and the state it began with. */
export type Cycle = string[];

/** The worst that can happen in one turn, exactly. */
export interface Bounds {
  configurations: number;
  edges: number;
  model_calls: number;
  tool_runs: number;
  questions: number;
}

/**
 * A way round on edges that cost nothing, or only what is endless; null if there is none. Budgets only fall, so without
 * such a way every turn ends, whatever its finite limits.
 */
export function freeCycle({ nodes }: Quotient, endless: readonly Budget[]): Cycle | null {
  const isFree = ({ spends }: Edge) => spends === null || endless.includes(spends);
  const done = new Set<number>();
  for (let root = 0; root < nodes.length; root++) {
    const path: { node: number; edge: number }[] = [{ node: root, edge: 0 }];
    const onPath = new Set([root]);
    for (let top = path.at(-1); top; top = path.at(-1)) {
      const edge = nodes[top.node]?.edges[top.edge++];
      if (!edge) {
        path.pop();
        onPath.delete(top.node);
        done.add(top.node);
      } else if (isFree(edge) && onPath.has(edge.to)) {
        const start = path.findIndex(({ node }) => node === edge.to);
        return wordsOf(nodes, path.slice(start));
      } else if (isFree(edge) && !done.has(edge.to)) {
        path.push({ node: edge.to, edge: 0 });
        onPath.add(edge.to);
      }
    }
  }
  return null;
}

function wordsOf(nodes: readonly Node[], path: readonly { node: number; edge: number }[]): Cycle {
  const first = nodes[path[0]?.node ?? -1]?.state ?? "";
  const steps = path.flatMap(({ node, edge }) => [
    nodes[node]?.state ?? "",
    nodes[node]?.edges[edge - 1]?.choice ?? "",
  ]);
  return [...steps, first];
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

const isModel = (state: string) => ["skill_call", "tool_call", "answer"].includes(state);

/** What entering a state may add: a model call, a call of a tool (which spends a step), a question. */
const weights = {
  model_calls: (_edge: Edge, to: string) => (isModel(to) ? 1 : 0),
  tool_runs: ({ spends }: Edge) => (spends === "steps" ? 1 : 0),
  questions: (_edge: Edge, to: string) => (to === "ask_user_question" ? 1 : 0),
};
type Measure = keyof typeof weights;

/** Nodes with what is left of each budget, for these limits: every configuration, once. */
class Unrolled {
  readonly #nodes: readonly Node[];
  readonly #sizes: Record<Budget, number>;

  constructor(nodes: readonly Node[], limits: Record<Budget, number>) {
    this.#nodes = nodes;
    this.#sizes = limits;
  }

  /** A number for a node with these budgets. */
  keyOf(node: number, left: Record<Budget, number>): number {
    const { steps, asks } = this.#sizes;
    return (
      ((node * (this.#sizes.retries + 1) + left.retries) * (steps + 1) + left.steps) * (asks + 1) +
      left.asks
    );
  }

  get size(): number {
    return budgets.reduce((size, budget) => size * (this.#sizes[budget] + 1), this.#nodes.length);
  }

  /** All that can be left, so that whatever an edge leads to comes before it. */
  *lefts(): Generator<Record<Budget, number>> {
    const { retries, steps, asks } = this.#sizes;
    for (let r = 0; r <= retries; r++)
      for (let s = 0; s <= steps; s++)
        for (let a = 0; a <= asks; a++) yield { retries: r, steps: s, asks: a };
  }

  fits(node: Node, left: Record<Budget, number>): boolean {
    return node.isFinal || budgets.every((budget) => node.left[budget] === left[budget] > 0);
  }

  /** Where an edge leads, with what is left then. */
  follow({ spends, to, toNone }: Edge, left: Record<Budget, number>) {
    if (spends === null) return { node: to, left };
    const rest = { ...left, [spends]: left[spends] - 1 };
    return { node: rest[spends] === 0 ? toNone : to, left: rest };
  }
}

/** The exact bounds for finite limits, by the longest paths from any first configuration. */
export function boundsOf(quotient: Quotient, limits: TurnLimits): Bounds {
  const { nodes, first } = quotient;
  const sizes = { retries: limits.max_retries, steps: limits.max_steps, asks: limits.max_asks };
  const unrolled = new Unrolled(nodes, sizes);
  const order = sorted(quotient);
  const starts = first.filter((node) => nodes[node] && unrolled.fits(nodes[node], sizes));
  const most = (measure: Measure) => {
    const longest = new Uint32Array(unrolled.size);
    for (const left of unrolled.lefts())
      for (const index of order) {
        const node = nodes[index];
        if (!node || !unrolled.fits(node, left)) continue;
        let best = 0;
        for (const edge of node.edges) {
          const next = unrolled.follow(edge, left);
          const to = nodes[next.node]?.state ?? "";
          const rest = longest[unrolled.keyOf(next.node, next.left)] ?? 0;
          best = Math.max(best, rest + weights[measure](edge, to));
        }
        longest[unrolled.keyOf(index, left)] = best;
      }
    const isCounted = (state: string) => (measure === "model_calls" && isModel(state) ? 1 : 0);
    return Math.max(
      ...starts.map((node) => {
        const begun = isCounted(nodes[node]?.state ?? "");
        return begun + (longest[unrolled.keyOf(node, sizes)] ?? 0);
      }),
    );
  };
  return {
    ...reached(quotient, unrolled, starts, sizes),
    model_calls: most("model_calls"),
    tool_runs: most("tool_runs"),
    questions: most("questions"),
  };
}

function reached(
  { nodes }: Quotient,
  unrolled: Unrolled,
  starts: readonly number[],
  sizes: Record<Budget, number>,
): { configurations: number; edges: number } {
  const none = { retries: 0, steps: 0, asks: 0 };
  const seen = new Set<number>();
  const waiting = starts.map((node) => ({ node, left: sizes }));
  for (const { node, left } of waiting) seen.add(unrolled.keyOf(node, left));
  let edges = 0;
  for (let next = waiting.pop(); next; next = waiting.pop())
    for (const edge of nodes[next.node]?.edges ?? []) {
      edges += 1;
      const to = unrolled.follow(edge, next.left);
      const left = nodes[to.node]?.isFinal ? none : to.left;
      const key = unrolled.keyOf(to.node, left);
      if (seen.has(key)) continue;
      seen.add(key);
      waiting.push({ node: to.node, left });
    }
  return { configurations: seen.size, edges };
}
