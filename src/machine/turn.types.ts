import type { DoneActorEvent, ErrorActorEvent } from "xstate";
import type { Call } from "../contracts/call.ts";
import type { Problem, ProblemCode } from "../contracts/problem.ts";
import type { Ran } from "../guardrails/repeat.ts";
import type { Effect, Entry, Observation } from "../session/entry.ts";
import type { Message } from "../session/message.ts";
import type { TaskName } from "../session/task.ts";
import type { TurnLimits } from "./turn.limits.ts";

/** What a conversation keeps from turn to turn. Plain JSON, owned by the caller. */
export interface Conversation {
  /** Finished exchanges: what the user wrote, what was answered. */
  messages: Message[];
  /** Names of the skills loaded so far, default skills not counted. */
  loaded_skills: string[];
}

/** What the chart has to know of a skill. */
export interface SkillCard {
  name: string;
  is_default: boolean;
  /** As far as it is known; loading the skill says it for good. */
  has_tools: boolean;
}

export interface TokenUse {
  calls: number;
  input_tokens: number;
  output_tokens: number;
  /** True when a backend did not say (a stream that is stopped early has no count), and characters were counted. */
  estimated: boolean;
}

/**
 * A question that waits for the user. The harness asks the "confirm" kind itself, before a destructive call or one that
 * was interrupted: then only the user's word can let it run. A yes to one with `trusts` is a yes to that content of a
 * skill's folder, too.
 */
export type PendingQuestion =
  | { kind: "open"; question: string; asked_in: TaskName }
  | { kind: "confirm"; question: string; call: Call; interrupted?: true; trusts?: string };

export type EarlyEnd = "max_retries" | "max_steps" | "max_asks" | "no_progress" | "going_round";

/** Who stopped a turn: the user (Ctrl-C), the system (SIGTERM), or the time limit. */
export type StopCause = "user" | "terminate" | "timeout";

/** How a turn ended. */
export type TurnOutcome =
  | { kind: "answered"; text: string; ended_early: EarlyEnd | null }
  | { kind: "fallback"; text: string; problem: Problem }
  | { kind: "stopped"; by: StopCause }
  | { kind: "needs_input"; question: string };

/** Everything about one turn. Plain JSON: it survives JSON.parse(JSON.stringify(turn)). */
export interface Turn extends Conversation {
  question: string;
  /** More text from the user that belongs to the question, such as piped input; "" if none. */
  attachment: string;
  /** A random word that fences results in the prompt, so that no result can pretend to be one. */
  nonce: string;
  /** The skills of this run that may be loaded. */
  skills: SkillCard[];
  limits: TurnLimits;
  /** What is left of each limit. Only ever falls. */
  budget: { retries: number; steps: number; asks: number };
  /** All that happened in this turn, in order. */
  log: Entry[];
  /** Accepted calls that have not run; the first one is next. */
  queue: Call[];
  /** The model state whose calls are in the queue. */
  called_in: "skill_call" | "tool_call";
  /** Questions of one batch that have not been put yet. */
  questions: string[];
  pending: PendingQuestion | null;
  /** Signatures of calls that the user has said yes to and that have not run yet, and the `trusts` that were agreed to. */
  allowed: string[];
  ran: Ran[];
  /** The problem that recovery is about; null when the last step went well. */
  problem: Problem | null;
  /** The model state that can act on the problem. */
  return_to: TaskName;
  /** The codes of what the model got wrong since its last good step. */
  mistakes: ProblemCode[];
  /** How often the last of them is among them: the same correction has not helped that often. */
  attempt: number;
  /** Consecutive failures of the model's service. */
  faults: number;
  /** The last reply that was refused, and how often in a row it came word for word. */
  refused: { reply: string; times: number };
  /** A claim or an announcement in an answer is put right once. */
  asked_again: boolean;
  ended_early: EarlyEnd | null;
  outcome: TurnOutcome | null;
  usage: Record<TaskName, TokenUse>;
}

/** What the caller gives for one turn. */
export interface TurnInput extends Conversation {
  question: string;
  attachment?: string;
  nonce: string;
  skills: SkillCard[];
  limits: TurnLimits;
}

// ——— what the actors are given and give back ———

export interface AskModelInput {
  task: TaskName;
  turn: Turn;
}

/** One reply, judged. `reply` is its visible text as written; thinking goes to the transcript only. */
interface Reply {
  reply: string;
  usage: Omit<TokenUse, "calls">;
}

/** `example`: a correct form of what was meant, with the model's own values, for the correction. */
type NoGoodReply =
  | { kind: "refused"; problem: Problem; example: Call | null }
  | { kind: "failed"; problem: Extract<Problem, { code: "backend" }> };

/** What comes of a request for calls (skill_call, tool_call). */
export type AskForCallsOutput = Reply &
  ({ kind: "calls"; calls: Call[] } | { kind: "question"; questions: string[] } | NoGoodReply);

/** What comes of a request for text (answer). */
export type AskForTextOutput = Reply &
  ({ kind: "text"; text: string } | { kind: "question"; questions: string[] } | NoGoodReply);

export interface UseToolInput {
  call: Call;
  turn: Turn;
}

/** What became of one call. A refused call had no effect at all. */
export type UseToolOutput =
  | { kind: "result"; effect: Effect; observation: Observation }
  | { kind: "skill_loaded"; name: string; has_tools: boolean }
  | { kind: "already_done" }
  | { kind: "needs_permission"; question: string; interrupted?: true; trusts?: string }
  | { kind: "failed"; problem: Problem; effect: Effect; observation: Observation | null };

export interface AskUserInput {
  pending: PendingQuestion;
}

/** "no_reply": there is nobody to ask, such as a pipe or a job. */
export type AskUserOutput =
  | { kind: "reply"; text: string }
  | { kind: "yes" }
  | { kind: "no" }
  | { kind: "no_reply" };

export interface WaitInput {
  wait_ms: number;
}

/** Everything that reaches the machine from outside. */
export type TurnEvent =
  | { type: "abort"; by: StopCause }
  | DoneActorEvent<AskForCallsOutput, "skill_call" | "tool_call">
  | DoneActorEvent<AskForTextOutput, "answer">
  | DoneActorEvent<UseToolOutput, "tool_use">
  | DoneActorEvent<AskUserOutput, "ask_user_question">
  | DoneActorEvent<undefined, "fail_recovery">
  | ErrorActorEvent<
      unknown,
      "skill_call" | "tool_call" | "tool_use" | "ask_user_question" | "answer" | "fail_recovery"
    >;
