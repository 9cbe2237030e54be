import { createActor, type InspectionEvent } from "xstate";
import { askForCalls, askForText, type AskModelOptions } from "./actors/ask-model.ts";
import type { Asker } from "./actors/ask-user.ts";
import { useTool, type UseToolsOptions } from "./actors/use-tools.ts";
import { wait } from "./actors/wait.ts";
import { signature, type Call } from "./contracts/call.ts";
import { summary } from "./contracts/explain.ts";
import type { HarnessEvent, ResultEvent } from "./events.ts";
import { exitCodeOf } from "./exit-code.ts";
import { ledger } from "./guardrails/ledger.ts";
import type { Resumption } from "./journal/fold.ts";
import type { Journal } from "./journal/journal.ts";
import { holdsRedacted } from "./journal/redaction-mark.ts";
import { firstState, turnMachine, type TurnSnapshot } from "./machine/turn.machine.ts";
import type {
  AskForCallsOutput,
  AskForTextOutput,
  AskModelInput,
  AskUserInput,
  AskUserOutput,
  PendingQuestion,
  StopCause,
  Turn,
  TurnInput,
  UseToolInput,
  UseToolOutput,
  WaitInput,
} from "./machine/turn.types.ts";
import { Recorder } from "./recorder.ts";
import { Work } from "./turn-work.ts";

export interface Ports {
  modelOptions: AskModelOptions;
  toolOptions: Omit<UseToolsOptions, "starting">;
  asker: Asker;
  emit: (event: HarnessEvent) => void;
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
  const work = new Work(recorder);
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
  const abort = () => (work.isActing ? setImmediate(stop) : stop());
  try {
    const turn = await new Promise<Turn>((resolve, reject) => {
      actor.subscribe({ error: reject, complete: () => resolve(actor.getSnapshot().context) });
      actor.start();
      signal?.addEventListener("abort", abort);
      if (signal?.aborted) stop();
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

/** The ports of the chart, each telling what passes through it. */
function actorsOf(
  { modelOptions: options, toolOptions, asker, emit }: Ports,
  { work, recorder, resumed }: { work: Work; recorder: Recorder; resumed: Resumption | null },
) {
  const modelOptions: AskModelOptions = {
    ...options,
    emit: (event) => {
      if (event.type === "thinking") recorder.hear(event.text);
      emit(event);
    },
  };
  const run = resumable(resumed, (call, turn, signal) =>
    useTool(
      { ...toolOptions, starting: (started, effect) => recorder.intent(started, effect) },
      { call, turn },
      signal,
    ),
  );
  const heard = <Output extends AskForCallsOutput | AskForTextOutput>(
    output: Output,
    { task }: AskModelInput,
  ) => {
    if (output.kind === "refused")
      emit({ type: "refusal", task, code: output.problem.code, message: summary(output.problem) });
    if (output.kind === "failed") {
      const { code, message, retryable } = output.problem;
      emit({ type: "error", code, message, retryable });
    }
    return output;
  };
  return {
    askForCalls: work.port<AskForCallsOutput, AskModelInput>(
      ({ task }) => task,
      async (input, signal) => heard(await askForCalls(modelOptions, input, signal), input),
    ),
    askForText: work.port<AskForTextOutput, AskModelInput>(
      ({ task }) => task,
      async (input, signal) => heard(await askForText(modelOptions, input, signal), input),
    ),
    useTool: work.port<UseToolOutput, UseToolInput>(
      () => "tool_use",
      async ({ call, turn }, signal) => {
        // A call that was confirmed was told of before the question.
        if (!turn.allowed.includes(signature(call))) emit({ type: "tool_use", call });
        const output = await run(call, turn, signal);
        if (output.kind !== "needs_permission") emit(toolResult(call, output));
        return output;
      },
    ),
    askUser: work.port<AskUserOutput, AskUserInput>(
      () => "ask_user_question",
      (input, signal) => {
        emit(questionEvent(input.pending));
        return asker.ask(input, signal);
      },
    ),
    wait: work.port<undefined, WaitInput>(() => "fail_recovery", wait),
  };
}

function questionEvent(pending: PendingQuestion): HarnessEvent {
  const { kind, question } = pending;
  const interrupted = kind === "confirm" && pending.interrupted === true;
  return { type: "question", kind, question, ...(interrupted ? { interrupted } : {}) };
}

type Run = (call: Call, turn: Turn, signal: AbortSignal) => Promise<UseToolOutput>;

/**
 * The first call of a resumed turn may have been at work when the turn was cut short. A mere look is taken again;
 * anything else is not run a second time: recovery is told that its outcome is unknown.
 */
function resumable(resumed: Resumption | null, run: Run): Run {
  let interrupted = resumed?.intent?.effect === "read" ? null : (resumed?.intent ?? null);
  return async (call, turn, signal) => {
    const effect = interrupted?.effect;
    interrupted = null;
    if (effect)
      return {
        kind: "failed",
        problem: { code: "interrupted", tool: call.name },
        effect,
        observation: null,
      };
    if (resumed && holdsRedacted(call.input)) {
      const reason = "its input held a secret, which a journal does not keep";
      return {
        kind: "failed",
        problem: { code: "script_not_started", tool: call.name, reason },
        effect: "read",
        observation: null,
      };
    }
    return run(call, turn, signal);
  };
}

/** What XState starts an actor from: the state, and the actors that were at work in it. */
const persisted = ({ snapshot }: Resumption) =>
  turnMachine.getPersistedSnapshot(snapshot) as TurnSnapshot;

function toolResult(call: UseToolInput["call"], output: UseToolOutput): HarnessEvent {
  const observation =
    output.kind === "result" || output.kind === "failed" ? output.observation : null;
  return {
    type: "tool_result",
    call,
    ok: output.kind !== "failed",
    code: output.kind === "failed" ? output.problem.code : null,
    output: observation?.output ?? (output.kind === "failed" ? summary(output.problem) : ""),
    exit_code: observation?.exit_code ?? null,
    duration_ms: observation?.duration_ms ?? null,
  };
}

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
