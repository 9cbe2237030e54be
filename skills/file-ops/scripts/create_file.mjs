import { closeSync, mkdirSync, openSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";

import { locate, quoted, Refusal, runTool } from "./_project.mjs";

export const description = "Creates a new text file, with its folders.";
export const effect = "write";
export const options = {
  path: { type: "string", description: "the new file", required: true },
  // An argument of a process may be 128 KiB at most on Linux: 30,000 characters of 4 bytes fit.
  content: { type: "string", description: "the whole text", required: true, maxLength: 30_000 },
};

runTool(import.meta.url, options, (input, project) => {
  const shown = quoted(input.path);
  const { real, stats } = locate(project, input.path);
  if (stats?.isDirectory())
    throw new Refusal(`${shown} is a folder that exists already. Choose a file name in it.`);
  if (stats !== null) throw existsAlready(shown);
  if (/\/\.?$/.test(input.path))
    throw new Refusal(`${shown} is a folder name. Give the name of a file in it.`);
  mkdirSync(path.dirname(real), { recursive: true });
  writeNew(real, input.content, shown);
  return `created ${shown} (${Buffer.byteLength(input.content)} bytes)\n`;
});

/** Of several that try at once, one wins; a file that could not be written to its end is taken away again. */
function writeNew(real, content, shown) {
  const file = openNew(real, shown);
  try {
    writeFileSync(file, content);
  } catch (error) {
    rmSync(real, { force: true });
    throw error;
  } finally {
    closeSync(file);
  }
}

function openNew(real, shown) {
  try {
    return openSync(real, "wx");
  } catch (error) {
    throw error.code === "EEXIST" ? existsAlready(shown) : error;
  }
}

function existsAlready(shown) {
  return new Refusal(`${shown} exists already. Use update_file to replace its text.`);
}
