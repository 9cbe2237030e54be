import { createActor, type AnyActorScope } from "xstate";
import type { TurnEvent, TurnInput } from "../machine/turn.types.ts";
import type { Machine, Snapshot } from "./machine.ts";

const nothing = () => {};

/**
 * XState's own step of a machine, without its effects. XState's `transition` does the same and makes an actor for every
 * single step, which is most of its cost; here all steps share one that is never started.
 */
export function stepOf(machine: Machine): (before: Snapshot, event: TurnEvent) => Snapshot {
  const input: TurnInput = {
    messages: [],
    loaded_skills: [],
    question: "?",
    nonce: "",
    skills: [],
    limits: { max_retries: 0, max_steps: 0, max_asks: 0 },
  };
  const self = createActor(machine, { input });
  const scope = {
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
  return (before, event) => machine.transition(before, event, scope as never) as Snapshot;
}
