import type { AnyActorRef, AnyMachineSnapshot, AnyStateMachine, EventObject } from "xstate";
import type { JsonObject } from "../../contracts/call.ts";
import { HarnessError } from "../../errors.ts";
import { limitChildren } from "./child-limits.ts";
import { acceptedEvents, actorOf } from "./accepted-events.ts";
import { childrenOf, inertScope } from "./inert-scope.ts";
import { patchBetween, patched } from "../patch.ts";
import { plainObject } from "./plain-json.ts";
import type { Accepted } from "../protocol.ts";
import { messageOf, tracedMachine, type TracedMachine } from "./traced-machine.ts";

/** Where a machine is after an event, and how it came there. Nothing in it changes any more. */
export interface SimulatedStep {
  snapshot: AnyMachineSnapshot;
  /** Null for the first step. */
  event: MachineEvent | null;
  /** Ids of the active states without active children, in document order. */
  states: string[];
  /** As in `StepView`. */
  arcs: { id: string; allowed: boolean }[];
  actions: string[];
  context: JsonObject;
  /** The actors that would be at work. None is ever started. */
  working: { id: string; src: string }[];
  /** Actors of this run that have given back their outcome. */
  finished: readonly unknown[];
  /** "done", "error", "stopped"; null while the machine goes on. */
  ended: string | null;
}

export type MachineEvent = JsonObject & { type: string };

/** Why an event made no step, in one sentence. */
export interface Refusal {
  refused: string;
}

/** A machine that does nothing on its own: no actor is started, no action is run, no time passes. */
export interface Simulation {
  first: SimulatedStep;
  /** Never throws, and leaves `before` as it is. */
  send(before: SimulatedStep, event: MachineEvent): SimulatedStep | Refusal;
  accepted(step: SimulatedStep): Accepted[];
}

/** Throws HarnessError "config" for a machine that cannot begin. */
export function createSimulation(machine: AnyStateMachine, input?: unknown): Simulation {
  limitChildren(machine);
  const traced = tracedMachine(machine);
  return {
    first: firstStep(traced, input),
    send: (before, event) => nextStep(traced, before, event),
    accepted: ({ snapshot, working, ended }) =>
      ended === null ? acceptedEvents(traced, snapshot, working) : [],
  };
}

function firstStep(traced: TracedMachine, input: unknown): SimulatedStep {
  const { machine, trace } = traced;
  trace.begin();
  const scope = inertScope(traced, null) as never;
  const snapshot = machine.getInitialSnapshot(scope, input as never) as AnyMachineSnapshot;
  // Before its first event XState makes whatever is thrown a snapshot.
  if (snapshot.status === "error") {
    const why = trace.fault || messageOf(snapshot.error);
    const mayNeedInput = input === undefined && typeof machine.config.context === "function";
    const hint = mayNeedInput ? "; if it needs an input, give it one" : "";
    throw new HarnessError("config", `the machine ${machine.id} cannot begin: ${why}${hint}`);
  }
  return stepTo(traced, snapshot, null, null);
}

function nextStep(
  traced: TracedMachine,
  before: SimulatedStep,
  event: MachineEvent,
): SimulatedStep | Refusal {
  const { machine, trace } = traced;
  if (before.ended !== null)
    return { refused: `the machine has ended (${before.ended}): go back to an earlier step` };
  if (event.type === "xstate.init" || event.type === "xstate.stop")
    return { refused: `${event.type} is XState's own event and cannot be sent` };
  trace.begin();
  try {
    const snapshot = machine.transition(
      before.snapshot as never,
      withActorId(event) as never,
      inertScope(traced, before.snapshot) as never,
    ) as AnyMachineSnapshot;
    if (snapshot.status === "active" && !trace.sawEvent)
      return { refused: `no active state takes ${event.type}, so nothing would change` };
    return stepTo(traced, snapshot, before, event);
  } catch (error) {
    return { refused: `${event.type} breaks the machine: ${trace.fault || messageOf(error)}` };
  }
}

function stepTo(
  { trace }: TracedMachine,
  snapshot: AnyMachineSnapshot,
  before: SimulatedStep | null,
  event: MachineEvent | null,
): SimulatedStep {
  const was = before?.context ?? {};
  const finished = [...(before?.finished ?? [])];
  const actor = actorOf(event?.type ?? "");
  if (actor !== null && before) finished.push(childrenOf(before.snapshot)[actor]);
  const children = snapshot.status === "active" ? Object.entries(childrenOf(snapshot)) : [];
  return {
    snapshot,
    event,
    states: leavesOf(snapshot),
    arcs: trace.arcs,
    actions: trace.actions,
    context: patched(was, patchBetween(was, plainObject(snapshot.context))),
    working: children
      .filter(([, child]) => !finished.includes(child))
      .map(([id, child]) => ({ id, src: sourceOf(child) })),
    finished: finished.filter((one) => children.some(([, child]) => child === one)),
    ended: snapshot.status === "active" ? null : snapshot.status,
  };
}

function leavesOf({ _nodes: nodes }: AnyMachineSnapshot): string[] {
  const leaves = nodes.filter(({ type }) => type === "atomic" || type === "final");
  return leaves.toSorted((a, b) => a.order - b.order).map(({ id }) => id);
}

function sourceOf(child: AnyActorRef | undefined): string {
  if (!child) return "(missing)";
  const { src } = child;
  return typeof src === "string" && !src.startsWith("xstate.invoke.") ? src : "(inline)";
}

/** An actor says who it is. Guards and actions get a copy: what they change in it is not what was sent. */
function withActorId(event: MachineEvent): EventObject {
  const actorId = actorOf(event.type);
  return structuredClone(actorId === null ? event : { actorId, ...event });
}
