import { signature } from "../../src/contracts/call.ts";
import type { SkillCard, Turn, TurnInput } from "../../src/machine/turn.types.ts";
import { turnMachine, type TurnSnapshot } from "../../src/machine/turn.machine.ts";
import { choices, type Choice } from "../../src/proof/outcomes.ts";
import { stepsOf, type Steps } from "../../src/machine/step.ts";
import { arcsIn } from "./arcs.ts";

/** One step of a path: what happened, the arcs of the chart that it took, and the configuration after it. */
export interface Edge {
  choice: Choice;
  arcs: string[];
  after: TurnSnapshot;
}

/** A turn from its first configuration to a final one. */
export interface Path {
  input: TurnInput;
  first: TurnSnapshot;
  edges: Edge[];
}

const card = (name: string, is_default: boolean, has_tools: boolean): SkillCard => ({
  name,
  is_default,
  has_tools,
});

/** Every kind of skill set that the chart tells apart, by the name it has in the golden list. */
export const decks: Record<string, SkillCard[]> = {
  "no skills": [],
  "a skill to load": [card("more", false, false)],
  "two skills to load": [card("more", false, false), card("other", false, false)],
  "tools at hand": [card("base", true, true)],
  "tools at hand, a skill to load": [card("base", true, true), card("more", false, false)],
};

/** Limits in the order retries, steps, asks. */
export type Three = readonly [retries: number, steps: number, asks: number];

export function inputOf(deck: string, [max_retries, max_steps, max_asks]: Three): TurnInput {
  const skills = decks[deck];
  if (!skills) throw new Error(`there is no deck "${deck}"`);
  return {
    messages: [],
    loaded_skills: [],
    question: "?",
    nonce: "",
    skills,
    limits: { max_retries, max_steps, max_asks },
  };
}

// ——— exact exploration ———

/** All that can happen within given limits, found out only as far as somebody asks. */
export class Graph {
  readonly input: TurnInput;
  readonly first: TurnSnapshot;
  /** Arcs taken before the first event. */
  readonly firstArcs: string[];
  readonly #steps: Steps;
  readonly #edges = new Map<string, Edge[]>();
  #arcs: string[] = [];

  constructor(input: TurnInput) {
    this.input = input;
    this.#steps = stepsOf(turnMachine, (event) => this.#arcs.push(...arcsIn(event)));
    this.#arcs = [];
    this.first = this.#steps.first(input);
    this.firstArcs = this.#arcs;
  }

  #step(before: TurnSnapshot, choice: Choice): Edge {
    this.#arcs = [];
    const after = this.#steps.next(before, choice.event);
    return { choice, arcs: this.#arcs, after };
  }

  /** The edge of one choice, by its name. */
  step(before: TurnSnapshot, name: string): Edge {
    const choice = choices(before).find((candidate) => candidate.name === name);
    if (!choice) throw new Error(`"${name}" cannot happen in ${before.value}`);
    return this.#step(before, choice);
  }

  /** One edge for each thing that the chart can tell apart: other arcs taken, or another configuration after. */
  edges(before: TurnSnapshot): Edge[] {
    const key = keyOf(before);
    const known = this.#edges.get(key);
    if (known) return known;
    const different = new Map<string, Edge>();
    for (const choice of choices(before)) {
      const edge = this.#step(before, choice);
      const kind = `${edge.arcs.join()} ${keyOf(edge.after)}`;
      if (!different.has(kind)) different.set(kind, edge);
    }
    const edges = [...different.values()];
    this.#edges.set(key, edges);
    return edges;
  }
}

const keys = new WeakMap<TurnSnapshot, string>();

/** All of a configuration that a guard reads, budgets exactly; texts and counts of tokens are left out. */
export function keyOf(snapshot: TurnSnapshot): string {
  const key = keys.get(snapshot) ?? newKeyOf(snapshot);
  keys.set(snapshot, key);
  return key;
}

function newKeyOf({ value, status, context }: TurnSnapshot): string {
  const { budget, ended_early, outcome } = context;
  const left = [budget.retries, budget.steps, budget.asks];
  if (status !== "active") return JSON.stringify([value, left, outcome?.kind, ended_early]);
  const { refused, asked_again, questions, pending, loaded_skills } = context;
  const asked = pending?.kind === "open" ? pending.asked_in : pending?.kind;
  const recovery =
    value === "fail_recovery" ? [context.problem?.code === "backend", context.return_to] : [];
  // Once the answer has begun no call is ahead, though a question or a new try may be.
  const isAnswering = [value, asked, recovery[1]].includes("answer");
  const calls = isAnswering ? [] : callsIn(context);
  const open = [refused.times, asked_again, questions.length, asked, loaded_skills.length];
  return JSON.stringify([value, left, open, recovery, calls, ended_early]);
}

/** The calls of a turn, each by the number of its first appearance: what they say is the same to the chart. */
function callsIn({ queue, ran, allowed, refused, called_in }: Turn): unknown[] {
  const numbers = new Map<string, string>();
  const number = (text: string) => {
    if (!text.includes("{")) return "";
    const known = numbers.get(text) ?? `${text.split(" ")[0]}${numbers.size}`;
    numbers.set(text, known);
    return known;
  };
  const kind = (effect: string) => (effect === "destructive" ? "write" : effect);
  return [
    ran.map(({ signature: text, effect }) => [number(text), kind(effect)]),
    queue.map((call) => number(signature(call))),
    queue.length > 0 ? called_in : "",
    allowed.map(number),
    number(refused.reply),
  ];
}

/**
 * The step of an edge from this very configuration: the edge may have been found from another one that the chart cannot
 * tell from it. Throws if it can, for then keyOf forgets too much.
 */
export function follow(graph: Graph, at: TurnSnapshot, edge: Edge): Edge {
  const real = graph.step(at, edge.choice.name);
  if (keyOf(real.after) !== keyOf(edge.after) || real.arcs.join() !== edge.arcs.join())
    throw new Error(`"${edge.choice.name}" in ${at.value} depends on what keyOf leaves out`);
  return real;
}

/** Every path to a final configuration that comes to no configuration twice. */
export function* everyPath(graph: Graph): Generator<Path> {
  const edges: Edge[] = [];
  const onPath = new Set<string>();
  function* from(at: TurnSnapshot): Generator<Path> {
    if (at.status !== "active") {
      yield { input: graph.input, first: graph.first, edges: [...edges] };
      return;
    }
    const key = keyOf(at);
    if (onPath.has(key)) return;
    onPath.add(key);
    for (const found of graph.edges(at)) {
      const edge = follow(graph, at, found);
      edges.push(edge);
      yield* from(edge.after);
      edges.pop();
    }
    onPath.delete(key);
  }
  yield* from(graph.first);
}
