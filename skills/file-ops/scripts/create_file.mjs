import { closeSync, constants, rmSync, writeFileSync } from "node:fs";

import { makeFolders, openIn, pathIn } from "./_confined.mjs";
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
  const { folder, missing, name, stats } = locate(project, input.path);
  if (stats?.isDirectory())
    throw new Refusal(`${shown} is a folder that exists already. Choose a file name in it.`);
  if (stats !== null) throw existsAlready(shown);
  if (/\/\.?$/.test(input.path))
    throw new Refusal(`${shown} is a folder name. Give the name of a file in it.`);
  writeNew(makeFolders(folder, missing), name, input.content, shown);
  return `created ${shown} (${Buffer.byteLength(input.content)} bytes)\n`;
});

/** Of several that try at once, one wins; a file that could not be written to its end is taken away again. */
function writeNew(folder, name, content, shown) {
  const file = openNew(folder, name, shown);
  try {
    writeFileSync(file, content);
  } catch (error) {
    rmSync(pathIn(folder, name), { force: true });
    throw error;
  } finally {
    closeSync(file);
  }
}

function openNew(folder, name, shown) {
  try {
    return openIn(folder, name, constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL, 0o666);
  } catch (error) {
    throw error.code === "EEXIST" ? existsAlready(shown) : error;
  }
}

function existsAlready(shown) {
  return new Refusal(`${shown} exists already. Use update_file to replace its text.`);
}
