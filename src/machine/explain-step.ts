import type { SnapshotFrom } from "xstate";
import { guards } from "./turn.guards.ts";
import { turnMachine } from "./turn.machine.ts";
import type { TurnEvent } from "./turn.types.ts";

/** One way that the chart had, in its order, and whether its guard let it be taken. */
export interface ConsideredArc {
  guard: string;
  target: string;
  allowed: boolean;
}

function nameOf(guard: unknown): string {
  if (typeof guard === "string") return guard;
  return typeof guard === "object" && guard && "type" in guard ? String(guard.type) : "";
}

const isGuard = (name: string): name is keyof typeof guards => Object.hasOwn(guards, name);

/** The ways a state had for an event, up to the one that was taken: why this arc and no other. */
export function consideredArcs(
  before: SnapshotFrom<typeof turnMachine>,
  event: TurnEvent,
): ConsideredArc[] {
  const node = turnMachine.root.states[before.value];
  const arcs = [
    ...(node?.transitions.get(event.type) ?? []),
    ...(turnMachine.root.transitions.get(event.type) ?? []),
  ];
  const considered: ConsideredArc[] = [];
  for (const arc of arcs) {
    const guard = nameOf(arc.guard);
    const allowed = !isGuard(guard) || guards[guard]({ context: before.context, event });
    considered.push({ guard, target: arc.target?.[0]?.key ?? before.value, allowed });
    if (allowed) break;
  }
  return considered;
}
