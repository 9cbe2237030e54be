import { initialTransition, transition, type SnapshotFrom } from "xstate";
import type { Call } from "../../src/contracts/call.ts";
import type { Problem } from "../../src/contracts/problem.ts";
import { turnMachine } from "../../src/machine/turn.machine.ts";
import type { TurnEvent, TurnInput, UseToolOutput } from "../../src/machine/turn.types.ts";

export type State = SnapshotFrom<typeof turnMachine>;

const usage = { input_tokens: 10, output_tokens: 5, estimated: false };

/** Inputs and events of a turn, in short. Each event is what the real actor would have given. */
export const input = (given: Partial<TurnInput> = {}): TurnInput => ({
  messages: [],
  loaded_skills: [],
  question: "what is in a.txt?",
  nonce: "n0nce",
  skills: [{ name: "file-ops", is_default: false, has_tools: true }],
  limits: { max_retries: 3, max_steps: 12, max_asks: 3 },
  ...given,
});

type Model = "skill_call" | "tool_call" | "answer";
type CallModel = "skill_call" | "tool_call";

export const call = (name: string, args: Call["input"] = {}): Call => ({ name, input: args });
export const loadSkill = call("load_skill", { skill_name: "file-ops" });
export const readA = call("read_file", { path: "a.txt" });
export const readB = call("read_file", { path: "b.txt" });

/** The three model states share the outcomes below, so one type can stand for all. */
const doneIn = (state: Model) =>
  ({ type: `xstate.done.actor.${state}`, actorId: state }) as {
    type: "xstate.done.actor.answer";
    actorId: "answer";
  };

export const wants = (state: CallModel, ...calls: Call[]): TurnEvent => ({
  type: `xstate.done.actor.${state}`,
  actorId: state,
  output: { kind: "calls", calls, reply: JSON.stringify(calls), usage },
});
export const asks = (state: Model, ...questions: string[]): TurnEvent => ({
  ...doneIn(state),
  output: { kind: "question", questions, reply: questions.join(" "), usage },
});
export const refused = (state: Model, problem: Problem, reply = "bad"): TurnEvent => ({
  ...doneIn(state),
  output: { kind: "refused", problem, example: null, reply, usage },
});
export const backendFailed = (
  state: Model,
  retryable: boolean,
  retry_after_ms?: number,
): TurnEvent => ({
  ...doneIn(state),
  output: {
    kind: "failed",
    problem: {
      code: "backend",
      fault: retryable ? "throttled" : "auth",
      message: retryable ? "wait a little" : "no credentials",
      retryable,
      ...(retry_after_ms === undefined ? {} : { retry_after_ms }),
    },
    reply: "",
    usage,
  },
});
export const says = (text: string): TurnEvent => ({
  type: "xstate.done.actor.answer",
  actorId: "answer",
  output: { kind: "text", text, reply: text, usage },
});
export const tool = (output: UseToolOutput): TurnEvent => ({
  type: "xstate.done.actor.tool_use",
  actorId: "tool_use",
  output,
});
export const loaded = tool({ kind: "skill_loaded", name: "file-ops", has_tools: true });
export const printed = (
  output: string,
  effect: "read" | "write" | "destructive" = "read",
): TurnEvent =>
  tool({
    kind: "result",
    effect,
    observation: { output, exit_code: 0, signal: null, duration_ms: 1 },
  });
export const failedWith = (problem: Problem, ran = false): TurnEvent =>
  tool({
    kind: "failed",
    problem,
    effect: "read",
    observation: ran
      ? { output: "no such file", exit_code: 1, signal: null, duration_ms: 1 }
      : null,
  });
export const user = (
  output: { kind: "reply"; text: string } | { kind: "yes" | "no" | "no_reply" },
): TurnEvent => ({
  type: "xstate.done.actor.ask_user_question",
  actorId: "ask_user_question",
  output,
});
export const waited: TurnEvent = {
  type: "xstate.done.actor.fail_recovery",
  actorId: "fail_recovery",
  output: undefined,
};

/** The state after these events, by pure transitions: nothing is started. */
export function after(given: TurnInput, ...events: TurnEvent[]): State {
  let [state] = initialTransition(turnMachine, given);
  for (const event of events) [state] = transition(turnMachine, state, event);
  return state;
}
