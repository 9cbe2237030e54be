import type { ActorName, CrashRecord, JournalRecord, OutcomeRecord } from "./record.ts";

/** The kinds of outcome that each actor has. */
const kinds: Record<ActorName, readonly string[] | null> = {
  skill_call: ["calls", "question", "refused", "failed"],
  tool_call: ["calls", "question", "refused", "failed"],
  answer: ["text", "question", "refused", "failed"],
  tool_use: ["result", "skill_loaded", "already_done", "needs_permission", "failed"],
  ask_user_question: ["reply", "yes", "no", "no_reply"],
  fail_recovery: null,
};

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
  return record.type === "outcome" || record.type === "crash" ? actorFault(record) : null;
}

function actorFault(record: OutcomeRecord | CrashRecord): string | null {
  if (!Object.hasOwn(kinds, record.of)) return `no actor is called "${record.of}"`;
  if (record.type === "crash") return null;
  const known = kinds[record.of];
  const kind = "output" in record ? record.output?.kind : undefined;
  if (known === null) return kind === undefined ? null : `${record.of} gives nothing back`;
  return known.includes(kind ?? "") ? null : `${record.of} has no outcome "${String(kind)}"`;
}
