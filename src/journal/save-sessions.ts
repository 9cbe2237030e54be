import { closeSync, fsyncSync, openSync, rmSync, unlinkSync, writeFileSync } from "node:fs";
import { HarnessError, reasonOf } from "../errors.ts";
import { firstSum, writeLine } from "./line.ts";
import { loadJournal } from "./load-journal.ts";
import { sessionPath } from "./load-sessions.ts";
import type { Stamped } from "./record.ts";
import { lock } from "./save-lock.ts";

/** Removes a session. Throws HarnessError "config" while another process writes to it. */
export function removeSession(folder: string, id: string): void {
  const path = sessionPath(folder, id);
  try {
    const release = lock(path);
    try {
      unlinkSync(path);
    } finally {
      release();
    }
  } catch (cause) {
    if (cause instanceof HarnessError) throw cause;
    throw new HarnessError("config", `${path} cannot be removed: ${reasonOf(cause)}`, { cause });
  }
}

/**
 * Copies a session under another id. The original stays as it is; it may even be in use. Throws HarnessError "config" for a
 * damaged one, and when the copy cannot be written: then nothing of it stays.
 */
export function forkSession(folder: string, id: string, newId: string): void {
  const { records, fault } = loadJournal(sessionPath(folder, id));
  if (fault) throw new HarnessError("config", `session ${id}, line ${fault.line}: ${fault.why}`);
  forkRecords(records, { path: sessionPath(folder, newId), id: newId, forkedFrom: id });
}

/**
 * Writes records, numbered anew, as a journal of the session `id`, flushed and readable by its owner only. `forkedFrom` is the id of
 * the session they are from; null where nobody knows it. Throws HarnessError "config" when that cannot be done, as when
 * something is at `path` already: then nothing of it stays.
 */
export function forkRecords(
  records: readonly Stamped[],
  { path, id, forkedFrom }: { path: string; id: string; forkedFrom: string | null },
): void {
  let [sum, text] = [firstSum, ""];
  for (const [index, record] of records.entries()) {
    const numbered = { ...record, n: index + 1 };
    const copied =
      numbered.type === "session" ? { ...numbered, id, forked_from: forkedFrom } : numbered;
    const written = writeLine(copied, sum);
    sum = written.sum;
    text += `${written.line}\n`;
  }
  try {
    writeNew(path, text);
  } catch (cause) {
    throw new HarnessError("config", `${path} cannot be written: ${reasonOf(cause)}`, { cause });
  }
}

function writeNew(path: string, text: string): void {
  const file = openSync(path, "wx", 0o600);
  try {
    writeFileSync(file, text);
    fsyncSync(file);
  } catch (error) {
    rmSync(path, { force: true });
    throw error;
  } finally {
    closeSync(file);
  }
}
