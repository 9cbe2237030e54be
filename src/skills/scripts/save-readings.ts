import { createHash, randomBytes } from "node:crypto";
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import type { ScriptReading } from "./script-reading.ts";

/** Readings kept under keys that name all they depend on, so that none is ever out of date. */
export interface ReadingCache {
  /** The reading of that key for this file; null where none is kept, or not whole. */
  load(key: string, file: string): ScriptReading | null;
  /** Keeps it, whole or not at all. A disk that refuses costs only the time to read the script again. */
  save(key: string, reading: ScriptReading): void;
}

/** The readings in `<cacheFolder>/readings`, one file each; without a folder none are kept. */
export function readingCache(cacheFolder: string | null): ReadingCache {
  if (cacheFolder === null) return { load: () => null, save: () => undefined };
  const folder = path.join(cacheFolder, "readings");
  return {
    load: (key, file) => load(path.join(folder, key), file),
    save: (key, reading) => save(path.join(folder, key), reading),
  };
}

/** 64 hexadecimal digits for a list of texts and bytes, of which none runs into the next. */
export function keyOf(parts: readonly (string | Uint8Array)[]): string {
  const hash = createHash("sha256");
  for (const part of parts) {
    hash.update(`${Buffer.byteLength(part)}:`);
    hash.update(part);
  }
  return hash.digest("hex");
}

function load(kept: string, file: string): ScriptReading | null {
  try {
    const text = readFileSync(kept, "utf8");
    const end = text.indexOf("\n");
    const body = text.slice(end + 1);
    // A disk that filled up or lost power leaves files that are not what was written.
    if (keyOf([body]) !== text.slice(0, end)) return null;
    return { ...(JSON.parse(body) as ScriptReading), file };
  } catch {
    return null;
  }
}

function save(kept: string, reading: ScriptReading): void {
  const body = JSON.stringify(reading);
  const fresh = `${kept}.${process.pid}.${randomBytes(4).toString("hex")}`;
  try {
    mkdirSync(path.dirname(kept), { recursive: true, mode: 0o700 });
    writeFileSync(fresh, `${keyOf([body])}\n${body}`, { flag: "wx", mode: 0o600 });
    renameSync(fresh, kept);
  } catch {
    rmSync(fresh, { force: true });
  }
}
