/**
 * Shared by the tools of file-ops: how a tool starts, where a path leads, and the wording of failures.
 *
 * Covered: every path is judged by where it really leads, links included; nothing outside of the project is touched.
 * Not covered: another process that swaps folders for links while a tool runs.
 */
import { lstatSync, realpathSync, statSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";

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

/** The project folder: `root` is its real path, `spelled` the way it was given to us. */
function openProject() {
  const spelled = path.resolve(process.env.PROJECT_DIR ?? process.cwd());
  try {
    return { root: realpathSync(spelled), spelled };
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

/** Where `given` leads: `real` is the place without links, `stats` is null when nothing is there. */
export function locate(project, given) {
  const { real, isMissing } = settle(insideTarget(project, given), given);
  refuseOutside(project, real, given);
  return { real, stats: isMissing ? null : statSync(real) };
}

/** The same, but a link at the very end is meant itself: it is not followed, and it may point to nothing. */
export function locateEntry(project, given) {
  const target = insideTarget(project, given);
  const folder = settle(path.dirname(target), given);
  const real = path.join(folder.real, path.basename(target));
  if (target === project.root || folder.isMissing || !isThere(real)) return locate(project, given);
  refuseOutside(project, folder.real, given);
  const stats = lstatSync(real);
  if (!stats.isSymbolicLink() || pointsToSomething(real))
    refuseOutside(project, realpathSync(real), given);
  return { real, stats };
}

function refuseOutside(project, real, given) {
  if (isInside(project.root, real)) return;
  throw new Refusal(
    `${quoted(given)} leads outside of the project through a link. Only files in the project can be used.`,
  );
}

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

/** Follows the links of the part of `target` that exists; what does not exist yet is added as it is written. */
function settle(target, given) {
  const rest = [];
  let existing = target;
  while (!isThere(existing)) {
    rest.unshift(path.basename(existing));
    existing = path.dirname(existing);
  }
  const real = realOf(existing, given);
  if (rest.length > 0 && !statSync(real).isDirectory()) {
    throw new Refusal(
      `${quoted(given)} cannot exist: ${quoted(path.basename(existing))} is a file, not a folder.`,
    );
  }
  return { real: path.join(real, ...rest), isMissing: rest.length > 0 };
}

function isThere(place) {
  try {
    lstatSync(place);
    return true;
  } catch (error) {
    if (error.code === "ENOENT" || error.code === "ENOTDIR") return false;
    throw error;
  }
}

function pointsToSomething(link) {
  try {
    statSync(link);
    return true;
  } catch (error) {
    if (["ENOENT", "ELOOP", "ENOTDIR"].includes(error.code)) return false;
    throw error;
  }
}

function realOf(existing, given) {
  try {
    return realpathSync(existing);
  } catch (error) {
    if (!["ENOENT", "ELOOP", "ENOTDIR"].includes(error.code)) throw error;
    throw new Refusal(`${quoted(given)} is a link that points to nothing.`, { cause: error });
  }
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
