import { randomBytes } from "node:crypto";
import {
  closeSync,
  fsyncSync,
  openSync,
  readSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { HarnessError, reasonOf } from "../../errors.ts";

/** How every line of a journal begins. */
const JOURNAL = Buffer.from('{"n":');

/**
 * Writes a page, readable by its owner only. What was at `path` stays until the new one is whole. Throws HarnessError
 * "config" when that cannot be done, or would cost a journal: then nothing of it stays.
 */
export function saveExport(path: string, html: string): void {
  try {
    const found = statSync(path, { throwIfNoEntry: false });
    if (found?.isDirectory()) throw Object.assign(new Error(path), { code: "EISDIR" });
    if (found?.isFile() && isJournal(path)) throw cannot(path, "it is a journal");
    // A pipe or device, such as /dev/stdout, is written to and never replaced.
    if (found && !found.isFile()) writeFileSync(path, html);
    else replace(found ? realpathSync(path) : path, html);
  } catch (cause) {
    throw cause instanceof HarnessError ? cause : cannot(path, reasonOf(cause), cause);
  }
}

const cannot = (path: string, why: string, cause?: unknown) =>
  new HarnessError("config", `${path} cannot be written: ${why}; name another file for the page`, {
    cause,
  });

function isJournal(path: string): boolean {
  const start = Buffer.alloc(JOURNAL.length);
  const file = openSync(path, "r");
  try {
    readSync(file, start, { position: 0 });
  } finally {
    closeSync(file);
  }
  return start.equals(JOURNAL);
}

function replace(path: string, html: string): void {
  const fresh = join(dirname(path), `.${randomBytes(6).toString("hex")}.tmp`);
  const file = openSync(fresh, "wx", 0o600);
  try {
    try {
      writeFileSync(file, html);
      fsyncSync(file);
    } finally {
      closeSync(file);
    }
    renameSync(fresh, path);
  } catch (error) {
    rmSync(fresh, { force: true });
    throw error;
  }
}
