import {
  createActor,
  fromTransition,
  type AnyActorRef,
  type AnyMachineSnapshot,
  type AnyStateMachine,
} from "xstate";
import { effectless } from "../../machine/step.ts";
import { nodesOf, type TracedMachine } from "./traced-machine.ts";

/** An actor that does nothing, to stand where XState wants one. */
const inert = fromTransition((state: object) => state, {});

/** What XState's steps need around them. Nothing that they ask of it is done; it only notes the actions. */
export function inertScope({ machine, trace }: TracedMachine, before: AnyMachineSnapshot | null) {
  const invoked = new Set(invokedBy(machine));
  const parent = createActor(inert); // A machine may send to its parent, as a part of a larger one.
  const self = createActor(inert, { id: machine.id, parent } as never);
  if (before) Object.assign(self, { _snapshot: before });
  const keyed = new Map<string, unknown>();
  for (const child of Object.values(before ? childrenOf(before) : {})) {
    const systemId: unknown = child && Reflect.get(child, "systemId");
    if (typeof systemId === "string") keyed.set(systemId, child);
  }
  // In XState's own system an actor that was stopped here, but only on paper, would keep its name from the next one.
  Object.assign(self.system, {
    get: (id: string) => keyed.get(id),
    _set: (id: string, child: unknown) => keyed.set(id, child),
  });
  return effectless(self, ({ type, params }) => {
    if (!isImplied(type, params, invoked)) trace.actions.push(actionName(type));
  });
}

/** A function without a name is called after the key it was written under. */
const actionName = (type: string): string =>
  /^(?:entry|exit|actions|\(anonymous\))$/.test(type) ? "(inline)" : type.replace(/^xstate\./, "");

const invokedBy = (machine: AnyStateMachine): string[] =>
  nodesOf(machine.root).flatMap(({ invoke }) => invoke.map(({ id }) => id));

/** Whether XState adds an action by itself: to start and stop a state's actors, and the clock of its `after`. */
function isImplied(type: string, params: unknown, invoked: ReadonlySet<string>): boolean {
  if (!/^xstate\.(?:spawnChild|stopChild|raise|cancel)$/.test(type)) return false;
  if (typeof params !== "object" || params === null) return false;
  const id: unknown = Reflect.get(params, "sendId") ?? Reflect.get(params, "id");
  return typeof id === "string" && (id.startsWith("xstate.after.") || invoked.has(id));
}

/** The actors of a snapshot by id; none where the machine has no logic for one. */
export const childrenOf = (snapshot: AnyMachineSnapshot) =>
  snapshot.children as Record<string, AnyActorRef | undefined>;
