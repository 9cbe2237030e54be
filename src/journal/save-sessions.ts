import { closeSync, fsyncSync, openSync, rmSync, unlinkSync, writeFileSync } from "node:fs";
import { HarnessError, reasonOf } from "../errors.ts";
import { firstSum, writeLine } from "./line.ts";
import { loadJournal } from "./load-journal.ts";
import { sessionPath } from "./load-sessions.ts";
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
  let [sum, text] = [firstSum, ""];
  for (const record of records) {
    const copied = record.type === "session" ? { ...record, id: newId, forked_from: id } : record;
    const written = writeLine(copied, sum);
    sum = written.sum;
    text += `${written.line}\n`;
  }
  const path = sessionPath(folder, newId);
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
