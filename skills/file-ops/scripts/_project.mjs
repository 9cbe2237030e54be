/**
 * Shared by the tools of file-ops: how a tool starts, where a path leads, and the wording of failures. Every path is
 * judged by where it really leads, links included; nothing outside of the project is touched.
 */
import { realpathSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";

import { Astray, closeFolder, follow, openRoot } from "./_confined.mjs";

/** A failure that is the tool's answer. Its message is all the model is shown. */
export class Refusal extends Error {}

/** Text as it is shown in a message: quoted, control characters escaped, so that a name stays on its line. */
export const quoted = (text) => JSON.stringify(text);

/**
 * Runs `tool(input, project)` when its file is the program that was started, and not when it is imported.
 * What it returns (text or bytes) goes to stdout; a failure is one message on stderr and exit code 1, or 2 for wrong arguments.
 */
export function runTool(moduleUrl, options, tool) {
  if (!isProgram(fileURLToPath(moduleUrl))) return;
  let input = {};
  try {
    input = readInput(options);
    process.stdout.write(tool(input, openProject()));
  } catch (error) {
    process.stderr.write(`${explain(error, input.path ?? input.name ?? "")}\n`);
    process.exitCode =
      error.code?.startsWith?.("ERR_PARSE_ARGS") || error instanceof WrongArgument ? 2 : 1;
  }
}

class WrongArgument extends Refusal {}

function isProgram(file) {
  try {
    return realpathSync(process.argv[1] ?? "") === file;
  } catch {
    return false; // started with code on the command line, not with a file
  }
}

function readInput(options) {
  const { values } = parseArgs({ options });
  const input = { ...values };
  for (const [name, option] of Object.entries(options)) {
    if (input[name] === undefined && option.required) {
      throw new WrongArgument(`--${name} is missing: ${option.description}.`);
    }
    if (input[name] !== undefined && option.value === "integer")
      input[name] = wholeNumber(name, input[name], option);
  }
  return input;
}

function wholeNumber(name, text, { minimum = 0, maximum = Number.MAX_SAFE_INTEGER }) {
  const number = /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN;
  if (number >= minimum && number <= maximum) return number;
  throw new WrongArgument(
    `--${name} must be a whole number from ${minimum} to ${maximum}, got ${quoted(text)}.`,
  );
}

/** The project folder: `root` is its real path, `spelled` the way it was given to us, `folder` the open folder. */
function openProject() {
  const spelled = path.resolve(process.env.PROJECT_DIR ?? process.cwd());
  try {
    const root = realpathSync(spelled);
    return { root, spelled, folder: openRoot(root) };
  } catch (error) {
    throw new Refusal(`the project folder ${quoted(spelled)} cannot be opened (${error.code}).`, {
      cause: error,
    });
  }
}

const isInside = (folder, target) => {
  const relative = path.relative(folder, target);
  return relative !== ".." && !relative.startsWith(`..${path.sep}`) && !path.isAbsolute(relative);
};

/** `real` as the model writes it: relative to the project, with "/", "." for the project itself. */
export const relativeName = (project, real) =>
  path.relative(project.root, real).split(path.sep).join("/") || ".";

/**
 * Where `given` leads: `real` is the place without links, `stats` is null when nothing is there; `folder`, `name` and
 * `missing` as in `follow`. With `ofLink`, a link at the very end is meant itself, and it may point to nothing.
 */
export function locate(project, given, { ofLink = false } = {}) {
  const place = followGiven(project, given, ofLink);
  if (ofLink && place.stats?.isSymbolicLink()) {
    try {
      closeFolder(followGiven(project, given, false).folder);
    } catch (error) {
      if (error.cause?.reason !== "nowhere") throw error;
    }
  }
  const names = [...place.folder.names, ...place.missing, place.name];
  return { ...place, real: path.join(project.root, ...names) };
}

function followGiven(project, given, ofLink) {
  const names = relativeName(project, insideTarget(project, given)).split("/");
  try {
    return follow(project.folder, project.root, names[0] === "." ? [] : names, { ofLink });
  } catch (error) {
    if (!(error instanceof Astray)) throw error;
    throw new Refusal(`${quoted(given)} ${ASTRAY[error.reason](quoted(error.name))}`, {
      cause: error,
    });
  }
}

const ASTRAY = {
  outside: () =>
    "leads outside of the project through a link. Only files in the project can be used.",
  nowhere: () => "is a link that points to nothing.",
  not_a_folder: (name) => `cannot exist: ${name} is a file, not a folder.`,
};

/** The absolute path of `given` by its spelling alone, so that nothing outside is even looked at. */
function insideTarget({ root, spelled }, given) {
  if (given.trim() === "") throw new Refusal('the path is empty. Give one, such as "notes.txt".');
  const target = path.resolve(root, given);
  const inside = isInside(root, target) ? target : path.join(root, path.relative(spelled, target));
  const isHome = given === "~" || given.startsWith("~/");
  if (isHome || !isInside(root, inside)) {
    throw new Refusal(
      `${quoted(given)} is outside of the project. Only files in the project can be used.`,
    );
  }
  return inside;
}

const SYSTEM_FAILURES = {
  EACCES: (shown) => `no permission for ${shown}. Trying again will not help.`,
  EPERM: (shown) => `no permission for ${shown}. Trying again will not help.`,
  EROFS: (shown) => `no permission for ${shown}: the disk can only be read.`,
  ENOSPC: (shown) => `the disk is full: ${shown} was not changed.`,
  EDQUOT: (shown) => `the disk is full (quota): ${shown} was not changed.`,
  ENAMETOOLONG: (shown) => `the name is too long: ${shown}. Choose a shorter one.`,
  ENOENT: (shown) => `no file ${shown}: it was removed while it was used.`,
  ELOOP: (shown) => `no file ${shown}: it became a link while it was used.`,
};

/** One sentence for whatever was thrown. `subject` is the path the call was about. A bug keeps its stack. */
export function explain(error, subject) {
  if (error instanceof Refusal) return error.message;
  if (error.code?.startsWith?.("ERR_PARSE_ARGS")) return error.message.split("\n")[0];
  if (error.syscall === undefined) return error.stack;
  const shown = subject.length > 200 ? `${quoted(subject.slice(0, 200))}…` : quoted(subject);
  return SYSTEM_FAILURES[error.code]?.(shown) ?? `${shown} cannot be used (${error.code}).`;
}
