/** Shared by the tools of file-ops: walking the project, matching names, and what may have been meant by a wrong one. */
import { readdirSync } from "node:fs";
import path from "node:path";

import { closeFolder, openFolder, pathIn } from "./_confined.mjs";
import { locate, quoted, Refusal, relativeName } from "./_project.mjs";

const ENTRIES_MAX = 50_000; // looked at in one call; about a second on a slow disk
const DEPTH_MAX = 40;
const NAMED_MAX = 10; // paths named in one message
const NEAR_MAX = 3;
const SKIPPED = new Set([".git", "node_modules"]);

const inOrder = (a, b) => (a < b ? -1 : Number(a > b));

/**
 * Everything below `folder` (a real path), folder by folder, sorted by name. Links are named, never entered.
 * `complete` is false when the walk stopped at its bound or a folder could not be read.
 */
export function walk(project, folder, depth = DEPTH_MAX) {
  const entries = [];
  let complete = true;
  const queue = [{ place: folder, level: 1 }];
  for (const { place, level } of queue) {
    const children = readFolder(project, place, place === folder);
    complete &&= children !== null;
    for (const child of children ?? []) {
      if (entries.length === ENTRIES_MAX) return { entries, complete: false };
      const entry = describeChild(project, place, child);
      entries.push(entry);
      if (child.isDirectory() && level < Math.min(depth, DEPTH_MAX))
        queue.push({ place: path.join(place, child.name), level: level + 1 });
    }
  }
  return { entries, complete };
}

function readFolder(project, place, isStart) {
  const names = path.relative(project.root, place).split(path.sep).filter(Boolean);
  try {
    const folder = openFolder(project.folder, names);
    try {
      return childrenOf(folder);
    } finally {
      closeFolder(folder);
    }
  } catch (error) {
    if (isStart) throw error;
    return null;
  }
}

const childrenOf = (folder) =>
  readdirSync(pathIn(folder, "."), { withFileTypes: true })
    .filter(({ name }) => !SKIPPED.has(name))
    .toSorted((a, b) => inOrder(a.name, b.name));

function describeChild(project, place, child) {
  const file = relativeName(project, path.join(place, child.name));
  if (!child.isSymbolicLink())
    return { path: file, name: child.name, isFolder: child.isDirectory(), isFile: child.isFile() };
  const stats = linkStats(project, file);
  return {
    path: file,
    name: child.name,
    isFolder: stats?.isDirectory() ?? false,
    isFile: stats?.isFile() ?? false,
  };
}

function linkStats(project, file) {
  try {
    const { folder, stats } = locate(project, `./${file}`);
    closeFolder(folder);
    return stats;
  } catch {
    return null; // it leads outside or nowhere: a name to be listed, not a file to be used
  }
}

/** Does `name` match the pattern? `*` stands for any letters, `?` for one; upper and lower case are the same. */
export function matchesName(pattern, name) {
  return matchesSequence(
    [...folded(pattern)],
    [...folded(name)],
    "*",
    (wanted, letter) => wanted === "?" || wanted === letter,
  );
}

/** The same for a path, folder by folder; `**` stands for any folders. */
export function matchesPath(pattern, file) {
  return matchesSequence(pattern.split("/"), file.split("/"), "**", matchesName);
}

// The same name may be stored composed or decomposed, depending on the system that wrote it.
const folded = (text) => text.normalize("NFC").toLowerCase();

/** At most pattern × items steps: after a mismatch only the last star is tried again. */
function matchesSequence(pattern, items, star, same) {
  let at = 0;
  let item = 0;
  let lastStar = -1;
  let resume = 0;
  while (item < items.length) {
    if (at < pattern.length && pattern[at] === star) {
      lastStar = at++;
      resume = item;
    } else if (at < pattern.length && same(pattern[at], items[item])) {
      at++;
      item++;
    } else if (lastStar >= 0) {
      at = lastStar + 1;
      item = ++resume;
    } else return false;
  }
  while (at < pattern.length && pattern[at] === star) at++;
  return at === pattern.length;
}

/** Is `given` written like a pattern? A file may still have exactly this name. */
export const isPattern = (given) => /[*?[\]{}]/.test(given);

/**
 * The file that `given` means. With `byName`, a bare name that is not at the top of the project may be the only file
 * of that name further down. In every other case a missing file is a failure that names what may have been meant.
 */
export function findFile(project, given, { byName = false, ofLink = false } = {}) {
  const place = locate(project, given, { ofLink });
  if (place.stats !== null) return place;
  const wanted = relativeName(project, place.real);
  const { entries, complete } = walk(project, project.root);
  const files = entries.filter(({ isFile }) => isFile);
  const same = files.filter(({ name }) => name === path.posix.basename(wanted));
  const isBare = !wanted.includes("/");
  if (byName && isBare && same.length === 1 && complete) {
    const [only] = same;
    process.stderr.write(`${quoted(given)} is ${quoted(only.path)}\n`);
    return locate(project, `./${only.path}`);
  }
  throw new Refusal(missing(given, same, files));
}

function missing(given, same, files) {
  if (same.length > 1) {
    return `no file ${quoted(given)}, but several files have that name: ${listed(same)}. Ask the user which one is meant.`;
  }
  if (same.length === 1) {
    return `no file ${quoted(given)}. One file has that name: ${listed(same)}. If it is the one meant, give this path.`;
  }
  if (isPattern(given)) {
    return `${quoted(given)} is a pattern, and no file has exactly that name. Give the exact path of one file.`;
  }
  const near = nearFiles(path.posix.basename(given), files);
  return `no file named ${quoted(given)} in the project.${near.length > 0 ? ` Near names: ${listed(near)}.` : ""}`;
}

function listed(files) {
  const more = files.length - NAMED_MAX;
  return `${files
    .slice(0, NAMED_MAX)
    .map((file) => quoted(file.path))
    .join(", ")}${more > 0 ? ` and ${more} more` : ""}`;
}

function nearFiles(name, files) {
  const wanted = folded(name);
  return files
    .map((file) => ({ path: file.path, distance: distanceOf(wanted, folded(file.name)) }))
    .filter(({ distance }) => distance <= Math.max(1, Math.floor(wanted.length / 3)))
    .toSorted((a, b) => a.distance - b.distance)
    .slice(0, NEAR_MAX);
}

/** How many letters differ; 1 for the same name with another ending. */
function distanceOf(wanted, name) {
  if (path.posix.parse(wanted).name === path.posix.parse(name).name) return 1;
  if (wanted.length > 64 || Math.abs(wanted.length - name.length) > wanted.length / 3)
    return Infinity;
  let row = Array.from({ length: name.length + 1 }, (_, index) => index);
  for (let i = 0; i < wanted.length; i++) {
    const next = [i + 1];
    for (let j = 0; j < name.length; j++) {
      next.push(Math.min(row[j] + (wanted[i] === name[j] ? 0 : 1), row[j + 1] + 1, next[j] + 1));
    }
    row = next;
  }
  return row[name.length];
}

/** One path per line, in order, for stdout; a name that would not stay on its line is quoted. `more` says how many were left out. */
export function pathLines(paths, shownMax, complete, advice) {
  const lines = paths
    .toSorted(inOrder)
    .slice(0, shownMax)
    .map((file) => (/\p{Cc}/u.test(file) ? quoted(file) : file));
  const more = paths.length - shownMax;
  if (more > 0) lines.push(`(${complete ? more : `at least ${more}`} more. ${advice})`);
  else if (!complete)
    lines.push(
      "(Not everything could be searched: too many files, or a folder without permission.)",
    );
  return lines.map((line) => `${line}\n`).join("");
}
