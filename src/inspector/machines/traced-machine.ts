import { and, type AnyStateMachine, type AnyStateNode, type AnyTransitionDefinition } from "xstate";
import { arcId, guardText } from "../chart/chart-of.ts";
import { plainJson } from "./plain-json.ts";

/** More arcs than this without coming to rest go round for ever. XState itself has no limit unless a machine sets one. */
const ARCS_MAX = 10_000;
const MESSAGE_MAX = 500;

type Mark =
  | { kind: "looked_at"; id: string; isEventless: boolean; allowed: boolean }
  | { kind: "taken"; id: string };

/** What happened inside a step, in order. */
export class Trace {
  actions: string[] = [];
  /** The guard that threw, in words; "" if none did. */
  fault = "";
  #marks: Mark[] = [];
  #taken = 0;

  begin(): void {
    this.actions = [];
    this.fault = "";
    this.#marks = [];
    this.#taken = 0;
  }

  lookedAt(id: string, isEventless: boolean, allowed: boolean): void {
    this.#marks.push({ kind: "looked_at", id, isEventless, allowed });
  }

  taken(id: string): void {
    this.#taken += 1;
    if (this.#taken > ARCS_MAX)
      throw new Error(
        `it takes more than ${ARCS_MAX} arcs without coming to rest: its "always" arcs or raised events go round for ever`,
      );
    this.#marks.push({ kind: "taken", id });
  }

  /** Whether any arc was there for an event. */
  get sawEvent(): boolean {
    return this.#marks.some((mark) => mark.kind === "looked_at" && !mark.isEventless);
  }

  /**
   * The arcs in the order they were looked at. Two regions may choose arcs that exclude each other: XState takes one, and
   * the other is left out here, for no guard said no to it. Of the looks that regions share, one is kept.
   */
  get arcs(): { id: string; allowed: boolean }[] {
    return microsteps(this.#marks).flatMap((marks) => {
      const taken = new Set(marks.flatMap(({ kind, id }) => (kind === "taken" ? [id] : [])));
      const seen = new Set<string>();
      return marks.flatMap((mark) => {
        if (mark.kind === "taken" || seen.has(mark.id)) return [];
        seen.add(mark.id);
        const { id, allowed } = mark;
        return allowed && !taken.has(id) ? [] : [{ id, allowed }];
      });
    });
  }
}

/** XState looks at arcs, then takes those it chose: a look behind an arc taken begins another microstep. */
function microsteps(marks: readonly Mark[]): Mark[][] {
  const groups: Mark[][] = [];
  let last: Mark | undefined;
  for (const mark of marks) {
    if (!last || (last.kind === "taken" && mark.kind === "looked_at")) groups.push([]);
    groups.at(-1)?.push(mark);
    last = mark;
  }
  return groups;
}

export interface TracedMachine {
  machine: AnyStateMachine;
  trace: Trace;
  /** Of its arcs, what the tracing hides. A forbidden arc does nothing but keep the event from the states above. */
  arcs: ReadonlyMap<AnyTransitionDefinition, { guard: string; isForbidden: boolean }>;
}

/**
 * A copy of a machine that tells which arcs XState looked at and took, and which actions ran. XState tells neither guards
 * nor `assign`s. Guards are judged by XState, once, when it comes to them: to judge them again would be a second opinion.
 */
export function tracedMachine(original: AnyStateMachine): TracedMachine {
  const trace = new Trace();
  const named = Object.entries(original.implementations.actions);
  const machine = original.provide({
    actions: Object.fromEntries(
      named.map(([name, action]) => [name, tracedAction(action, name, trace) as never]),
    ),
  }) as AnyStateMachine;
  const arcs: TracedMachine["arcs"] = new Map(
    nodesOf(machine.root).flatMap((node) => {
      for (const place of [node, node.initial]) traceActions(place, trace);
      return arcsOf(node).map(([id, arc]) => [arc, traceArc(id, arc, trace)] as const);
    }),
  );
  return { machine, trace, arcs };
}

/** A state and all below it, in document order. */
export const nodesOf = (node: AnyStateNode): AnyStateNode[] => [
  node,
  ...Object.values(node.states).flatMap((child) => nodesOf(child)),
];

function arcsOf(node: AnyStateNode): [string, AnyTransitionDefinition][] {
  const eventless: [string, readonly AnyTransitionDefinition[]] = ["", node.always ?? []];
  return [eventless, ...node.transitions].flatMap(([event, arcs]) =>
    arcs.map((arc, index): [string, AnyTransitionDefinition] => [
      arcId(node.id, event, index),
      arc,
    ]),
  );
}

function traceArc(id: string, arc: AnyTransitionDefinition, trace: Trace) {
  const { guard, target, actions, reenter, eventType } = arc;
  const isForbidden = !guard && !target && actions.length === 0 && !reenter;
  traceActions(arc, trace);
  const check: BuiltIn["check"] = (snapshot, args) => {
    const allowed = guard === undefined || judged(guard, snapshot, args, id, trace);
    trace.lookedAt(id, eventType === "", allowed);
    return allowed;
  };
  const resolve: BuiltIn["resolve"] = (_scope, snapshot) => {
    trace.taken(id);
    return [snapshot, undefined, undefined];
  };
  Object.assign(arc, {
    guard: Object.assign(() => false, { check }),
    actions: [Object.assign(() => {}, { type: "taken", resolve }), ...arc.actions],
  });
  return { guard: guardText(guard), isForbidden };
}

/** XState's own built-in guards and actions are functions with one of these beside them. */
interface BuiltIn {
  check: (snapshot: unknown, args: unknown, guard: unknown) => boolean;
  resolve: (scope: unknown, snapshot: unknown, ...rest: unknown[]) => unknown[];
}

/** XState exports no way to judge one guard, but to judge all guards of a list. */
function judged(guard: unknown, snapshot: unknown, args: unknown, id: string, trace: Trace) {
  const all = and([guard as never]) as unknown as BuiltIn;
  try {
    return all.check(snapshot, args, all);
  } catch (error) {
    trace.fault ||= `the guard ${guardText(guard)} of ${id} throws: ${messageOf(error)}`;
    throw error;
  }
}

/** Actions written in place. A list may be the author's own and is left as it is. */
function traceActions(place: object, trace: Trace): void {
  for (const key of ["actions", "entry", "exit"]) {
    const actions: unknown = Reflect.get(place, key);
    if (!Array.isArray(actions)) continue;
    const traced = actions.map((action: unknown) =>
      isBuiltIn(action) ? tracedAction(action, action.type, trace) : action,
    );
    Reflect.set(place, key, traced);
  }
}

const isBuiltIn = (action: unknown): action is Pick<BuiltIn, "resolve"> & { type: string } =>
  typeof action === "function" && "resolve" in action && "type" in action;

/**
 * One of XState's own actions, called by its name in the machine. Those that only change the context are told when they
 * are resolved; all others are handed to whoever runs actions, by their type.
 */
function tracedAction(action: unknown, name: string, trace: Trace): unknown {
  if (!isBuiltIn(action)) return action;
  const traced = Object.assign(() => {}, action, {
    type: name,
    resolve: (...args: unknown[]) => {
      if (!("execute" in action)) trace.actions.push(name.replace(/^xstate\./, ""));
      const own = args.map((arg) => (arg === traced ? action : arg));
      return Reflect.apply(action.resolve, undefined, own) as unknown[];
    },
  });
  return traced;
}

/** What was thrown, on one line; anything can be thrown. */
export function messageOf(error: unknown): string {
  const text = error instanceof Error ? error.message : JSON.stringify(plainJson(error));
  return text.replaceAll(/\s+/g, " ").slice(0, MESSAGE_MAX);
}
