import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { HarnessError, reasonOf } from "../errors.ts";
import { folderHash } from "./load-folder-hash.ts";
import { codeOf } from "./load-text.ts";
import type { SkillEntry } from "./skill.ts";
import { isPartOfProgram, type Grant, type Trust } from "./trust.ts";

/** Where trust is kept, and what holds for this run alone. */
export interface TrustOptions {
  /** The user's own folder; null keeps trust in memory. */
  configFolder: string | null;
  /** Names of skills whose folders are trusted for this run, with what they ask for, as they are when first asked about. */
  names?: readonly string[];
}

/** What is kept of a trusted folder, by its real path. */
interface Kept {
  hash: string;
  grant: Grant;
}

/**
 * Whose scripts may run: what ships and what the program made itself always; a folder with the content that somebody
 * agreed to. Kept in trust.json, readable by its owner alone. Throws HarnessError "config" for a file that is not ours.
 */
export function openTrust({ configFolder, names = [] }: TrustOptions): Trust {
  const file = configFolder === null ? null : path.join(configFolder, "trust.json");
  const ofThisRun = new Map<string, Kept>();
  const stateOf: Trust["stateOf"] = (skill) => {
    if (isPartOfProgram(skill))
      return { state: "trusted", hash: null, grant: { ...skill.needs, unsandboxed: true } };
    const found = folderHash(skill.folder);
    if (!found.ok) return { state: "unpinnable", reason: found.reason };
    const { hash } = found;
    if (names.includes(skill.name) && !ofThisRun.has(skill.folder))
      ofThisRun.set(skill.folder, { hash, grant: { ...skill.needs, unsandboxed: true } });
    const kept = ofThisRun.get(skill.folder) ?? readKept(file)[skill.folder];
    if (kept === undefined) return { state: "new", hash };
    return { state: kept.hash === hash ? "trusted" : "changed", hash, grant: kept.grant };
  };
  return {
    stateOf,
    grant(skill, hash, grant) {
      const now = folderHash(skill.folder);
      if (!now.ok || now.hash !== hash)
        throw new HarnessError(
          "config",
          `the folder of the skill ${skill.name} has changed since it was shown; look at it again`,
        );
      if (file === null || ofThisRun.has(skill.folder))
        ofThisRun.set(skill.folder, { hash, grant });
      else change(file, (kept) => ({ ...kept, [skill.folder]: { hash, grant } }));
    },
    revoke: (skill) => revoke(file, ofThisRun, skill),
  };
}

function revoke(file: string | null, ofThisRun: Map<string, Kept>, { folder }: SkillEntry) {
  const wasOfThisRun = ofThisRun.delete(folder);
  if (file === null || readKept(file)[folder] === undefined) return wasOfThisRun;
  change(file, (kept) =>
    Object.fromEntries(Object.entries(kept).filter(([trusted]) => trusted !== folder)),
  );
  return true;
}

/** What the file holds; nothing where there is none. A file that cannot be understood trusts nobody, and is left as it is. */
function readKept(file: string | null): Record<string, Kept> {
  if (file === null) return {};
  let text: string;
  try {
    text = readFileSync(file, "utf8");
  } catch (cause) {
    if (codeOf(cause) === "ENOENT") return {};
    throw new HarnessError("config", `${file} cannot be read: ${reasonOf(cause)}`, { cause });
  }
  const folders = parsed(text);
  if (folders !== null) return folders;
  throw new HarnessError(
    "config",
    `${file} is not what broharness wrote: put it right, or remove it and trust your skills again`,
  );
}

function parsed(text: string): Record<string, Kept> | null {
  try {
    const value = JSON.parse(text) as { format?: unknown; folders?: unknown };
    if (value.format !== 1 || typeof value.folders !== "object" || !value.folders) return null;
    const folders = value.folders as Record<string, unknown>;
    return Object.values(folders).every(isKept) ? (folders as Record<string, Kept>) : null;
  } catch {
    return null;
  }
}

function isKept(value: unknown): value is Kept {
  if (typeof value !== "object" || value === null) return false;
  const { hash, grant } = value as { hash?: unknown; grant?: Partial<Grant> | null };
  return (
    typeof hash === "string" &&
    typeof grant === "object" &&
    grant !== null &&
    typeof grant.network === "boolean" &&
    typeof grant.unsandboxed === "boolean" &&
    Array.isArray(grant.environment) &&
    grant.environment.every((name) => typeof name === "string")
  );
}

const TRIES_MAX = 200;
const WAIT_MS = 10;

/** Reads, changes and writes while no other process does: the lock is a folder, which only one can make. */
function change(file: string, changed: (kept: Record<string, Kept>) => Record<string, Kept>): void {
  const lock = `${file}.lock`;
  try {
    mkdirSync(path.dirname(file), { recursive: true, mode: 0o700 });
    takeLock(lock);
  } catch (cause) {
    const reason = codeOf(cause) === "EEXIST" ? `${lock} stays there; remove it` : reasonOf(cause);
    throw new HarnessError("config", `${file} cannot be written: ${reason}`, { cause });
  }
  const fresh = `${file}.${process.pid}`;
  try {
    const folders = changed(readKept(file));
    writeFileSync(fresh, `${JSON.stringify({ format: 1, folders }, null, 2)}\n`, { mode: 0o600 });
    renameSync(fresh, file);
  } catch (cause) {
    rmSync(fresh, { force: true });
    if (cause instanceof HarnessError) throw cause;
    throw new HarnessError("config", `${file} cannot be written: ${reasonOf(cause)}`, { cause });
  } finally {
    rmSync(lock, { recursive: true, force: true });
  }
}

function takeLock(lock: string): void {
  for (let tries = 1; ; tries += 1) {
    try {
      return mkdirSync(lock);
    } catch (cause) {
      if (codeOf(cause) !== "EEXIST" || tries === TRIES_MAX) throw cause;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, WAIT_MS);
    }
  }
}
