import { closeSync, openSync, readFileSync, statSync, unlinkSync, writeSync } from "node:fs";
import { HarnessError } from "../errors.ts";

/** Others that take over the same lock at this moment may come first this often. */
const TRIES = 20;
/** A lock is empty only while it is made, or when its maker died at that moment. In milliseconds. */
const MAKING_MAX = 10_000;

/**
 * Makes this process the only writer of a file; gives back what lets go of it. The lock of a dead process is taken over.
 * Throws HarnessError "config" when the file is in use, and the system's error when no lock can be made.
 */
export function lock(path: string): () => void {
  const file = `${path}.lock`;
  for (let tries = 0; tries < TRIES; tries++) {
    if (take(file)) return () => release(file);
    const state = stateOf(file);
    if (state === "held") break;
    if (state === "dead") clear(file);
  }
  const owner = ownerOf(file);
  throw new HarnessError(
    "config",
    `${path} is in use${owner ? ` by process ${owner.pid}` : ""}: wait for it, or go on in a copy with --fork-session`,
  );
}

/**
 * Removes the lock of a dead process. Only who holds the lock's own lock may do so, and looks once more then: nobody
 * removes a lock that another process has just taken over.
 */
function clear(file: string): void {
  const right = `${file}.lock`;
  if (!take(right)) {
    if (stateOf(right) === "dead") clear(right);
    return;
  }
  try {
    if (stateOf(file) === "dead") remove(file);
  } finally {
    remove(right);
  }
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
  } catch (error) {
    remove(file);
    throw error;
  } finally {
    closeSync(descriptor);
  }
}

function release(file: string): void {
  if (ownerOf(file)?.pid === process.pid) remove(file);
}

function remove(file: string): void {
  try {
    unlinkSync(file);
  } catch {
    // It is gone already, or its folder can no longer be written: then the next process finds its owner dead.
  }
}

function ownerOf(file: string): Owner | null {
  try {
    const { pid, started } = JSON.parse(readFileSync(file, "utf8")) as Owner;
    return Number.isSafeInteger(pid) && pid > 0 ? { pid, started } : null;
  } catch {
    return null;
  }
}

function stateOf(file: string): "free" | "held" | "dead" {
  const owner = ownerOf(file);
  if (owner) return isAlive(owner) ? "held" : "dead";
  const made = statSync(file, { throwIfNoEntry: false })?.mtimeMs;
  if (made === undefined) return "free";
  return Date.now() - made > MAKING_MAX ? "dead" : "held";
}

/** A number may have been given to another process since; the time it began tells them apart, where it can be read. */
function isAlive({ pid, started }: Owner): boolean {
  try {
    process.kill(pid, 0);
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "EPERM")) return false;
  }
  const now = startOf(pid);
  return now === "" || now === started;
}

/** When a process began, in the system's ticks; "" where that cannot be read; "ended" while its parent has not heard of its end. */
function startOf(pid: number): string {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    // The name in brackets may hold anything, so the fields are counted from its end.
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    return fields[0] === "Z" || fields[0] === "X" ? "ended" : (fields[19] ?? "");
  } catch {
    return "";
  }
}
