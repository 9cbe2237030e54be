/**
 * Shared by the tools of file-ops: reaching a place in the project, folder by folder, so that no link leads out of it.
 *
 * On Linux every folder on the way is opened, and what is done is done below that open folder (Node has no openat, but
 * a path below a folder's entry in /proc starts at that very folder). So it holds even while another process swaps
 * folders for links. Where there is no /proc, the same way is gone by paths, the folder is looked up again right before
 * it is used, and an opened file must be the one that its path still names (device and inode): such a swap is then
 * noticed most of the time, not always.
 */
import {
  closeSync,
  constants,
  existsSync,
  fstatSync,
  lstatSync,
  mkdirSync,
  openSync,
  readlinkSync,
  realpathSync,
} from "node:fs";
import path from "node:path";

const LINKS_MAX = 40;
const HANDLES = "/proc/self/fd";
const hasHandles = process.platform === "linux" && existsSync(HANDLES);
const O_PATH = 0x20_0000; // Linux: a handle that asks for no right to read; Node has no name for it
const FOLDER = O_PATH | (constants.O_DIRECTORY ?? 0) | (constants.O_NOFOLLOW ?? 0);
const NO_LINK = (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0); // opening a pipe would wait for its other end

/** A path that cannot be followed: `reason` is "outside", "nowhere" or "not_a_folder", which `name` then is not. */
export class Astray extends Error {
  constructor(reason, name = "") {
    super(reason);
    this.reason = reason;
    this.name = name;
  }
}

/** The folder `root`, a real path. A folder is `{ at, names, handle }`: `at` begins the path of anything in it. */
export function openRoot(root) {
  if (!hasHandles) return { at: root, names: [], handle: null };
  const handle = openSync(root, FOLDER);
  const at = `${HANDLES}/${handle}`;
  if (readlinkSync(at) !== root) throw becameLink();
  return { at, names: [], handle };
}

/** The folder that real names lead to from the root; no link among them is followed. Close it with `closeFolder`. */
export function openFolder(root, names) {
  let folder = root;
  for (const name of names) folder = enter(folder, name);
  return folder;
}

export function closeFolder(folder) {
  if (folder.handle !== null && folder.names.length > 0) closeSync(folder.handle);
}

/** The path of `name` in an open folder, for one use, now. */
export function pathIn(folder, name) {
  if (folder.handle === null && realpathSync(folder.at) !== folder.at) throw becameLink();
  return `${folder.at}${path.sep}${name}`; // joined, "." would be lost, and with it that /proc's entry is followed
}

/** Opens what stands in a folder under `name`. A link is not followed, and a pipe not waited for. */
export function openIn(folder, name, flags, mode) {
  const place = pathIn(folder, name);
  const file = openSync(place, flags | NO_LINK, mode);
  if (folder.handle !== null || isStill(file, place)) return file;
  closeSync(file);
  throw becameLink();
}

function isStill(file, place) {
  const [opened, named] = [fstatSync(file), lstatSync(place)];
  return realpathSync(place) === place && opened.dev === named.dev && opened.ino === named.ino;
}

/** Goes into a folder and leaves the one it is in. */
function enter(folder, name) {
  try {
    const names = [...folder.names, name];
    const place = path.join(folder.at, name);
    if (folder.handle === null) return { at: place, names, handle: null };
    const handle = openSync(place, FOLDER);
    return { at: `${HANDLES}/${handle}`, names, handle };
  } catch (error) {
    throw error.code === "ENOTDIR" ? becameLink() : error;
  } finally {
    closeFolder(folder);
  }
}

function becameLink() {
  return Object.assign(new Error("a folder became a link"), { code: "ELOOP", syscall: "open" });
}

/** Makes the folders `names` below an open one, those that are there already included, and goes into the last. */
export function makeFolders(folder, names) {
  let inner = folder;
  for (const name of names) {
    try {
      mkdirSync(pathIn(inner, name));
    } catch (error) {
      if (error.code !== "EEXIST") throw error;
    }
    inner = enter(inner, name);
  }
  return inner;
}

/**
 * Where `names` lead from the root: the open `folder`, the `name` in it ("." for the folder itself) and its `stats`.
 * Where nothing is there, `stats` is null and `missing` are the names of the folders to make before it. Links are
 * followed inside of the root; with `ofLink`, a link at the very end is meant itself.
 */
export function follow(root, rootPath, names, { ofLink = false } = {}) {
  const way = { root, rootPath, folder: root, links: 0, link: "", given: "" };
  way.pending = names.map((name) => ({ name, isGiven: true }));
  try {
    while (way.pending.length > 0) {
      const place = step(way, ofLink);
      if (place !== null) return place;
    }
    return placeIn(way.folder, ".", lstatSync(pathIn(way.folder, ".")));
  } catch (error) {
    closeFolder(way.folder);
    throw error;
  }
}

const placeIn = (folder, name, stats, missing = []) => ({ folder, name, stats, missing });

/** One name further: the place where the way ends, or null while it goes on. */
function step(way, ofLink) {
  const { name, isGiven } = way.pending.shift();
  if (isGiven) way.given = name;
  if (name === "..") return leave(way);
  const stats = statsOf(way.folder, name);
  const isLast = way.pending.length === 0;
  if (stats === null) return endMissing(way, name, isGiven);
  if (stats.isSymbolicLink() && !(ofLink && isLast && isGiven)) return followLink(way, name);
  if (stats.isDirectory()) {
    const { folder } = way;
    way.folder = way.root;
    way.folder = enter(folder, name);
    return null;
  }
  if (isLast) return placeIn(way.folder, name, stats);
  throw new Astray(way.pending[0].isGiven ? "not_a_folder" : "nowhere", way.given);
}

function statsOf(folder, name) {
  try {
    return lstatSync(pathIn(folder, name));
  } catch (error) {
    if (error.code === "ENOENT") return null;
    throw error;
  }
}

function endMissing(way, name, isGiven) {
  if (!isGiven) throw new Astray("nowhere");
  const names = [name, ...way.pending.map((next) => next.name)];
  return placeIn(way.folder, names.at(-1), null, names.slice(0, -1));
}

/** Up, which only a link's target says. From the root it may come back by the root's own name. */
function leave(way) {
  const { folder, root, rootPath } = way;
  if (folder !== root) {
    way.folder = root;
    closeFolder(folder);
    way.folder = openFolder(root, folder.names.slice(0, -1));
    return null;
  }
  const rest = way.pending.filter(({ isGiven }) => !isGiven).map(({ name }) => name);
  way.pending.splice(0, rest.length);
  return goTo(way, path.join(path.dirname(rootPath), ...rest));
}

function followLink(way, name) {
  const target = readlinkSync(pathIn(way.folder, name));
  way.link = path.join(way.rootPath, ...way.folder.names, name);
  way.links += 1;
  if (way.links > LINKS_MAX) throw new Astray("nowhere");
  if (path.isAbsolute(target)) return goTo(way, path.normalize(target));
  way.pending.unshift(...namesOf(target));
  return null;
}

/** Goes on from the root to an absolute path below it. What lies outside is only asked whether it is there. */
function goTo(way, target) {
  const relative = path.relative(way.rootPath, target);
  const isOutside = relative.split(path.sep)[0] === ".." || path.isAbsolute(relative);
  if (isOutside) throw new Astray(existsSync(way.link) ? "outside" : "nowhere");
  closeFolder(way.folder);
  way.folder = way.root;
  way.pending.unshift(...namesOf(relative));
  return null;
}

const namesOf = (target) =>
  target
    .split(path.sep)
    .filter((name) => name !== "" && name !== ".")
    .map((name) => ({ name, isGiven: false }));
