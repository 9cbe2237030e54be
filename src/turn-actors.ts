import { askForCalls, askForText, type AskModelOptions } from "./actors/ask-model.ts";
import type { Asker } from "./actors/ask-user.ts";
import { useTool, type UseToolsOptions } from "./actors/use-tools.ts";
import { wait } from "./actors/wait.ts";
import { signature, type Call } from "./contracts/call.ts";
import { summary } from "./contracts/explain.ts";
import type { Problem } from "./contracts/problem.ts";
import type { HarnessEvent } from "./events.ts";
import type { Resumption } from "./journal/fold.ts";
import { holdsRedacted } from "./journal/redaction-mark.ts";
import type {
  AskForCallsOutput,
  AskForTextOutput,
  AskModelInput,
  AskUserInput,
  AskUserOutput,
  PendingQuestion,
  Turn,
  UseToolInput,
  UseToolOutput,
  WaitInput,
} from "./machine/turn.types.ts";
import type { Recorder } from "./recorder.ts";
import type { Effect } from "./session/entry.ts";
import type { Own, Work } from "./turn-work.ts";

/** What the actors do their work with. */
export interface ActorPorts {
  modelOptions: AskModelOptions;
  toolOptions: Omit<UseToolsOptions, "starting">;
  asker: Asker;
  emit: (event: HarnessEvent) => void;
}

/** The ports of the chart, each telling what passes through it. */
export function actorsOf(
  { modelOptions: options, toolOptions, asker, emit }: ActorPorts,
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
      {
        ...toolOptions,
        starting: (started, effect, { kind }) => recorder.intent(started, effect, kind),
      },
      { call, turn },
      signal,
    ),
  );
  return {
    askForCalls: work.port<AskForCallsOutput, AskModelInput>(
      ({ task }) => task,
      async (input, signal, own) =>
        told(await own(() => askForCalls(modelOptions, input, signal)), input, emit),
    ),
    askForText: work.port<AskForTextOutput, AskModelInput>(
      ({ task }) => task,
      async (input, signal, own) =>
        told(await own(() => askForText(modelOptions, input, signal)), input, emit),
    ),
    useTool: work.port<UseToolOutput, UseToolInput>(
      () => "tool_use",
      async ({ call, turn }, signal, own) => {
        // A call that was confirmed was told of before the question.
        if (!turn.allowed.includes(signature(call))) emit({ type: "tool_use", call });
        const output = await run(call, turn, signal, own);
        if (output.kind !== "needs_permission") emit(toolResult(call, output));
        return output;
      },
    ),
    askUser: work.port<AskUserOutput, AskUserInput>(
      () => "ask_user_question",
      (input, signal, own) => {
        emit(questionEvent(input.pending));
        return own(() => asker.ask(input, signal));
      },
    ),
    wait: work.port<undefined, WaitInput>(
      () => "fail_recovery",
      (input, signal, own) => own(() => wait(input, signal)),
    ),
  };
}

/** The same output, once its refusal or failure was told. */
function told<Output extends AskForCallsOutput | AskForTextOutput>(
  output: Output,
  { task }: AskModelInput,
  emit: ActorPorts["emit"],
): Output {
  if (output.kind === "refused")
    emit({ type: "refusal", task, code: output.problem.code, message: summary(output.problem) });
  if (output.kind === "failed") {
    const { code, message, retryable } = output.problem;
    emit({ type: "error", code, message, retryable });
  }
  return output;
}

function questionEvent(pending: PendingQuestion): HarnessEvent {
  const { kind, question } = pending;
  const interrupted = kind === "confirm" && pending.interrupted === true;
  const trusts = kind === "confirm" ? pending.trusts : undefined;
  return {
    type: "question",
    kind,
    question,
    ...(interrupted ? { interrupted } : {}),
    ...(trusts === undefined ? {} : { trusts }),
  };
}

type Run = (call: Call, turn: Turn, signal: AbortSignal) => Promise<UseToolOutput>;

/**
 * The first call of a resumed turn may have been at work when the turn was cut short. A mere look is taken again;
 * anything else is not run a second time: recovery is told that its outcome is unknown.
 */
function resumable(resumed: Resumption | null, run: Run) {
  let interrupted = resumed?.intent?.effect === "read" ? null : (resumed?.intent ?? null);
  return (call: Call, turn: Turn, signal: AbortSignal, own: Own<UseToolOutput>) => {
    const effect = interrupted?.effect;
    interrupted = null;
    return own(async () => {
      if (effect) return notRun({ code: "interrupted", tool: call.name }, effect);
      if (resumed && holdsRedacted(call.input)) {
        const reason = "its input held a secret, which a journal does not keep";
        return notRun({ code: "script_not_started", tool: call.name, reason }, "read");
      }
      return run(call, turn, signal);
    });
  };
}

const notRun = (problem: Problem, effect: Effect): UseToolOutput => ({
  kind: "failed",
  problem,
  effect,
  observation: null,
});

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
