import { closeSync, fsyncSync, openSync, unlinkSync, writeFileSync } from "node:fs";
import { HarnessError, reasonOf } from "../errors.ts";
import { firstSum, writeLine } from "./line.ts";
import { loadJournal } from "./load-journal.ts";
import { sessionPath } from "./load-sessions.ts";
import { lock } from "./save-lock.ts";

/** Removes a session. Throws HarnessError "config" while another process writes to it. */
export function removeSession(folder: string, id: string): void {
  const path = sessionPath(folder, id);
  const release = lock(path);
  try {
    unlinkSync(path);
  } catch (cause) {
    throw new HarnessError("config", `${path} cannot be removed: ${reasonOf(cause)}`, { cause });
  } finally {
    release();
  }
}

/** Copies a session under another id. The original stays as it is; it may even be in use. */
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
    const file = openSync(path, "wx", 0o600);
    try {
      writeFileSync(file, text);
      fsyncSync(file);
    } finally {
      closeSync(file);
    }
  } catch (cause) {
    throw new HarnessError("config", `${path} cannot be written: ${reasonOf(cause)}`, { cause });
  }
}
