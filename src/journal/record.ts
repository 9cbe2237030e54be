import type { Call, JsonObject } from "../contracts/call.ts";
import type {
  AskForCallsOutput,
  AskForTextOutput,
  AskUserOutput,
  Conversation,
  StopCause,
  TurnInput,
  UseToolOutput,
} from "../machine/turn.types.ts";
import type { Effect } from "../session/entry.ts";
import type { TaskName } from "../session/task.ts";

/** The first line of a journal. */
export interface SessionRecord {
  type: "session";
  format: 1;
  id: string;
  /** Of broharness, when the session began. */
  version: string;
  /** The folder the session belongs to: `--continue` looks for the newest one of a folder. */
  cwd: string;
  forked_from: string | null;
}

/** A turn begins. */
export interface TurnRecord {
  type: "turn";
  /** `machineHash()` of the chart that takes the turn. */
  machine: string;
  models: Record<TaskName, string>;
  contract: string;
  /** The skills of the run, each with a hash of its content. */
  skills: { name: string; content: string }[];
  /** Without a conversation the turn goes on with what the turn before it in this journal left. */
  input: Omit<TurnInput, keyof Conversation> & Partial<Conversation>;
  /** What the caller needs to go on in another process, such as its flags. Not read by the harness. */
  settings: JsonObject;
}

/** A script is about to start. Without an outcome after it nobody knows what it did. */
export interface IntentRecord {
  type: "intent";
  call: Call;
  effect: Effect;
  /** What the script is kept in; absent in journals of before there was one. */
  sandbox?: "bubblewrap" | "none";
}

/** Who stood in for an actor: a person, or an outcome that was recorded before. */
export type StandInName = "hand" | "recording";

/** What came of an actor's work. `of` is the state that had started it. */
export type OutcomeRecord = {
  type: "outcome";
  /** Who stood in for the actor; absent for its own work. */
  by?: StandInName;
} & (
  | { of: "skill_call" | "tool_call"; output: AskForCallsOutput; thinking?: string }
  | { of: "answer"; output: AskForTextOutput; thinking?: string }
  | { of: "tool_use"; output: UseToolOutput }
  | { of: "ask_user_question"; output: AskUserOutput }
  | { of: "fail_recovery" }
);

export type ActorName = OutcomeRecord["of"];

/** An actor broke: a bug of ours or of a backend. */
export interface CrashRecord {
  type: "crash";
  of: ActorName;
  error: { name: string; message: string };
}

export interface AbortRecord {
  type: "abort";
  by: StopCause;
}

/** The turn goes on where it was: an abort, or a reply that nobody gave, just before this line is undone. */
export interface ResumeRecord {
  type: "resume";
}

/** The turn has ended. `digest` is that of the whole turn as JSON; null where a secret was kept out of the journal. */
export interface EndRecord {
  type: "end";
  state: string;
  digest: string | null;
}

export type JournalRecord =
  | SessionRecord
  | TurnRecord
  | IntentRecord
  | OutcomeRecord
  | CrashRecord
  | AbortRecord
  | ResumeRecord
  | EndRecord;

/** A record as it stands in the file: numbered from 1 like its line, `at` in milliseconds since 1970. */
export type Stamped<R extends JournalRecord = JournalRecord> = R & { n: number; at: number };
