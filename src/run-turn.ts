import { createActor, type InspectionEvent } from "xstate";
import type { ResultEvent } from "./events.ts";
import { exitCodeOf } from "./exit-code.ts";
import { ledger } from "./guardrails/ledger.ts";
import type { Resumption } from "./journal/fold.ts";
import type { Journal } from "./journal/journal.ts";
import { firstState, turnMachine, type TurnSnapshot } from "./machine/turn.machine.ts";
import type { StopCause, Turn, TurnInput } from "./machine/turn.types.ts";
import { Recorder } from "./recorder.ts";
import { actorsOf, type ActorPorts } from "./turn-actors.ts";
import { Work, type Seams } from "./turn-work.ts";

export interface Ports extends ActorPorts, Seams {
  inspect: (event: InspectionEvent) => void;
}

/** Where a turn begins: at its input or, when it was cut short, at the state it was in. */
export interface Start {
  input: TurnInput;
  resumed: Resumption | null;
  journal: Journal | null;
  signal: AbortSignal | undefined;
}

/** Fills the chart's ports, starts it, and waits until it and everything it started has ended. */
export async function runTurn(
  { input, resumed, journal, signal }: Start,
  ports: Ports,
): Promise<Turn> {
  const { emit } = ports;
  const recorder = new Recorder(journal);
  const work = new Work({
    recorder,
    seams: ports,
    snapshot: (): TurnSnapshot => actor.getSnapshot(),
  });
  const path: string[] = [];
  const enter = (state: string | null) => {
    if (state === null) return;
    path.push(state);
    emit({ type: "state", state });
  };
  const machine = turnMachine.provide({
    actors: actorsOf(ports, { work, recorder, resumed }),
  });
  enter(resumed ? resumed.snapshot.value : firstState); // XState reports no microstep for the first state
  const actor = createActor(machine, {
    input,
    ...(resumed ? { snapshot: persisted(resumed) } : {}),
    inspect: (event) =>
      work.watch(() => {
        if (event.type === "@xstate.microstep") work.isActing = false;
        enter(enteredState(event));
        ports.inspect(event);
      }),
  });
  const stop = () => {
    // What is over cannot be stopped any more: XState would write a warning to the terminal.
    if (actor.getSnapshot().status !== "active") return;
    const by = stopCause(signal?.reason);
    work.watch(() => recorder.abort(by));
    actor.send({ type: "abort", by });
  };
  // An outcome that is in the journal is acted on first: only microtasks are left until then.
  const abort = () => {
    work.abort();
    if (work.isActing) setImmediate(stop);
    else stop();
  };
  try {
    const turn = await new Promise<Turn>((resolve, reject) => {
      actor.subscribe({ error: reject, complete: () => resolve(actor.getSnapshot().context) });
      actor.start();
      signal?.addEventListener("abort", abort);
      if (signal?.aborted) abort();
    });
    await work.ended();
    recorder.end(actor.getSnapshot().value, turn);
    if (turn.outcome?.kind === "answered") emit({ type: "text", text: turn.outcome.text });
    emit(resultOf(turn, path));
    return turn;
  } finally {
    signal?.removeEventListener("abort", abort);
    work.stop();
    actor.stop();
  }
}

/** What XState starts an actor from: the state, and the actors that were at work in it. */
const persisted = ({ snapshot }: Resumption) =>
  turnMachine.getPersistedSnapshot(snapshot) as TurnSnapshot;

/** The state that a microstep entered. Only the turn itself takes microsteps: its actors are promises. */
function enteredState(event: InspectionEvent): string | null {
  if (event.type !== "@xstate.microstep" || !("value" in event.snapshot)) return null;
  return typeof event.snapshot.value === "string" ? event.snapshot.value : null;
}

function stopCause(reason: unknown): StopCause {
  if (reason === "terminate") return "terminate";
  return reason instanceof Error && reason.name === "TimeoutError" ? "timeout" : "user";
}

function resultOf(turn: Turn, path: string[]): ResultEvent {
  const { outcome } = turn;
  const text =
    outcome?.kind === "needs_input"
      ? outcome.question
      : outcome && "text" in outcome
        ? outcome.text
        : "";
  return {
    type: "result",
    outcome: outcome?.kind ?? "fallback",
    text,
    path,
    calls: ledger(turn.log).map(({ call, outcome: how }) => ({ call, outcome: how })),
    tokens: turn.usage,
    ended_early: turn.ended_early,
    exit_code: exitCodeOf(turn),
  };
}
