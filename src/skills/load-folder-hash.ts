import { createHash } from "node:crypto";
import { lstatSync, readFileSync, readdirSync, readlinkSync, type BigIntStats } from "node:fs";
import path from "node:path";
import { reasonOf } from "../errors.ts";
import { isInside, realPath } from "./load-text.ts";

/** The hash of a folder, or why it has none, as a half sentence that says what to do. */
export type FolderHash = { ok: true; hash: string } | { ok: false; reason: string };

const FILES_MAX = 2_000;
const BYTES_MAX = 64 * 1024 * 1024;
/** What programs leave behind and scripts never read: Python is told to keep its own elsewhere. */
const LEFT_OUT = new Set([".git", "__pycache__"]);
/** A file system may give two changes within this time the same timestamp. */
const RACY_NS = 2_000_000_000n;

interface Part {
  relative: string;
  file: string;
  stats: BigIntStats;
}

/** Hashes of folders whose files have not been touched since. */
const known = new Map<string, { stamp: string; hash: string }>();

/**
 * SHA-256 over everything in a folder: the path, kind and executable bit of each entry, the content of each file and the
 * target of each link, `.git` and `__pycache__` left out. Links may not leave the folder. At most 2,000 files and 64 MiB.
 * A folder that was hashed before is only looked at, unless something in it is not as it was. Never throws.
 */
export function folderHash(folder: string): FolderHash {
  try {
    const parts = partsOf(folder);
    if (typeof parts === "string") return { ok: false, reason: parts };
    const stamp = parts.map(stampOf).join("\n");
    const before = known.get(folder);
    if (before?.stamp === stamp) return { ok: true, hash: before.hash };
    const hash = hashOf(parts);
    if (isSettled(parts)) known.set(folder, { stamp, hash });
    else known.delete(folder);
    return { ok: true, hash };
  } catch (cause) {
    return { ok: false, reason: `it cannot be read whole: ${reasonOf(cause)}` };
  }
}

/** Everything in the folder, sorted by path; or a reason. */
function partsOf(folder: string): Part[] | string {
  const parts: Part[] = [];
  const waiting = [""];
  let bytes = 0n;
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    for (const name of readdirSync(path.join(folder, next))) {
      if (LEFT_OUT.has(name)) continue;
      const relative = next === "" ? name : `${next}/${name}`;
      const file = path.join(folder, relative);
      const stats = lstatSync(file, { bigint: true });
      const fault = faultOf({ relative, file, stats }, folder);
      if (fault !== null) return fault;
      parts.push({ relative, file, stats });
      if (stats.isDirectory()) waiting.push(relative);
      if (stats.isFile()) bytes += stats.size;
      if (parts.length > FILES_MAX) return `it holds more than ${FILES_MAX} files; make it smaller`;
      if (bytes > BYTES_MAX) return "it holds more than 64 MiB; make it smaller";
    }
  }
  return parts.toSorted((a, b) => (a.relative < b.relative ? -1 : 1));
}

function faultOf({ relative, file, stats }: Part, folder: string): string | null {
  if (stats.isFile() || stats.isDirectory()) return null;
  if (!stats.isSymbolicLink())
    return `${JSON.stringify(relative)} is neither a file nor a folder; remove it`;
  const real = realPath(file);
  return real !== null && isInside(folder, real)
    ? null
    : `the link ${JSON.stringify(relative)} leads out of it or nowhere; copy the file into it`;
}

const stampOf = ({ relative, stats }: Part): string =>
  [relative, stats.mode, stats.size, stats.mtimeNs, stats.ctimeNs, stats.ino].join("\0");

function hashOf(parts: readonly Part[]): string {
  const hash = createHash("sha256");
  for (const { relative, file, stats } of parts) {
    const content = contentOf(file, stats);
    // Lengths come first, so that no content can pretend to be the next entry.
    const isExecutable = (stats.mode & 0o111n) !== 0n;
    hash.update(`${JSON.stringify([relative, kindOf(stats), isExecutable, content.length])}\n`);
    hash.update(content);
  }
  return hash.digest("hex");
}

function contentOf(file: string, stats: BigIntStats): Buffer {
  if (stats.isFile()) return readFileSync(file);
  return stats.isSymbolicLink() ? Buffer.from(readlinkSync(file)) : Buffer.alloc(0);
}

function kindOf(stats: BigIntStats): "file" | "link" | "folder" {
  if (stats.isFile()) return "file";
  return stats.isSymbolicLink() ? "link" : "folder";
}

function isSettled(parts: readonly Part[]): boolean {
  const young = BigInt(Date.now()) * 1_000_000n - RACY_NS;
  return parts.every(({ stats }) => stats.ctimeNs < young);
}
