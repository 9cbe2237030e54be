import { readdirSync, statSync } from "node:fs";
import path from "node:path";
import { realPath } from "../skills/load-text.ts";

/**
 * Why a script that was read is not the file that would run now, as a sentence; null if it is. `file` is its real path
 * when it was read, so that a link in any part of the path shows.
 */
export function whatBecameOf(file: string): string | null {
  const real = realPath(file);
  if (real === null) return "it is gone since the skills were read: put it back";
  if (real !== file || !statSync(file, { throwIfNoEntry: false })?.isFile())
    return "it was replaced by a link or a folder since the skills were read: put the file back";
  return null;
}

/** Names in the folder of a script; none where it cannot be read. */
export function filesBeside(file: string): string[] {
  try {
    return readdirSync(path.dirname(file));
  } catch {
    return [];
  }
}
