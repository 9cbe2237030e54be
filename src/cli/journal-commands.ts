import { statSync } from "node:fs";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import {
  compare,
  defaultLimits,
  fold,
  HarnessError,
  loadJournal,
  replayFault,
  type Folded,
  type Other,
} from "../index.ts";
import { print } from "./print.ts";
import { journalOf } from "./sessions.ts";

const FOUND = 7;

/** `verify FILE`: the first line that the machine could not have written, and why. */
export function verifyFile(file: string): number {
  const { folded, torn } = read(file);
  if (folded.fault) {
    print(`line ${folded.fault.line}: ${folded.fault.why}`);
    return FOUND;
  }
  const { turns, steps } = countsOf(folded);
  const dropped = torn === null ? "" : "; half a line at the end was never acted on";
  print(`ok: ${turns} turns, ${steps} events, each one legal${dropped}`);
  return 0;
}

/** `replay FILE…`: the same turns again, or what another machine makes of their answers. */
export async function replayFiles(
  files: readonly string[],
  { against }: { against?: string },
): Promise<number> {
  if (against !== undefined) return replayAgainst(files, await otherOf(against));
  let code = 0;
  for (const file of files) {
    const { folded } = read(file);
    const fault = folded.fault ?? replayFault(folded);
    const { turns, steps } = countsOf(folded);
    const hidden = folded.turns.filter(({ end }) => end?.digest === null).length;
    const note = hidden === 0 ? "" : `; ${hidden} held a secret and were compared by their states`;
    const about = files.length > 1 ? `${file}: ` : "";
    print(
      fault
        ? `${about}line ${fault.line}: ${fault.why}`
        : `${about}identical: ${turns} turns, ${steps} events${note}`,
    );
    if (fault) code = FOUND;
  }
  return code;
}

function replayAgainst(files: readonly string[], other: Other): number {
  let [changed, turns] = [0, 0];
  for (const file of files) {
    const { folded } = read(file);
    if (folded.fault)
      throw new HarnessError("config", `${file}, line ${folded.fault.line}: ${folded.fault.why}`);
    turns += folded.turns.length;
    for (const turn of compare(folded, other)) {
      changed += 1;
      print(
        `${file}:${turn.line}: ${JSON.stringify(turn.question)} changes at state ${turn.step}\n  was: ${turn.path_was.join(" → ")} (${turn.end_was})\n  now: ${turn.path_now.join(" → ")} (${turn.end_now})`,
      );
    }
  }
  print(`${changed} of ${turns} recorded turns change`);
  return 0;
}

/** Another version's module (or its folder), or limits such as max_steps=3,max_asks=0. */
async function otherOf(against: string): Promise<Other> {
  if (!statSync(against, { throwIfNoEntry: false })) return { limits: limitsOf(against) };
  const path = resolve(against);
  const file = statSync(path).isDirectory() ? join(path, "dist/index.js") : path;
  const module = await loadModule(file, against);
  if (!isMachine(module.turnMachine))
    throw new HarnessError(
      "usage",
      `--against ${against}: the module exports no turnMachine; give the dist of another version of broharness`,
    );
  return { machine: module.turnMachine };
}

/** What the file throws while it is loaded is a fault of that file, not of ours. */
async function loadModule(file: string, against: string): Promise<{ turnMachine?: unknown }> {
  try {
    return (await import(pathToFileURL(file).href)) as { turnMachine?: unknown };
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new HarnessError("usage", `--against ${against}: ${file} cannot be loaded (${why})`, {
      cause,
    });
  }
}

// Another version brings its own XState, so its class is not ours.
const isMachine = (value: unknown): value is NonNullable<Other["machine"]> =>
  typeof value === "object" &&
  value !== null &&
  "getInitialSnapshot" in value &&
  "transition" in value;

function limitsOf(text: string): NonNullable<Other["limits"]> {
  const limits = text.split(",").map((pair): [string, number] => {
    const [name = "", value = ""] = pair.split("=");
    if (!Object.hasOwn(defaultLimits, name) || !/^\d{1,9}$/.test(value))
      throw new HarnessError(
        "usage",
        `--against ${text}: expected a file, or limits such as max_steps=3,max_retries=1,max_asks=0`,
      );
    return [name, Number(value)];
  });
  return Object.fromEntries(limits);
}

/** `step FILE`: through the journal, transition by transition. */
export async function stepFile(file: string): Promise<number> {
  const { folded } = read(file);
  const { stepThrough } = await import("./stepper.ts");
  return stepThrough(folded);
}

function read(file: string): { folded: Folded; torn: string | null } {
  const text = loadJournal(journalOf(file));
  return { folded: fold(text), torn: text.torn };
}

const countsOf = ({ turns }: Folded) => ({
  turns: turns.length,
  steps: turns.reduce((sum, { steps }) => sum + steps.length, 0),
});
