import { statSync } from "node:fs";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import type { AnyStateMachine } from "xstate";
import { nearest } from "../../contracts/nearest.ts";
import { HarnessError } from "../../errors.ts";
import { isMachine } from "./child-limits.ts";
import { messageOf } from "./traced-machine.ts";

/**
 * Imports a module, which runs it, and gives the machine that it exports: the one of this name, or the only one. Throws
 * HarnessError with one sentence for everything that can be wrong with the file or its exports.
 */
export async function loadMachine(file: string, name?: string): Promise<AnyStateMachine> {
  const exported = exportsOf(await imported(file));
  const machines = exported.flatMap(([key, value]) =>
    isMachine(value) ? [[key, value] as const] : [],
  );
  const names = machines.map(([key]) => key);
  const found = machines.find(([key]) => name === undefined || key === name)?.[1];
  const isOneOfSeveral = name === undefined && new Set(machines.map(([, one]) => one)).size > 1;
  if (found && !isOneOfSeveral) return found;
  throw new HarnessError("usage", `${file} ${whyNone(exported, names, name)}`);
}

function whyNone(exported: [string, unknown][], names: string[], name: string | undefined): string {
  const old = exported.filter(([, value]) => isOldMachine(value)).map(([key]) => key);
  if (name !== undefined && old.includes(name))
    return `exports ${name} as a machine of XState 4: only machines of XState 5 can be shown`;
  if (names.length === 0 && old.length > 0)
    return `exports only machines of XState 4 (${old.join(", ")}): only machines of XState 5 can be shown`;
  if (names.length === 0)
    return "exports no machine: export what createMachine of XState 5 gives back";
  const all = names.join(", ");
  if (name === undefined) return `exports several machines: say which one of ${all}`;
  const meant = nearest(name, names);
  const offer = meant === undefined ? `there is ${all}` : `did you mean ${meant}?`;
  return exported.some(([key]) => key === name)
    ? `exports ${name}, but that is no machine of XState 5: ${offer}`
    : `exports no ${name}: ${offer}`;
}

/** XState 4 marks its machines in the same way, but they step by other methods. */
const isOldMachine = (value: unknown): boolean =>
  typeof value === "object" && value !== null && "__xstatenode" in value && "withConfig" in value;

/** A CommonJS module may have all its exports in one default object. */
function exportsOf(module: object): [string, unknown][] {
  const entries = Object.entries(module) as [string, unknown][];
  const inner: unknown = Reflect.get(module, "default");
  if (typeof inner !== "object" || inner === null || isMachine(inner) || isOldMachine(inner))
    return entries;
  const known = new Set(entries.map(([key]) => key));
  return [...entries, ...Object.entries(inner).filter(([key]) => !known.has(key))];
}

async function imported(file: string): Promise<object> {
  const path = resolve(file);
  checkFile(file, path);
  try {
    return (await import(pathToFileURL(path).href)) as object;
  } catch (cause) {
    if (isXStateMissing(cause))
      throw new HarnessError(
        "runtime_missing",
        `${file} needs xstate and cannot find it: install xstate beside it (npm install xstate)`,
        { cause },
      );
    throw new HarnessError("usage", `${file} cannot be loaded: ${messageOf(cause)}`, { cause });
  }
}

function checkFile(file: string, path: string): void {
  const found = statSync(path, { throwIfNoEntry: false });
  if (!found) throw new HarnessError("no_such_file", `${file}: no such file`);
  if (!found.isFile())
    throw new HarnessError(
      "not_readable",
      `${file} is no file: give the module that exports the machine`,
    );
  if (/\.[cm]?tsx?$/.test(path) && !Reflect.get(process.features, "typescript"))
    throw new HarnessError(
      "usage",
      `${file} is TypeScript, which this Node does not load: compile it first, or give the built .js`,
    );
}

const isXStateMissing = (cause: unknown): boolean =>
  cause instanceof Error &&
  "code" in cause &&
  String(cause.code).endsWith("MODULE_NOT_FOUND") &&
  /'xstate(?:\/[^']*)?'/.test(cause.message);
