import {
  closeSync,
  constants,
  fstatSync,
  openSync,
  readSync,
  realpathSync,
  statSync,
} from "node:fs";
import path from "node:path";

/** A text file, or why it is not one. `exact` is false where bytes that are not UTF-8 were replaced. */
export type TextReading =
  | { ok: true; text: string; exact: boolean }
  | { ok: false; reason: "missing" | "not_a_file" | "too_large" | "not_readable" };

/**
 * Reads a regular file of at most `bytesMax` bytes as UTF-8, a byte order mark included. Anything else (a folder, a
 * pipe, a device) is refused without waiting for it. Never throws.
 */
export function readText(file: string, bytesMax: number): TextReading {
  try {
    // Looked at before it is opened, because opening is enough to make a device act.
    if (!statSync(file).isFile()) return { ok: false, reason: "not_a_file" };
    // What was a file a moment ago may be a pipe now; without this flag opening it would wait for a writer.
    const handle = openSync(file, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
    try {
      return readOpen(handle, bytesMax);
    } finally {
      closeSync(handle);
    }
  } catch (cause) {
    const missing = ["ENOENT", "ENOTDIR", "ELOOP", "ENAMETOOLONG"].includes(codeOf(cause));
    return { ok: false, reason: missing ? "missing" : "not_readable" };
  }
}

/** Reads an open file from its start; the caller closes it. Throws what the file system throws. */
export function readOpen(handle: number, bytesMax: number): TextReading {
  const found = fstatSync(handle);
  if (!found.isFile()) return { ok: false, reason: "not_a_file" };
  if (found.size > bytesMax) return { ok: false, reason: "too_large" };
  const bytes = Buffer.alloc(found.size);
  let length = 0;
  while (length < bytes.length) {
    const count = readSync(handle, bytes, length, bytes.length - length, length);
    if (count === 0) break;
    length += count;
  }
  const whole = bytes.subarray(0, length);
  try {
    return {
      ok: true,
      text: new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(whole),
      exact: true,
    };
  } catch {
    return {
      ok: true,
      text: new TextDecoder("utf-8", { ignoreBOM: true }).decode(whole),
      exact: false,
    };
  }
}

/** The real path, or null where there is none. */
export function realPath(file: string): string | null {
  try {
    return realpathSync.native(file);
  } catch {
    return null;
  }
}

/** Whether a real path is the real folder or lies below it. */
export function isInside(folder: string, file: string): boolean {
  return file === folder || file.startsWith(folder.endsWith(path.sep) ? folder : folder + path.sep);
}

/** The code of a file system error, e.g. "ENOENT"; "" for anything else. */
export function codeOf(cause: unknown): string {
  return cause instanceof Error && "code" in cause ? String(cause.code) : "";
}
