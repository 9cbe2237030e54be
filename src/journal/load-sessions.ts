import { readdirSync, statSync } from "node:fs";
import { homedir } from "node:os";
import { isAbsolute, join } from "node:path";
import { HarnessError, reasonOf } from "../errors.ts";
import { loadJournal } from "./load-journal.ts";
import type { Stamped } from "./record.ts";

/** A session in a list. It is read by its lines only; whether they are legal is `verify`'s to say. */
export interface SessionSummary {
  id: string;
  cwd: string;
  /** Milliseconds since 1970. */
  changed_at: number;
  turns: number;
  first_question: string;
  /** How its last turn ended; "unfinished": cut short; "damaged": its file cannot be read to the end. */
  state: "answered" | "fallback" | "stopped" | "unfinished" | "damaged";
}

/** Where sessions are kept. A relative XDG path is ignored, as its specification says. */
export function sessionsFolder(environment: Readonly<Record<string, string | undefined>>): string {
  const { BROHARNESS_HOME: own = "", XDG_STATE_HOME: state = "", HOME = "" } = environment;
  if (own !== "") return join(own, "sessions");
  const home = HOME === "" ? homedir() : HOME;
  return join(isAbsolute(state) ? state : join(home, ".local/state"), "broharness/sessions");
}

/** Sortable by time; `chance` is from 0 to 1. */
export function newSessionId(now: number, chance: number): string {
  const [day = "", time = ""] = new Date(now).toISOString().replaceAll(/[-:]/g, "").split("T");
  const word = Math.floor(chance * 0xffffff)
    .toString(16)
    .padStart(6, "0");
  return `${day}-${time.slice(0, 6)}-${word}`;
}

export const sessionPath = (folder: string, id: string): string => join(folder, `${id}.jsonl`);

/** All sessions of a folder, the one that changed last first. */
export function listSessions(folder: string): SessionSummary[] {
  return idsIn(folder)
    .flatMap((id) => summaryOf(folder, id))
    .toSorted((a, b) => b.changed_at - a.changed_at || (a.id < b.id ? 1 : -1));
}

/** The id that a person means by it, or by its beginning. Throws HarnessError "usage" when that is none or several. */
export function findSession(folder: string, wanted: string): string {
  const ids = idsIn(folder);
  if (ids.includes(wanted)) return wanted;
  const found = wanted === "" ? [] : ids.filter((id) => id.startsWith(wanted));
  const [id] = found;
  if (id !== undefined && found.length === 1) return id;
  const why = found.length > 1 ? `could be ${found.join(" or ")}` : "is not there";
  throw new HarnessError("usage", `session "${wanted}" ${why}; \`broharness sessions\` lists them`);
}

/** The session of a working folder that changed last; null if it has none. */
export const newestSession = (folder: string, cwd: string): string | null =>
  listSessions(folder).find((session) => session.cwd === cwd)?.id ?? null;

function idsIn(folder: string): string[] {
  try {
    return readdirSync(folder)
      .filter((name) => name.endsWith(".jsonl"))
      .map((name) => name.slice(0, -".jsonl".length));
  } catch (cause) {
    if (cause instanceof Error && "code" in cause && cause.code === "ENOENT") return [];
    throw new HarnessError("not_readable", `${folder}: ${reasonOf(cause)}`, { cause });
  }
}

function summaryOf(folder: string, id: string): SessionSummary[] {
  const path = sessionPath(folder, id);
  const changed_at = statSync(path, { throwIfNoEntry: false })?.mtimeMs;
  if (changed_at === undefined) return []; // removed meanwhile
  const damaged: SessionSummary = {
    id,
    cwd: "",
    changed_at,
    turns: 0,
    first_question: "",
    state: "damaged",
  };
  try {
    const { records, fault } = loadJournal(path);
    const session = records.find((record) => record.type === "session");
    const turns = records.filter((record) => record.type === "turn");
    return [
      {
        ...damaged,
        cwd: session?.cwd ?? "",
        turns: turns.length,
        first_question: turns[0]?.input.question ?? "",
        state: fault ? "damaged" : stateOf(records),
      },
    ];
  } catch {
    return [damaged];
  }
}

function stateOf(records: readonly Stamped[]): SessionSummary["state"] {
  const last = records.findLast((record) => ["turn", "resume", "end"].includes(record.type));
  if (last?.type !== "end") return "unfinished";
  return last.state === "answered" || last.state === "fallback" ? last.state : "stopped";
}
