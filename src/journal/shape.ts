import type {
  ActorName,
  CrashRecord,
  JournalRecord,
  OutcomeRecord,
  StandInName,
  TurnRecord,
} from "./record.ts";

/** The kinds of outcome that each actor has. */
const kinds: Record<ActorName, readonly string[] | null> = {
  skill_call: ["calls", "question", "refused", "failed"],
  tool_call: ["calls", "question", "refused", "failed"],
  answer: ["text", "question", "refused", "failed"],
  tool_use: ["result", "skill_loaded", "already_done", "needs_permission", "failed"],
  ask_user_question: ["reply", "yes", "no", "no_reply"],
  fail_recovery: null,
};

const standIns: readonly unknown[] = ["hand", "recording"] satisfies StandInName[];

const types: readonly JournalRecord["type"][] = [
  "session",
  "turn",
  "intent",
  "outcome",
  "crash",
  "abort",
  "resume",
  "end",
];

/** What keeps a record from being one at all; null if nothing does. A file may have been written by anyone. */
export function shapeFault(record: JournalRecord): string | null {
  if (!types.includes(record.type)) return `no record is called "${record.type}"`;
  if (record.type === "session" && record.format !== 1)
    return `journal format ${String(record.format)}; this version of broharness reads format 1`;
  if (record.type === "session" && typeof record.cwd !== "string")
    return "a session without its folder";
  if (record.type === "turn") return turnFault(record);
  return record.type === "outcome" || record.type === "crash" ? actorFault(record) : null;
}

/** What people are shown of a turn, and what its budgets are counted from, has to be there. */
function turnFault({ input, settings }: Partial<TurnRecord>): string | null {
  if (typeof input?.question !== "string") return "a turn without its question";
  const { max_retries, max_steps, max_asks } = input.limits ?? {};
  if (![max_retries, max_steps, max_asks].every((limit) => Number.isSafeInteger(limit)))
    return "a turn without its limits";
  return typeof settings === "object" ? null : "a turn without its settings";
}

function actorFault(record: OutcomeRecord | CrashRecord): string | null {
  if (!Object.hasOwn(kinds, record.of)) return `no actor is called "${record.of}"`;
  if (record.type === "crash") return null;
  if (record.by !== undefined && !standIns.includes(record.by))
    return `nobody called "${record.by}" stands in for an actor`;
  const known = kinds[record.of];
  const kind = "output" in record ? record.output?.kind : undefined;
  if (known === null) return kind === undefined ? null : `${record.of} gives nothing back`;
  return known.includes(kind ?? "") ? null : `${record.of} has no outcome "${String(kind)}"`;
}
