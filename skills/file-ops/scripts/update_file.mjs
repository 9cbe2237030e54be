import { randomUUID } from "node:crypto";
import {
  accessSync,
  chmodSync,
  chownSync,
  constants,
  copyFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import path from "node:path";

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
  const { real, stats } = findFile(project, given);
  if (stats.isDirectory()) throw new Refusal(`${shown} is a folder. Only files can be updated.`);
  if (!stats.isFile()) throw new Refusal(`${shown} is not a regular file and cannot be updated.`);
  accessSync(real, constants.W_OK); // renaming would not ask: a file set to read-only is meant to stay
  replaceFile(real, stats, content, append);
  return `${append ? "added to the end of" : "replaced the text of"} ${shown} (${Buffer.byteLength(content)} bytes)\n`;
});

/** The file holds either its old text or its new one, never a part of it. Owner and mode stay. */
function replaceFile(real, stats, content, append) {
  const draft = path.join(path.dirname(real), `.file-ops-${randomUUID()}.tmp`);
  try {
    if (append) copyFileSync(real, draft, constants.COPYFILE_EXCL);
    if (append) chmodSync(draft, 0o600); // the copy has the old mode, which may not let us write
    writeFileSync(draft, content, { flag: append ? "a" : "wx", mode: 0o600 });
    if (!keepOwner(draft, stats)) return writeInPlace(draft, real, content, append);
    chmodSync(draft, stats.mode & 0o7777);
    renameSync(draft, real);
  } catch (error) {
    rmSync(draft, { force: true });
    throw error;
  }
}

function keepOwner(draft, { uid, gid }) {
  const made = statSync(draft);
  if (made.uid === uid && made.gid === gid) return true;
  try {
    chownSync(draft, uid, gid);
    return true;
  } catch (error) {
    if (error.code === "EPERM") return false;
    throw error;
  }
}

/** For a file of somebody else that we may write: giving it a new owner would be worse than not being atomic. */
function writeInPlace(draft, real, content, append) {
  rmSync(draft);
  writeFileSync(real, content, { flag: append ? "a" : "w" });
}
