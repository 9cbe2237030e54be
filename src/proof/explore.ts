import { initialTransition } from "xstate";
import { signature } from "../contracts/call.ts";
import type { TurnInput } from "../machine/turn.types.ts";
import type { Machine, Snapshot } from "./machine.ts";
import { choices, type Choice } from "./outcomes.ts";
import { stepOf } from "./step.ts";

/** One configuration, with its real context, and everything that can happen next in it. */
export interface Configuration {
  snapshot: Snapshot;
  edges: { choice: Choice; to: string }[];
}

/** Every configuration by its key. `first` is the key that a turn begins with; the nodes are in order of discovery. */
export interface Explored {
  first: string;
  nodes: Map<string, Configuration>;
}

/**
 * Every configuration of one turn with its real limits, found breadth first, so that each is reached by a shortest way.
 * A node keeps the context of the first way that led to it. To play another way, look the choices up by name in
 * `choices(snapshot)` at each step: the number of a new call differs from way to way.
 * Throws an Error when there are more than `limit` of them: then limits are too large, or a turn need not end.
 */
export function explore(
  machine: Machine,
  input: TurnInput,
  { limit }: { limit: number },
): Explored {
  const step = stepOf(machine);
  const nodes = new Map<string, Configuration>();
  const waiting: Configuration[] = [];
  const keyOfNode = (snapshot: Snapshot): string => {
    const key = keyOf(snapshot);
    if (nodes.has(key)) return key;
    if (nodes.size >= limit) throw new Error(`a turn has more than ${limit} configurations`);
    const node = { snapshot, edges: [] };
    nodes.set(key, node);
    waiting.push(node);
    return key;
  };
  const [begin] = initialTransition(machine, input);
  const first = keyOfNode(begin);
  // `waiting` grows while it is gone through.
  for (const { snapshot, edges } of waiting)
    for (const choice of choices(snapshot))
      edges.push({ choice, to: keyOfNode(step(snapshot, choice.event)) });
  return { first, nodes };
}

/**
 * One text for configurations that guards and tests cannot tell apart. Calls are numbered in order of appearance, for
 * only their equality counts; what is said in words is left out.
 */
export function keyOf({ value, status, context }: Snapshot): string {
  const numbers = new Map<string, number>();
  const numberOf = (text: string): number => {
    const number = numbers.get(text) ?? numbers.size;
    numbers.set(text, number);
    return number;
  };
  const { budget, ran, queue, pending, refused } = context;
  return JSON.stringify([
    value,
    status,
    [budget.retries, budget.steps, budget.asks],
    ran.map((earlier) => [numberOf(earlier.signature), earlier.effect]),
    queue.map((call) => [numberOf(signature(call)), call.name]),
    context.allowed.map(numberOf),
    refused.times > 0 ? [refused.times, numberOf(refused.reply)] : 0,
    pending && [pending.kind, pending.kind === "open" ? pending.asked_in : ""],
    context.questions.length,
    context.loaded_skills,
    [context.called_in, context.return_to, context.problem?.code, context.asked_again],
    [context.ended_early, context.outcome?.kind],
  ]);
}
