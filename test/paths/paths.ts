import { createActor, type AnyActorScope, type InspectionEvent } from "xstate";
import { signature, type Call } from "../../src/contracts/call.ts";
import { isGoingRound, isRepeat } from "../../src/guardrails/repeat.ts";
import { turnMachine } from "../../src/machine/turn.machine.ts";
import type { SkillCard, Turn, TurnInput } from "../../src/machine/turn.types.ts";
import type { Snapshot } from "../../src/proof/machine.ts";
import { choices, type Choice } from "../../src/proof/outcomes.ts";
import { arcsIn } from "./arcs.ts";

/** One step of a path: what happened, the arcs of the chart that it took, and the configuration after it. */
export interface Edge {
  choice: Choice;
  arcs: string[];
  after: Snapshot;
}

/** A turn from its first configuration to a final one. */
export interface Path {
  input: TurnInput;
  first: Snapshot;
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
  "text to load": [card("text", false, false)],
  "tools to load": [card("tools", false, true)],
  "tools at hand": [card("base", true, true)],
  "tools at hand, more to load": [card("base", true, true), card("tools", false, true)],
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

/**
 * What can happen next. The proof has the exact calls of a turn forgotten, so it needs no word for making an earlier
 * call once more after something was written; a path that really goes round needs it.
 */
export function possible(snapshot: Snapshot): Choice[] {
  const all = choices(snapshot);
  if (snapshot.value !== "tool_call" || snapshot.status !== "active") return all;
  const { ran } = snapshot.context;
  const again = ran
    .map(({ signature: text }) => callOf(text))
    .find((call) => !isRepeat(call, ran) && !isGoingRound(call, ran));
  const like = all.find(({ name }) => name === "one call");
  if (!again || !like || !("output" in like.event)) return all;
  const output = Object.assign({}, like.event.output, { calls: [again] });
  return [
    ...all,
    { name: "an earlier call again", event: Object.assign({}, like.event, { output }) },
  ];
}

function callOf(text: string): Call {
  const space = text.indexOf(" ");
  return { name: text.slice(0, space), input: JSON.parse(text.slice(space + 1)) as Call["input"] };
}

// ——— exact exploration ———

const nothing = () => {};

/** Pure steps of the shipped machine that also say which arcs they took. */
class Stepper {
  readonly #scope: AnyActorScope;
  #arcs: string[] = [];

  constructor(input: TurnInput) {
    const inspect = (event: InspectionEvent) => this.#arcs.push(...arcsIn(event));
    const self = createActor(turnMachine, { input, inspect });
    this.#arcs = [];
    this.#scope = {
      self,
      id: self.id,
      sessionId: self.sessionId,
      system: self.system,
      logger: nothing,
      defer: nothing,
      emit: nothing,
      stopChild: nothing,
      actionExecutor: nothing,
    } as AnyActorScope;
  }

  first(input: TurnInput): { after: Snapshot; arcs: string[] } {
    this.#arcs = [];
    const after = turnMachine.getInitialSnapshot(this.#scope as never, input) as Snapshot;
    return { after, arcs: this.#arcs };
  }

  step(before: Snapshot, choice: Choice): Edge {
    this.#arcs = [];
    const after = turnMachine.transition(before, choice.event, this.#scope as never) as Snapshot;
    return { choice, arcs: this.#arcs, after };
  }
}

/** All that can happen within given limits, found out only as far as somebody asks. */
export class Graph {
  readonly input: TurnInput;
  readonly first: Snapshot;
  /** Arcs taken before the first event. */
  readonly firstArcs: string[];
  readonly #stepper: Stepper;
  readonly #edges = new Map<string, Edge[]>();

  constructor(input: TurnInput) {
    this.input = input;
    this.#stepper = new Stepper(input);
    const { after, arcs } = this.#stepper.first(input);
    this.first = after;
    this.firstArcs = arcs;
  }

  /** The edge of one choice, by its name. */
  step(before: Snapshot, name: string): Edge {
    const choice = possible(before).find((candidate) => candidate.name === name);
    if (!choice) throw new Error(`"${name}" cannot happen in ${before.value}`);
    return this.#stepper.step(before, choice);
  }

  /** One edge for each thing that the chart can tell apart: other arcs taken, or another configuration after. */
  edges(before: Snapshot): Edge[] {
    const key = keyOf(before);
    const known = this.#edges.get(key);
    if (known) return known;
    const different = new Map<string, Edge>();
    for (const choice of possible(before)) {
      const edge = this.#stepper.step(before, choice);
      const kind = `${edge.arcs.join()} ${keyOf(edge.after)}`;
      if (!different.has(kind)) different.set(kind, edge);
    }
    const edges = [...different.values()];
    this.#edges.set(key, edges);
    return edges;
  }
}

const keys = new WeakMap<Snapshot, string>();

/** All of a configuration that a guard reads, budgets exactly; texts and counts of tokens are left out. */
export function keyOf(snapshot: Snapshot): string {
  const key = keys.get(snapshot) ?? newKeyOf(snapshot);
  keys.set(snapshot, key);
  return key;
}

function newKeyOf({ value, status, context }: Snapshot): string {
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
export function follow(graph: Graph, at: Snapshot, edge: Edge): Edge {
  const real = graph.step(at, edge.choice.name);
  if (keyOf(real.after) !== keyOf(edge.after) || real.arcs.join() !== edge.arcs.join())
    throw new Error(`"${edge.choice.name}" in ${at.value} depends on what keyOf leaves out`);
  return real;
}

/** Every path to a final configuration that comes to no configuration twice. */
export function* everyPath(graph: Graph): Generator<Path> {
  const edges: Edge[] = [];
  const onPath = new Set<string>();
  function* from(at: Snapshot): Generator<Path> {
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
