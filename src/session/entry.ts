import type { Call } from "../contracts/call.ts";
import type { Problem } from "../contracts/problem.ts";
import type { TaskName } from "./task.ts";

/** What a tool may do to the world. A tool that does not say is taken for "write". */
export type Effect = "read" | "write" | "destructive";

/** What a call that ran gave back. */
export interface Observation {
  /** What the script printed, or the text that was read. Capped in bytes, with a notice of how much is missing. */
  output: string;
  /** Null for anything but a script, and for a script that was ended by a signal. */
  exit_code: number | null;
  signal: string | null;
  duration_ms: number;
}

/** Things the harness tells the model that are neither results nor refusals. */
export type Notice =
  | { code: "denied"; call: Call } // the user said no
  | { code: "dropped"; calls: Call[] } // the rest of a batch that did not run
  | { code: "already_done"; call: Call } // an exact repeat, skipped
  | { code: "only_repeats"; calls: Call[] } // nothing new was asked for
  | { code: "going_round"; calls: Call[] } // a short cycle of calls
  | { code: "max_steps"; undone: Call[] }
  | { code: "max_asks"; question: string }
  | { code: "max_retries"; problem: Problem }
  | { code: "no_progress"; problem: Problem };

/**
 * One thing that happened in a turn, as data. The prompt is a projection of this list (prompts/conversation.ts), and
 * so is the ledger. Entries are only ever appended, so that a prompt within a turn only ever grows at its end.
 */
export type Entry =
  | { kind: "calls"; task: TaskName; calls: Call[] }
  | { kind: "skill"; name: string }
  | { kind: "result"; call: Call; effect: Effect; observation: Observation }
  | {
      kind: "failure";
      call: Call;
      effect: Effect;
      problem: Problem;
      observation: Observation | null;
      attempt: number;
    }
  | { kind: "refusal"; task: TaskName; problem: Problem; example: Call | null; attempt: number }
  | { kind: "notice"; notice: Notice }
  | { kind: "question"; task: TaskName; question: string }
  | { kind: "reply"; text: string };
