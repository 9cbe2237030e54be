import {
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  openSync,
  readlinkSync,
  statSync,
} from "node:fs";
import path from "node:path";
import { codeOf, isInside, readOpen, realPath, type TextReading } from "./load-text.ts";

export type ConfinedReading = TextReading | { ok: false; reason: "outside" };

type Place = { folders: number[]; pending: string[]; links: number };

const LINKS_MAX = 40;
const DEPTH_MAX = 128; // each open folder is a file handle
const HANDLES = "/proc/self/fd";
const FOLDER = constants.O_RDONLY | (constants.O_DIRECTORY ?? 0) | (constants.O_NOFOLLOW ?? 0);
const FILE = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0) | (constants.O_NOFOLLOW ?? 0);

class Outside extends Error {}

/**
 * Reads a regular file of at most `bytesMax` bytes below `root`, which must be a real path. Links are followed inside
 * `root` and never out of it ("outside"). On Linux with /proc this holds even while another process swaps folders for
 * links; elsewhere such a swap is noticed most of the time, not always. Never throws.
 */
export function readConfined(root: string, relative: string, bytesMax: number): ConfinedReading {
  let handle: number | null = null;
  try {
    handle = hasHandlePaths() ? openByHandles(root, relative) : openAndCompare(root, relative);
    return handle === null ? { ok: false, reason: "not_a_file" } : readOpen(handle, bytesMax);
  } catch (cause) {
    if (cause instanceof Outside) return { ok: false, reason: "outside" };
    const missing = ["ENOENT", "ENOTDIR", "ELOOP", "ENAMETOOLONG"].includes(codeOf(cause));
    return { ok: false, reason: missing ? "missing" : "not_readable" };
  } finally {
    if (handle !== null) closeSync(handle);
  }
}

function hasHandlePaths(): boolean {
  return process.platform === "linux" && realPath(HANDLES) !== null;
}

/** Node has no openat, but on Linux a path below an open folder's entry in /proc starts at that very folder. */
function openByHandles(root: string, relative: string): number | null {
  const place: Place = { folders: [openRoot(root)], pending: relative.split("/"), links: 0 };
  try {
    while (true) {
      const name = place.pending.shift();
      if (name === undefined) return null;
      if (name === "" || name === ".") continue;
      if (name === "..") {
        leaveFolder(place);
        continue;
      }
      const here = `${HANDLES}/${String(place.folders.at(-1))}/${name}`;
      const found = lstatSync(here);
      if (found.isSymbolicLink()) followLink(place, root, readlinkSync(here));
      else if (place.pending.length === 0) return found.isFile() ? openSync(here, FILE) : null;
      else enterFolder(place, here);
    }
  } finally {
    for (const folder of place.folders) closeSync(folder);
  }
}

/** The handle is asked for its own path, because a folder above `root` may have become a link too. */
function openRoot(root: string): number {
  if (lstatSync(root).isSymbolicLink()) throw new Outside();
  const handle = openSync(root, FOLDER);
  if (readlinkSync(`${HANDLES}/${String(handle)}`) === root) return handle;
  closeSync(handle);
  throw new Outside();
}

function enterFolder(place: Place, here: string): void {
  if (place.folders.length >= DEPTH_MAX) throw tooDeep();
  place.folders.push(openSync(here, FOLDER));
}

function leaveFolder(place: Place): void {
  if (place.folders.length === 1) throw new Outside();
  const left = place.folders.pop();
  if (left !== undefined) closeSync(left);
}

function followLink(place: Place, root: string, target: string): void {
  place.links += 1;
  if (place.links > LINKS_MAX) throw tooDeep();
  if (!path.isAbsolute(target)) {
    place.pending.unshift(...target.split("/"));
    return;
  }
  if (!isInside(root, target)) throw new Outside();
  while (place.folders.length > 1) leaveFolder(place);
  place.pending.unshift(...target.slice(root.length).split("/"));
}

function tooDeep(): Error {
  return Object.assign(new Error("too many links or folders"), { code: "ELOOP" });
}

/** Without handle paths: what was opened must be what the real path, looked up afterwards, still names. */
function openAndCompare(root: string, relative: string): number | null {
  const asked = path.join(root, relative);
  const before = realPath(asked);
  if (before !== null && !isInside(root, before)) throw new Outside();
  if (!statSync(asked).isFile()) return null;
  const handle = openSync(before ?? asked, FILE);
  const after = realPath(asked);
  const opened = fstatSync(handle);
  const named = after !== null && isInside(root, after) ? lstatSync(after) : null;
  if (named !== null && named.dev === opened.dev && named.ino === opened.ino) return handle;
  closeSync(handle);
  throw new Outside();
}
