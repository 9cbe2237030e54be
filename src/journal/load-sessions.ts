import { readdirSync, statSync } from "node:fs";
import { userInfo } from "node:os";
import { isAbsolute, join } from "node:path";
import { HarnessError, reasonOf } from "../errors.ts";
import { nearest } from "../contracts/nearest.ts";
import { loadJournal } from "./load-journal.ts";
import type { Stamped } from "./record.ts";

/** A session in a list. It is read by its lines only; whether they are legal is `verify`'s to say. */
export interface SessionSummary {
  id: string;
  cwd: string;
  /** Milliseconds since 1970; 0 where nobody knows. */
  started_at: number;
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
  const base = isAbsolute(state) ? state : join(HOME === "" ? homeOfUser() : HOME, ".local/state");
  return join(base, "broharness/sessions");
}

/** As the system knows it, without asking HOME again. */
function homeOfUser(): string {
  try {
    return userInfo().homedir;
  } catch (cause) {
    const message = "no home folder for sessions: set HOME or BROHARNESS_HOME, or use --no-session";
    throw new HarnessError("config", message, { cause });
  }
}

/** Sortable by time; `chance` is from 0 to 1. */
export function newSessionId(now: number, chance: number): string {
  const [day = "", time = ""] = new Date(now).toISOString().replaceAll(/[-:]/g, "").split("T");
  const word = Math.floor(chance * 0xffffff)
    .toString(16)
    .padStart(6, "0");
  return `${day}-${time.slice(0, 6)}-${word}`;
}

/** Throws HarnessError "usage" for an id that would lead out of the folder. */
export function sessionPath(folder: string, id: string): string {
  if (!isId(id))
    throw new HarnessError("usage", `"${id}" is no session id; \`broharness sessions\` lists them`);
  return join(folder, `${id}.jsonl`);
}

const isId = (id: string): boolean => /^[^./\\\0][^/\\\0]*$/.test(id);

/** All sessions of a folder, the one that changed last first. */
export const listSessions = (folder: string): SessionSummary[] =>
  filesIn(folder).map((file) => summaryOf(folder, file));

/** The id that a person means by it, or by its beginning. Throws HarnessError "usage" when that is none or several. */
export function findSession(folder: string, wanted: string): string {
  const ids = idsIn(folder);
  if (ids.includes(wanted)) return wanted;
  const found = wanted === "" ? [] : ids.filter((id) => id.startsWith(wanted));
  const [id] = found;
  if (id !== undefined && found.length === 1) return id;
  const why = found.length > 1 ? `could be ${eitherOf(found)}` : `is not there${near(wanted, ids)}`;
  throw new HarnessError("usage", `session "${wanted}" ${why}; \`broharness sessions\` lists them`);
}

const CANDIDATES_MAX = 5;

function eitherOf(ids: readonly string[]): string {
  const newest = ids.toSorted().toReversed().slice(0, CANDIDATES_MAX).join(" or ");
  return ids.length > CANDIDATES_MAX ? `${newest} or ${ids.length - CANDIDATES_MAX} more` : newest;
}

function near(wanted: string, ids: readonly string[]): string {
  const meant = nearest(wanted, ids);
  return meant === undefined ? "" : `, but ${meant} is`;
}

/** The session of a working folder that changed last; null if it has none. Older files are not read. */
export const newestSession = (folder: string, cwd: string): string | null =>
  filesIn(folder).find((file) => summaryOf(folder, file).cwd === cwd)?.id ?? null;

function idsIn(folder: string): string[] {
  try {
    return readdirSync(folder)
      .filter((name) => name.endsWith(".jsonl"))
      .map((name) => name.slice(0, -".jsonl".length))
      .filter(isId);
  } catch (cause) {
    if (cause instanceof Error && "code" in cause && cause.code === "ENOENT") return [];
    throw new HarnessError("not_readable", `${folder}: ${reasonOf(cause)}`, { cause });
  }
}

/** The one that changed last first; without those that are removed meanwhile. */
function filesIn(folder: string): { id: string; changed: number }[] {
  return idsIn(folder)
    .flatMap((id) => {
      const changed = changedAt(sessionPath(folder, id));
      return changed === undefined ? [] : [{ id, changed }];
    })
    .toSorted((a, b) => b.changed - a.changed || (a.id < b.id ? 1 : -1));
}

function changedAt(path: string): number | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false })?.mtimeMs;
  } catch {
    return 0; // a link that leads in a circle, for one
  }
}

function summaryOf(
  folder: string,
  { id, changed }: { id: string; changed: number },
): SessionSummary {
  const damaged: SessionSummary = {
    id,
    cwd: "",
    started_at: 0,
    changed_at: Math.trunc(changed),
    turns: 0,
    first_question: "",
    state: "damaged",
  };
  try {
    const { records, fault } = loadJournal(sessionPath(folder, id));
    const session = records.find((record) => record.type === "session");
    const turns = records.filter((record) => record.type === "turn");
    return {
      ...damaged,
      cwd: textOf(session?.cwd),
      started_at: session?.at ?? 0,
      turns: turns.length,
      first_question: textOf(turns[0]?.input.question),
      state: fault || !session ? "damaged" : stateOf(records),
    };
  } catch {
    return damaged;
  }
}

/** A file may have been written by anyone. */
const textOf = (value: unknown): string => (typeof value === "string" ? value : "");

function stateOf(records: readonly Stamped[]): SessionSummary["state"] {
  const last = records.findLast((record) => ["turn", "resume", "end"].includes(record.type));
  if (last?.type !== "end") return "unfinished";
  return last.state === "answered" || last.state === "fallback" ? last.state : "stopped";
}
