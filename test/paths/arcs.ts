import type { InspectionEvent } from "xstate";
import { turnMachine } from "../../src/machine/turn.machine.ts";

interface Transition {
  source: { id: string; transitions: Map<string, unknown[]>; always?: unknown[] | undefined };
  eventType: string;
}

/** A name that `.provide()` does not change: where from, on what, and which of them. */
function arcOf(transition: Transition): string {
  const { source, eventType } = transition;
  const all = eventType === "" ? source.always : source.transitions.get(eventType);
  return `${source.id} ${eventType || "always"} #${all?.indexOf(transition) ?? -1}`;
}

/** The arcs of one microstep; an initial step has none. */
export function arcsIn(event: InspectionEvent): string[] {
  if (event.type !== "@xstate.microstep") return [];
  const { _transitions: transitions } = event;
  return transitions
    .filter(({ source }) => (source as unknown) !== undefined)
    .map((transition) => arcOf(transition));
}

/** Every arc of the chart that ships, the one for an abort included. */
export function chartArcs(): string[] {
  return [turnMachine.root, ...Object.values(turnMachine.root.states)].flatMap((node) =>
    [...(node.always ?? []), ...[...node.transitions.values()].flat()].map((arc) => arcOf(arc)),
  );
}
