import { createActor, type AnyActor, type AnyActorScope, type InspectionEvent } from "xstate";
import type { TurnMachine, TurnSnapshot } from "./turn.machine.ts";
import type { TurnEvent, TurnInput } from "./turn.types.ts";

/** A turn of which nothing is asked. */
export const noInput: TurnInput = {
  messages: [],
  loaded_skills: [],
  question: "?",
  nonce: "",
  skills: [],
  limits: { max_retries: 0, max_steps: 0, max_asks: 0 },
};

const nothing = () => {};

export interface Steps {
  first: (input: TurnInput) => TurnSnapshot;
  next: (before: TurnSnapshot, event: TurnEvent) => TurnSnapshot;
}

/** What XState's steps need around them; of all that they ask of it, only what is told of the actions is done. */
export const effectless = (
  self: AnyActor,
  actionExecutor: AnyActorScope["actionExecutor"] = nothing,
): AnyActorScope =>
  ({
    self,
    id: self.id,
    sessionId: self.sessionId,
    system: self.system,
    logger: nothing,
    defer: nothing,
    emit: nothing,
    stopChild: nothing,
    actionExecutor,
  }) as AnyActorScope;

/**
 * XState's own steps of a machine, without their effects. XState's `transition` does the same and makes an actor for
 * every single step, which is most of its cost; here all steps share one that is never started. `inspect` is told of
 * each microstep, and before any step of one that means nothing.
 */
export function stepsOf(
  machine: TurnMachine,
  inspect: (event: InspectionEvent) => void = nothing,
): Steps {
  const scope = effectless(createActor(machine, { input: noInput, inspect })) as never;
  return {
    first: (input) => machine.getInitialSnapshot(scope, input) as TurnSnapshot,
    next: (before, event) => machine.transition(before, event, scope) as TurnSnapshot,
  };
}

/** The same snapshot but for some of it. */
export const withChanges = (snapshot: TurnSnapshot, changes: object): TurnSnapshot =>
  Object.assign(
    Object.create(Object.getPrototypeOf(snapshot) as object) as TurnSnapshot,
    snapshot,
    changes,
  );
