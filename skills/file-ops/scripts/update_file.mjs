import { randomUUID } from "node:crypto";
import {
  accessSync,
  closeSync,
  constants,
  fchmodSync,
  fchownSync,
  fstatSync,
  ftruncateSync,
  readSync,
  renameSync,
  rmSync,
  writeFileSync,
  writeSync,
} from "node:fs";

import { openIn, pathIn } from "./_confined.mjs";
import { quoted, Refusal, runTool } from "./_project.mjs";
import { findFile } from "./_search.mjs";

export const description = "Replaces the whole text of a file, or adds to its end.";
export const effect = "destructive";
export const options = {
  path: { type: "string", description: "the exact path", required: true },
  content: {
    type: "string",
    description: "the whole new text, or the text to add",
    required: true,
    maxLength: 30_000,
  },
  append: { type: "boolean", description: "add content at the end as it is" },
};

runTool(import.meta.url, options, ({ path: given, content, append }, project) => {
  const shown = quoted(given);
  const { folder, name, stats } = findFile(project, given);
  if (stats.isDirectory()) throw new Refusal(`${shown} is a folder. Only files can be updated.`);
  if (!stats.isFile()) throw notRegular(shown);
  accessSync(pathIn(folder, name), constants.W_OK); // renaming would not ask: a file set to read-only is meant to stay
  replaceFile(folder, name, { stats, content, append, shown });
  return `${append ? "added to the end of" : "replaced the text of"} ${shown} (${Buffer.byteLength(content)} bytes)\n`;
});

function notRegular(shown) {
  return new Refusal(`${shown} is not a regular file and cannot be updated.`);
}

/** The file holds either its old text or its new one, never a part of it. Owner and mode stay. */
function replaceFile(folder, name, update) {
  const draftName = `.file-ops-${randomUUID()}.tmp`;
  const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL;
  const draft = openIn(folder, draftName, flags, 0o600);
  try {
    if (writeDraft(folder, name, draft, update))
      return renameSync(pathIn(folder, draftName), pathIn(folder, name));
    rmSync(pathIn(folder, draftName));
  } catch (error) {
    rmSync(pathIn(folder, draftName), { force: true });
    throw error;
  }
  writeInPlace(folder, name, update);
}

/** False if the draft cannot have the owner of the file. Closes it. */
function writeDraft(folder, name, draft, { stats, content, append, shown }) {
  try {
    if (append) copyText(folder, name, draft, shown);
    writeFileSync(draft, content);
    if (!keepOwner(draft, stats)) return false;
    fchmodSync(draft, stats.mode & 0o7777);
    return true;
  } finally {
    closeSync(draft);
  }
}

function copyText(folder, name, draft, shown) {
  const file = openRegular(folder, name, constants.O_RDONLY, shown);
  try {
    const chunk = Buffer.alloc(64 * 1024);
    for (let size = 1; size > 0;) {
      size = readSync(file, chunk, 0, chunk.length, null);
      for (let at = 0; at < size;) at += writeSync(draft, chunk, at, size - at);
    }
  } finally {
    closeSync(file);
  }
}

function openRegular(folder, name, flags, shown) {
  const file = openIn(folder, name, flags);
  if (fstatSync(file).isFile()) return file;
  closeSync(file);
  throw notRegular(shown);
}

function keepOwner(draft, { uid, gid }) {
  const made = fstatSync(draft);
  if (made.uid === uid && made.gid === gid) return true;
  try {
    fchownSync(draft, uid, gid);
    return true;
  } catch (error) {
    if (error.code === "EPERM") return false;
    throw error;
  }
}

/** For a file of somebody else that we may write: giving it a new owner would be worse than not being atomic. */
function writeInPlace(folder, name, { content, append, shown }) {
  const flags = constants.O_WRONLY | (append ? constants.O_APPEND : 0);
  const file = openRegular(folder, name, flags, shown);
  try {
    if (!append) ftruncateSync(file, 0);
    writeFileSync(file, content);
  } finally {
    closeSync(file);
  }
}
