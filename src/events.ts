import type { Call } from "./contracts/call.ts";
import type { ProblemCode } from "./contracts/problem.ts";
import type { TokenUse, TurnOutcome } from "./machine/turn.types.ts";
import type { TurnLimits } from "./machine/turn.limits.ts";
import type { Message } from "./session/message.ts";
import type { TaskName } from "./session/task.ts";
import type { Diagnostic } from "./skills/skill.ts";

/**
 * What a run tells whoever watches. These are the lines of `--output-format stream-json`, but for `request` and
 * `reply`, which only `--debug` shows. The first event is `init`, the last is `result`.
 */
export type HarnessEvent =
  | {
      type: "init";
      version: string;
      /** Changes whenever a state, transition, guard or action of the chart does. */
      machine_hash: string;
      models: Record<TaskName, string>;
      contract: string;
      limits: TurnLimits;
      skills: { name: string; tools: string[] }[];
      diagnostics: readonly Diagnostic[];
    }
  /** The chart entered a state (again). */
  | { type: "state"; state: string }
  /** The answer, once it was accepted: never a half-written or refused text. */
  | { type: "text"; text: string }
  | { type: "thinking"; task: TaskName; text: string }
  /** A reply that was not what the task asked for; `message` is for people. */
  | { type: "refusal"; task: TaskName; code: ProblemCode; message: string }
  | { type: "tool_use"; call: Call }
  | {
      type: "tool_result";
      call: Call;
      ok: boolean;
      /** Why it did not go well; null when it did. */
      code: ProblemCode | null;
      output: string;
      exit_code: number | null;
      duration_ms: number | null;
    }
  /**
   * `interrupted`: the call may have run already, so no `allow` lets it run. `trusts`: a skill and the hash of its folder,
   * as "name@hash"; a yes trusts that content.
   */
  | {
      type: "question";
      kind: "open" | "confirm";
      question: string;
      interrupted?: true;
      trusts?: string;
    }
  /** The model's service failed. `retryable`: the turn tries again, after a wait. */
  | { type: "error"; code: ProblemCode; message: string; retryable: boolean }
  | ResultEvent
  | {
      type: "request";
      task: TaskName;
      model: string;
      temperature: number;
      system: string;
      messages: Message[];
    }
  | { type: "reply"; task: TaskName; text: string; finish: string };

export interface ResultEvent {
  type: "result";
  outcome: TurnOutcome["kind"];
  /** The answer, the fallback text, or the question that waits. */
  text: string;
  /** Every state the turn was in, in order. */
  path: string[];
  /** What ran, in order, with how it went. */
  calls: { call: Call; outcome: string }[];
  tokens: Record<TaskName, TokenUse>;
  /** Why the turn had to stop early, or null. */
  ended_early: string | null;
  exit_code: number;
}
