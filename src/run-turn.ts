import { createActor, fromPromise, type InspectionEvent } from "xstate";
import { askForCalls, askForText, type AskModelOptions } from "./actors/ask-model.ts";
import type { Asker } from "./actors/ask-user.ts";
import { useTool, type UseToolsOptions } from "./actors/use-tools.ts";
import { wait } from "./actors/wait.ts";
import { signature } from "./contracts/call.ts";
import { summary } from "./contracts/explain.ts";
import type { HarnessEvent, ResultEvent } from "./events.ts";
import { exitCodeOf } from "./exit-code.ts";
import { ledger } from "./guardrails/ledger.ts";
import { firstState, turnMachine } from "./machine/turn.machine.ts";
import type {
  AskForCallsOutput,
  AskForTextOutput,
  AskModelInput,
  AskUserInput,
  AskUserOutput,
  StopCause,
  Turn,
  TurnInput,
  UseToolInput,
  UseToolOutput,
  WaitInput,
} from "./machine/turn.types.ts";

export interface Ports {
  modelOptions: AskModelOptions;
  toolOptions: UseToolsOptions;
  asker: Asker;
  emit: (event: HarnessEvent) => void;
  inspect: (event: InspectionEvent) => void;
}

/** Fills the chart's ports, starts it, and waits until it and everything it started has ended. */
export async function runTurn(
  input: TurnInput,
  ports: Ports,
  signal: AbortSignal | undefined,
): Promise<Turn> {
  const { emit } = ports;
  const work = new Work();
  const path: string[] = [];
  const enter = (state: string | null) => {
    if (state === null) return;
    path.push(state);
    emit({ type: "state", state });
  };
  const machine = turnMachine.provide({ actors: actorsOf(ports, work) });
  enter(firstState); // XState reports no microstep for the first state
  const actor = createActor(machine, {
    input,
    inspect: (event) =>
      work.watch(() => {
        enter(enteredState(event));
        ports.inspect(event);
      }),
  });
  const abort = () => {
    // What is over cannot be stopped any more: XState would write a warning to the terminal.
    if (actor.getSnapshot().status === "active")
      actor.send({ type: "abort", by: stopCause(signal?.reason) });
  };
  try {
    const turn = await new Promise<Turn>((resolve, reject) => {
      actor.subscribe({ error: reject, complete: () => resolve(actor.getSnapshot().context) });
      actor.start();
      signal?.addEventListener("abort", abort);
      if (signal?.aborted) abort();
    });
    await work.ended();
    if (turn.outcome?.kind === "answered") emit({ type: "text", text: turn.outcome.text });
    emit(resultOf(turn, path));
    return turn;
  } finally {
    signal?.removeEventListener("abort", abort);
    work.stop();
    actor.stop();
  }
}

/** What the actors of one turn are doing. XState aborts the work of a state that was left, and does not wait for it. */
class Work {
  readonly #stopped = new AbortController();
  readonly #running = new Set<Promise<void>>();
  #crash: { error: unknown } | undefined;

  /** Makes an actor of a function. Its signal also fires when the machine itself breaks, which XState does not pass on. */
  port<Output, Input>(act: (input: Input, signal: AbortSignal) => Promise<Output>) {
    return fromPromise<Output, Input>(async ({ input, signal: left }) => {
      const signal = AbortSignal.any([left, this.#stopped.signal]);
      const result = act(input, signal);
      const settled = this.#settle(result, signal);
      this.#running.add(settled);
      await settled;
      this.#running.delete(settled);
      return result;
    });
  }

  async #settle(result: Promise<unknown>, signal: AbortSignal): Promise<void> {
    try {
      await result;
    } catch (error) {
      if (!signal.aborted) this.#crash ??= { error };
    }
  }

  /** Lets an observer look. XState would throw its bug into whoever sent the event, so it is kept for the end. */
  watch(look: () => void): void {
    try {
      look();
    } catch (error) {
      this.#crash ??= { error };
    }
  }

  /** Resolves when nothing runs any more. A bug in an actor or observer is thrown on from here, with its own stack. */
  async ended(): Promise<void> {
    await Promise.all(this.#running);
    if (this.#crash) throw this.#crash.error;
  }

  stop(): void {
    this.#stopped.abort();
  }
}

/** The four ports of the chart, each telling what passes through it. */
function actorsOf({ modelOptions, toolOptions, asker, emit }: Ports, work: Work) {
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
    askForCalls: work.port<AskForCallsOutput, AskModelInput>(async (input, signal) =>
      heard(await askForCalls(modelOptions, input, signal), input),
    ),
    askForText: work.port<AskForTextOutput, AskModelInput>(async (input, signal) =>
      heard(await askForText(modelOptions, input, signal), input),
    ),
    useTool: work.port<UseToolOutput, UseToolInput>(async ({ call, turn }, signal) => {
      // A call that was confirmed was told of before the question.
      if (!turn.allowed.includes(signature(call))) emit({ type: "tool_use", call });
      const output = await useTool(toolOptions, { call, turn }, signal);
      if (output.kind !== "needs_permission") emit(toolResult(call, output));
      return output;
    }),
    askUser: work.port<AskUserOutput, AskUserInput>((input, signal) => {
      emit({ type: "question", kind: input.pending.kind, question: input.pending.question });
      return asker.ask(input, signal);
    }),
    wait: work.port<undefined, WaitInput>(wait),
  };
}

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
