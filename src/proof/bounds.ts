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

const measures = ["model_calls", "tool_runs", "questions"] as const;

/** What taking an edge adds: a model call, a call of a tool (which spends a step), a question. */
function weightOf({ spends }: Edge, to: string): Record<(typeof measures)[number], number> {
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
class Unrolled {
  readonly strides: Record<Budget, number>;
  readonly #limits: Record<Budget, number>;
  /** How many ways there are to have something left. */
  readonly lefts: number;

  constructor({ max_retries: retries, max_steps: steps, max_asks: asks }: TurnLimits) {
    this.#limits = { retries, steps, asks };
    this.strides = { retries: (steps + 1) * (asks + 1), steps: asks + 1, asks: 1 };
    this.lefts = (retries + 1) * this.strides.retries;
  }

  isLeft(left: number, budget: Budget): number {
    return Math.floor(left / this.strides[budget]) % (this.#limits[budget] + 1);
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

/** The exact bounds for finite limits, by the longest paths from any first configuration. */
export function boundsOf(quotient: Quotient, limits: TurnLimits): Bounds {
  const { nodes, first } = quotient;
  const unrolled = new Unrolled(limits);
  const all = unrolled.lefts - 1;
  const starts = first.filter((index) => nodes[index] && unrolled.fits(nodes[index], all));
  const longest = longestPaths(quotient, unrolled);
  const most = (measure: (typeof measures)[number]) =>
    Math.max(
      ...starts.map((index) => {
        const begun = measure === "model_calls" && isModel(nodes[index]?.state ?? "") ? 1 : 0;
        return begun + (longest[measure][index * unrolled.lefts + all] ?? 0);
      }),
    );
  return {
    ...reached(quotient, unrolled, starts),
    model_calls: most("model_calls"),
    tool_runs: most("tool_runs"),
    questions: most("questions"),
  };
}

/** For each configuration, the most of each measure on any way from it. What an edge leads to is always known before. */
function longestPaths(quotient: Quotient, unrolled: Unrolled) {
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

/** All that a turn can come to; a final state counts once, whatever is left then. */
function reached(
  { nodes }: Quotient,
  unrolled: Unrolled,
  starts: readonly number[],
): { configurations: number; edges: number } {
  const waiting = starts.map((index) => (index + 1) * unrolled.lefts - 1);
  const seen = new Set(waiting);
  let edges = 0;
  for (let at = waiting.pop(); at !== undefined; at = waiting.pop())
    for (const edge of nodes[Math.floor(at / unrolled.lefts)]?.edges ?? []) {
      edges += 1;
      const next = unrolled.next(edge, at % unrolled.lefts);
      const isFinal = nodes[Math.floor(next / unrolled.lefts)]?.isFinal === true;
      const key = isFinal ? next - (next % unrolled.lefts) : next;
      if (seen.has(key)) continue;
      seen.add(key);
      waiting.push(key);
    }
  return { configurations: seen.size, edges };
}
