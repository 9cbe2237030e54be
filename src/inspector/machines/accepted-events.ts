import { getNextTransitions, type AnyMachineSnapshot, type AnyTransitionDefinition } from "xstate";
import { labelOf } from "../chart/chart-of.ts";
import type { Accepted } from "../protocol.ts";
import type { TracedMachine } from "./traced-machine.ts";

/**
 * The events that the active states take, in XState's order: from each of them up to the root. What a state below takes
 * for certain, or forbids, is not told again. Outcomes are those of the actors at work.
 */
export function acceptedEvents(
  { arcs }: TracedMachine,
  snapshot: AnyMachineSnapshot,
  working: readonly { id: string }[],
): Accepted[] {
  const certain = new Map<string, AnyTransitionDefinition[]>();
  const accepted = new Map<string, Accepted>();
  for (const arc of getNextTransitions(snapshot)) {
    const type: string = arc.eventType;
    const known = arcs.get(arc);
    const below = certain.get(type) ?? [];
    if (!known || !isFromOutside(type, working)) continue;
    if (below.some(({ source }) => isAbove(arc.source, source))) continue;
    if (known.guard === "") certain.set(type, [...below, arc]);
    if (!known.isForbidden) addTo(accepted, arc, known.guard);
  }
  return [...accepted.values()];
}

function addTo(
  accepted: Map<string, Accepted>,
  { eventType, source: { id: from } }: AnyTransitionDefinition,
  guard: string,
): void {
  const type: string = eventType;
  const key = `${from} ${type}`;
  const entry = accepted.get(key) ?? { type, label: labelFor(type), from, guards: [] };
  if (guard !== "") entry.guards.push(guard);
  accepted.set(key, entry);
}

function isFromOutside(type: string, working: readonly { id: string }[]): boolean {
  if (type === "" || type.startsWith("xstate.done.state.")) return false;
  const actor = actorOf(type);
  return actor === null || working.some(({ id }) => id === actor);
}

function isAbove(
  node: AnyTransitionDefinition["source"],
  below: AnyTransitionDefinition["source"],
) {
  for (let up = below.parent; up; up = up.parent) if (up === node) return true;
  return false;
}

/** The event for people; of an actor with a name of its own, that name too. */
export function labelFor(type: string): string {
  const { label } = labelOf(type);
  const actor = actorOf(type);
  return actor === null || /^\d+\./.test(actor) ? label : `${label}: ${actor}`;
}

/** The actor that an event is the outcome of; null for other events. */
export const actorOf = (type: string): string | null =>
  /^xstate\.(?:done|error)\.actor\.(.+)$/s.exec(type)?.[1] ?? null;
