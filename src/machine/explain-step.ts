import { getMicrosteps } from "xstate";
import { guardName } from "./to-mermaid.ts";
import { guards } from "./turn.guards.ts";
import { turnMachine, type TurnSnapshot } from "./turn.machine.ts";
import type { TurnEvent } from "./turn.types.ts";

/** One way that the chart had, in its order, and whether its guard let it be taken. */
export interface ConsideredArc {
  /** The state it leaves: another than the first one once the chart has passed through a state on its way. */
  from: string;
  guard: string;
  target: string;
  allowed: boolean;
}

const isGuard = (name: string): name is keyof typeof guards => Object.hasOwn(guards, name);

type Arcs = NonNullable<typeof turnMachine.root.always>;

/**
 * The ways the chart had for an event, up to each one that was taken: why this arc and no other. A state that is only
 * passed through adds the ways it had without an event, judged by the turn as it was there.
 */
export function consideredArcs(before: TurnSnapshot, event: TurnEvent): ConsideredArc[] {
  const { root } = turnMachine;
  const arcs = [
    ...(root.states[before.value]?.transitions.get(event.type) ?? []),
    ...(root.transitions.get(event.type) ?? []),
  ];
  const passed = getMicrosteps(turnMachine, before, event).flatMap(([snapshot]) =>
    considered(root.states[snapshot.value]?.always ?? [], snapshot, event),
  );
  return [...considered(arcs, before, event), ...passed];
}

function considered(
  arcs: Arcs,
  { value, context }: TurnSnapshot,
  event: TurnEvent,
): ConsideredArc[] {
  const found: ConsideredArc[] = [];
  for (const arc of arcs) {
    const guard = guardName(arc.guard);
    const allowed = !isGuard(guard) || guards[guard]({ context, event });
    found.push({ from: value, guard, target: arc.target?.[0]?.key ?? value, allowed });
    if (allowed) break;
  }
  return found;
}
