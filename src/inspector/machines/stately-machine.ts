import type { AnyStateMachine } from "xstate";
import { plainJson } from "./plain-json.ts";
import type { SimulatedStep } from "./simulate.ts";

/** The version of `@statelyai/inspect` whose protocol this is. */
const PROTOCOL_VERSION = "0.7.2";

/** A run as an actor of that package's protocol: `@xstate.actor`. */
export function statelyActor(
  machine: AnyStateMachine,
  run: number,
  first: SimulatedStep,
  at: number,
): object {
  return {
    type: "@xstate.actor",
    ...common(machine, run, 0, at),
    name: machine.id,
    parentId: undefined,
    definition: definitionOf(machine),
    snapshot: snapshotOf(first),
  };
}

/** A step in the same protocol: the event, if there was one, and the snapshot behind it. */
export function statelyMachineStep(
  machine: AnyStateMachine,
  run: number,
  index: number,
  step: SimulatedStep,
  at: number,
): object[] {
  const same = common(machine, run, index, at);
  const event = plainJson(step.event ?? { type: "xstate.init" });
  const sent = { type: "@xstate.event", ...same, event, sourceId: undefined };
  return [sent, { type: "@xstate.snapshot", ...same, event, snapshot: snapshotOf(step) }];
}

function common(machine: AnyStateMachine, run: number, index: number, at: number) {
  const sessionId = `${machine.id}:${run}`;
  return {
    _version: PROTOCOL_VERSION,
    createdAt: String(at),
    id: `${sessionId}:${index}`,
    rootId: sessionId,
    sessionId,
  };
}

const snapshotOf = ({ snapshot, context }: SimulatedStep) => ({
  status: snapshot.status,
  value: plainJson(snapshot.value),
  context,
  output: plainJson(snapshot.output),
});

/** The machine's own config, with functions by name; a config that cannot be written down is told by its id. */
function definitionOf({ id, config }: AnyStateMachine): string {
  try {
    return JSON.stringify(config, (_key, value: unknown) =>
      typeof value === "function" ? { type: "type" in value ? value.type : value.name } : value,
    );
  } catch {
    return JSON.stringify({ id });
  }
}
