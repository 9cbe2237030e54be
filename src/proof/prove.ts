import { turnMachine } from "../machine/turn.machine.ts";
import type { TurnLimits } from "../machine/turn.limits.ts";
import { budgets } from "./abstract.ts";
import { boundsOf, freeCycle, type Bounds, type Cycle } from "./bounds.ts";
import type { TurnMachine } from "../machine/turn.machine.ts";
import { explore, type Quotient } from "./quotient.ts";

/** What a model takes and costs; prices in US dollars for a million tokens. */
export interface CostProfile {
  window_tokens: number;
  output_tokens_max: number;
  input_usd_per_million: number;
  output_usd_per_million: number;
}

/** What was proved about every turn within these limits. Plain JSON. */
export interface ProofReport {
  limits: TurnLimits;
  holds: boolean;
  /** Of the graph that stands for all limits. */
  nodes: number;
  /** A way that a turn could take for ever; null if every turn ends. */
  cycle: Cycle | null;
  /** Null where the turn need not end. */
  bounds: Bounds | null;
  /** The final states that a turn can reach. */
  finals: string[];
  /** States in which an abort is not heeded. */
  deaf_to_abort: string[];
  /** States from which no end can be reached. */
  dead_ends: string[];
  /** Where the machine asks how much of a budget is left, not only whether: then this proof says nothing. */
  broken: string[];
  cost: { tokens_max: number; usd_max: number } | null;
}

/**
 * Explores a machine and proves what a turn can do within limits; an infinite limit is one that is never used up. The
 * graph is explored once with budgets that are "some" or "none", which holds for all limits; exact figures for these
 * limits follow by counting along it.
 */
export function prove({
  limits,
  machine = turnMachine,
  profile,
}: {
  limits: TurnLimits;
  machine?: TurnMachine;
  profile?: CostProfile;
}): ProofReport {
  const quotient = explore(machine);
  const { nodes, broken } = quotient;
  const endless = budgets.filter((budget) => limits[`max_${budget}`] === Number.POSITIVE_INFINITY);
  const cycle = freeCycle(quotient, endless);
  const bounds = cycle || endless.length > 0 ? null : boundsOf(quotient, limits);
  const dead_ends = statesOf(quotient, withoutEnd(quotient));
  const deaf = nodes.flatMap(({ isFinal, edges }, index) =>
    isFinal || edges.some((edge) => edge.choice === "abort" && nodes[edge.to]?.state === "stopped")
      ? []
      : [index],
  );
  const deaf_to_abort = statesOf(quotient, deaf);
  return {
    limits,
    holds:
      bounds !== null && [broken, dead_ends, deaf_to_abort].every(({ length }) => length === 0),
    nodes: nodes.length,
    cycle,
    bounds,
    finals: statesOf(
      quotient,
      [...nodes.keys()].filter((index) => nodes[index]?.isFinal),
    ),
    deaf_to_abort,
    dead_ends,
    broken,
    cost: bounds && profile ? costOf(bounds, profile) : null,
  };
}

const statesOf = ({ nodes }: Quotient, indexes: readonly number[]): string[] =>
  [...new Set(indexes.map((index) => nodes[index]?.state ?? ""))].toSorted();

/** Nodes from which no final one can be reached. */
function withoutEnd({ nodes }: Quotient): number[] {
  const before = nodes.map((): number[] => []);
  for (const [index, { edges }] of nodes.entries())
    for (const { to, toNone } of edges) for (const next of [to, toNone]) before[next]?.push(index);
  const waiting = [...nodes.keys()].filter((index) => nodes[index]?.isFinal);
  const ends = new Set(waiting);
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop())
    for (const earlier of before[next] ?? [])
      if (!ends.has(earlier)) {
        ends.add(earlier);
        waiting.push(earlier);
      }
  return [...nodes.keys()].filter((index) => !ends.has(index));
}

/** Every model call with a full window and the longest reply. */
function costOf({ model_calls }: Bounds, profile: CostProfile): ProofReport["cost"] {
  const input = model_calls * profile.window_tokens;
  const output = model_calls * profile.output_tokens_max;
  const usd = input * profile.input_usd_per_million + output * profile.output_usd_per_million;
  return { tokens_max: input + output, usd_max: usd / 1_000_000 };
}
