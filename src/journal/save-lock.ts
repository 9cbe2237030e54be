import { closeSync, openSync, readFileSync, renameSync, unlinkSync, writeSync } from "node:fs";
import { HarnessError } from "../errors.ts";

/** Makes this process the only writer of a file; gives back what lets go of it. Throws HarnessError "config" when it is taken. */
export function lock(path: string): () => void {
  const file = `${path}.lock`;
  for (let tries = 0; tries < 3; tries++) {
    if (take(file)) return () => release(file);
    const owner = ownerOf(file);
    if (owner !== null && isAlive(owner))
      throw new HarnessError(
        "config",
        `${path} is in use by process ${owner.pid}: wait for it, or go on in a copy with --fork-session`,
      );
    // Moved away first: of two that find a dead owner, only one gets the file, and neither removes the other's new lock.
    const away = `${file}.${process.pid}`;
    try {
      renameSync(file, away);
      const moved = ownerOf(away);
      if (moved && isAlive(moved)) renameSync(away, file);
      else unlinkSync(away);
    } catch {
      // Another process was quicker.
    }
  }
  throw new HarnessError(
    "config",
    `${path} is in use: wait, or go on in a copy with --fork-session`,
  );
}

interface Owner {
  pid: number;
  started: string;
}

function take(file: string): boolean {
  let descriptor: number;
  try {
    descriptor = openSync(file, "wx", 0o600);
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "EEXIST") return false;
    throw error;
  }
  try {
    writeSync(descriptor, JSON.stringify({ pid: process.pid, started: startOf(process.pid) }));
    return true;
  } finally {
    closeSync(descriptor);
  }
}

function release(file: string): void {
  if (ownerOf(file)?.pid !== process.pid) return;
  try {
    unlinkSync(file);
  } catch {
    // It is gone already.
  }
}

function ownerOf(file: string): Owner | null {
  try {
    return JSON.parse(readFileSync(file, "utf8")) as Owner;
  } catch {
    return null;
  }
}

/** A number may have been given to another process since; the time it began tells them apart, where it can be read. */
function isAlive({ pid, started }: Owner): boolean {
  try {
    process.kill(pid, 0);
  } catch (error) {
    return error instanceof Error && "code" in error && error.code === "EPERM";
  }
  return started === startOf(pid);
}

/** When a process began, in the system's ticks; "" where there is no /proc. */
function startOf(pid: number): string {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    // The name in brackets may hold anything, so the fields are counted from its end.
    return stat.slice(stat.lastIndexOf(")") + 2).split(" ")[19] ?? "";
  } catch {
    return "";
  }
}
