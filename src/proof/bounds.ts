import type { TurnLimits } from "../machine/turn.limits.ts";
import type { Budget } from "./abstract.ts";
import type { Edge, Node, Quotient } from "./quotient.ts";
import { longestPaths, mostFrom, Unrolled, type Amounts } from "./remaining.ts";

/** A way round that a turn could take for ever: state, choice, state, … and the state it began with. */
export type Cycle = string[];

/** The worst that can happen in one turn, exactly. */
export interface Bounds extends Amounts {
  configurations: number;
  edges: number;
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

/** The exact bounds for finite limits, by the longest paths from any first configuration. */
export function boundsOf(quotient: Quotient, limits: TurnLimits): Bounds {
  const { nodes, first } = quotient;
  const unrolled = new Unrolled(limits);
  const all = unrolled.lefts - 1;
  const starts = first.filter((index) => nodes[index] && unrolled.fits(nodes[index], all));
  const longest = longestPaths(quotient, unrolled);
  const amounts = starts.flatMap((index) => {
    const node = nodes[index];
    return node ? [mostFrom(node, longest, index * unrolled.lefts + all)] : [];
  });
  const most = (measure: keyof Amounts) => Math.max(...amounts.map((amount) => amount[measure]));
  return {
    ...reached(quotient, unrolled, starts),
    model_calls: most("model_calls"),
    tool_runs: most("tool_runs"),
    questions: most("questions"),
  };
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
