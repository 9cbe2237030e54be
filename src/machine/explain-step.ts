import { getInitialMicrosteps } from "xstate";
import { stepsOf, type Steps } from "./step.ts";
import { guardName } from "./to-mermaid.ts";
import { guards } from "./turn.guards.ts";
import { turnMachine, type TurnSnapshot } from "./turn.machine.ts";
import type { TurnEvent, TurnInput } from "./turn.types.ts";

/** One way that the chart had, in its order, and whether its guard let it be taken. */
export interface ConsideredArc {
  /** The state it leaves: another than the first one once the chart has passed through a state on its way. */
  from: string;
  guard: string;
  target: string;
  allowed: boolean;
  /** XState's id of the state that has the arc: the machine's own id for what is heeded in every state. */
  source: string;
  /** XState's type of the event; "" for a way without one. */
  event: string;
  /** Its place among the arcs that its state has for this event. */
  index: number;
}

const isGuard = (name: string): name is keyof typeof guards => Object.hasOwn(guards, name);

type Arcs = NonNullable<typeof turnMachine.root.always>;

const { root } = turnMachine;

/**
 * The ways the chart had for an event, up to each one that was taken: why this arc and no other. A state that is only
 * passed through adds the ways it had without an event, judged by the turn as it was there.
 */
export function consideredArcs(before: TurnSnapshot, event: TurnEvent): ConsideredArc[] {
  const arcs = [
    ...(root.states[before.value]?.transitions.get(event.type) ?? []),
    ...(root.transitions.get(event.type) ?? []),
  ];
  const first = considered(arcs, before, event);
  // Most steps lead to a state that has no way without an event, and need not be taken again.
  return root.states[first.at(-1)?.target ?? ""]?.always
    ? [...first, ...passed(microstepsOf(before, event), event)]
    : first;
}

/** The ways without an event that a turn had as it began. */
export function consideredAtStart(input: TurnInput): ConsideredArc[] {
  const snapshots = getInitialMicrosteps(turnMachine, input).map(([snapshot]) => snapshot);
  // The guards of these ways read the turn alone, so that any event will do.
  return passed(snapshots, { type: "abort", by: "user" });
}

const passed = (snapshots: readonly TurnSnapshot[], event: TurnEvent): ConsideredArc[] =>
  snapshots.flatMap((snapshot) =>
    considered(root.states[snapshot.value]?.always ?? [], snapshot, event),
  );

let seen: TurnSnapshot[] = [];
let steps: Steps | null = null;

/** XState's `getMicrosteps` does the same and makes an actor each time, which is most of its cost. */
function microstepsOf(before: TurnSnapshot, event: TurnEvent): TurnSnapshot[] {
  steps ??= stepsOf(turnMachine, (inspected) => {
    if (inspected.type === "@xstate.microstep") seen.push(inspected.snapshot as TurnSnapshot);
  });
  seen = [];
  steps.next(before, event);
  return seen;
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
    const target = arc.target?.[0]?.key ?? value;
    found.push({ from: value, guard, target, allowed, ...placeOf(arc, arcs) });
    if (allowed) break;
  }
  return found;
}

function placeOf(arc: Arcs[number], arcs: Arcs): Pick<ConsideredArc, "source" | "event" | "index"> {
  const { source, eventType } = arc;
  const index = arcs.filter((other) => other.source === source).indexOf(arc);
  return { source: source.id, event: eventType, index };
}
