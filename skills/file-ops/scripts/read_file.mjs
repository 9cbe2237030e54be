import { isUtf8 } from "node:buffer";
import { closeSync, constants, fstatSync, readSync } from "node:fs";

import { openIn } from "./_confined.mjs";
import { quoted, Refusal, runTool } from "./_project.mjs";
import { findFile } from "./_search.mjs";

export const description = "Reads a text file, whole or some of its lines.";
export const effect = "read";
export const options = {
  path: { type: "string", description: "the file, or its bare name", required: true },
  from_line: { type: "string", value: "integer", minimum: 1, description: "first line to read" },
  lines: { type: "string", value: "integer", minimum: 1, description: "how many lines" },
};

const BYTES_MAX = 1024 * 1024;
const CHUNK_BYTES = 64 * 1024;
const LINE_END = 10;

runTool(import.meta.url, options, (input, project) => {
  const { folder, name, stats } = findFile(project, input.path, { byName: true });
  if (stats.isDirectory())
    throw new Refusal(`${quoted(input.path)} is a folder. Use list_files to see what is in it.`);
  if (!stats.isFile()) throw notRegular(input.path);
  const file = openIn(folder, name, constants.O_RDONLY);
  try {
    const opened = fstatSync(file); // another file may have this name by now
    if (!opened.isFile()) throw notRegular(input.path);
    if (isWhole(input) && opened.size > BYTES_MAX) throw tooLarge(input.path);
    const bytes = readLines(file, input);
    if (isBinary(bytes)) throw new Refusal(`${quoted(input.path)} is a binary file, not text.`);
    return bytes;
  } finally {
    closeSync(file);
  }
});

function isWhole(input) {
  return input.from_line === undefined && input.lines === undefined;
}

/** The bytes of the wanted lines, exactly as they are stored. Reads no further than the last one. */
function readLines(file, { path, from_line: from = 1, lines = Infinity }) {
  const kept = [];
  let keptBytes = 0;
  let line = 1; // the line that the next byte belongs to
  let last = LINE_END;
  const chunk = Buffer.alloc(CHUNK_BYTES);
  for (let size = 1; size > 0 && line < from + lines;) {
    size = readSync(file, chunk, 0, CHUNK_BYTES, null);
    if (size > 0) last = chunk[size - 1];
    const cut = cutLines(chunk.subarray(0, size), line, from, from + lines);
    line = cut.line;
    if (cut.piece.length > 0) kept.push(Buffer.from(cut.piece));
    keptBytes += cut.piece.length;
    if (keptBytes > BYTES_MAX) throw tooLarge(path);
  }
  const count = last === LINE_END ? line - 1 : line;
  if (from > Math.max(1, count))
    throw new Refusal(`${quoted(path)} has only ${count} lines; from_line was ${from}.`);
  return Buffer.concat(kept);
}

/** The part of `chunk` from line `from` to before line `end`; the chunk's first byte belongs to `line`. */
function cutLines(chunk, line, from, end) {
  let start = line >= from ? 0 : chunk.length;
  for (let at = chunk.indexOf(LINE_END); at >= 0; at = chunk.indexOf(LINE_END, at + 1)) {
    line++;
    if (line === from) start = at + 1;
    if (line === end) return { piece: chunk.subarray(start, at + 1), line };
  }
  return { piece: chunk.subarray(start), line };
}

function notRegular(path) {
  return new Refusal(`${quoted(path)} is not a regular file and cannot be read.`);
}

function tooLarge(path) {
  return new Refusal(
    `${quoted(path)} is too large: more than 1 MiB. Read a part of it with from_line and lines.`,
  );
}

/** Text in an old one-byte encoding has no control bytes; compressed data has. */
function isBinary(bytes) {
  if (bytes.includes(0)) return true;
  return (
    !isUtf8(bytes) && bytes.some((byte) => byte < 8 || (byte > 13 && byte < 32 && byte !== 27))
  );
}
