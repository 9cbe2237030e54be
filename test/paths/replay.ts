import { createActor, fromPromise, type InspectionEvent } from "xstate";
import { turnMachine } from "../../src/machine/turn.machine.ts";
import type {
  AskForCallsOutput,
  AskForTextOutput,
  AskModelInput,
  AskUserInput,
  AskUserOutput,
  TurnEvent,
  UseToolInput,
  UseToolOutput,
  WaitInput,
} from "../../src/machine/turn.types.ts";
import type { TurnSnapshot } from "../../src/machine/turn.machine.ts";
import { arcsIn } from "./arcs.ts";
import type { Path } from "./paths.ts";

/** A promise of a real actor that waits until the path settles it. */
interface Held {
  resolve: (output: unknown) => void;
  reject: (error: unknown) => void;
  signal: AbortSignal;
}

let held = new Map<string, Held>();

/** An actor that the path settles, by the id that it is invoked with. */
const hold = <Output, Input>(idOf: (input: Input) => string) =>
  fromPromise<Output, Input>(
    ({ input, signal }) =>
      new Promise((resolve, reject) => {
        const id = idOf(input);
        if (held.has(id)) throw new Error(`${id} was started a second time`);
        held.set(id, { resolve: resolve as Held["resolve"], reject, signal });
      }),
  );

// Once: each .provide() builds the whole chart again.
const machine = turnMachine.provide({
  actors: {
    askForCalls: hold<AskForCallsOutput, AskModelInput>(({ task }) => task),
    askForText: hold<AskForTextOutput, AskModelInput>(({ task }) => task),
    useTool: hold<UseToolOutput, UseToolInput>(() => "tool_use"),
    askUser: hold<AskUserOutput, AskUserInput>(() => "ask_user_question"),
    wait: hold<undefined, WaitInput>(() => "fail_recovery"),
  },
});

export interface Replayed {
  snapshot: TurnSnapshot;
  /** Arcs that the real actor took, in order. */
  arcs: string[];
  /** Actors that still wait, and whom nobody has told to stop. */
  leaked: string[];
}

/**
 * Plays a path on the real machine with real promise actors; throws where it differs from the model. `arcs` stay
 * unknown unless they are wanted: watching every microstep takes most of the time of a long list.
 */
export async function replay({ input, first, edges }: Path, watch = false): Promise<Replayed> {
  held = new Map();
  const arcs: string[] = [];
  const errors: unknown[] = [];
  const inspect = (event: InspectionEvent) => arcs.push(...arcsIn(event));
  const actor = createActor(machine, watch ? { input, inspect } : { input });
  actor.subscribe({ error: (error) => errors.push(error) });
  actor.start();
  compare(first, actor.getSnapshot(), "at first");
  for (const [index, { choice, after }] of edges.entries()) {
    await settle(choice.event, (event) => actor.send(event));
    if (errors.length > 0) throw errors[0];
    compare(after, actor.getSnapshot(), `step ${index}, ${choice.name}`);
  }
  const leaked = [...held].filter(([, { signal }]) => !signal.aborted).map(([id]) => id);
  actor.stop();
  return { snapshot: actor.getSnapshot(), arcs, leaked };
}

async function settle(event: TurnEvent, send: (event: TurnEvent) => void): Promise<void> {
  if (event.type === "abort") {
    send(event);
    return;
  }
  const id = event.actorId;
  const actor = held.get(id);
  if (!actor || actor.signal.aborted) throw new Error(`${id} is not at work`);
  held.delete(id);
  if ("output" in event) actor.resolve(event.output);
  else actor.reject(event.error);
  // From the promise to the actor's own `then`, and from there to the machine.
  for (let turns = 0; turns < 3; turns++) await Promise.resolve();
}

/** Paths share their beginnings, so what the model has is written out once. */
const written = new WeakMap<TurnSnapshot, string>();

const textOf = ({ value, status, context, children }: TurnSnapshot): string =>
  JSON.stringify([value, status, status === "active" ? Object.keys(children) : [], context]);

/** The state, everything in the turn, and the actors at work. */
function compare(model: TurnSnapshot, real: TurnSnapshot, where: string): void {
  const wanted = written.get(model) ?? textOf(model);
  written.set(model, wanted);
  const got = textOf(real);
  if (wanted !== got) throw new Error(`${where}: the model has ${wanted}, the machine ${got}`);
}
