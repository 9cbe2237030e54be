import { readFileSync, readdirSync, statSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { version } from "../../version.ts";
import type { ScriptFile } from "../load-skill-files.ts";
import { type TextReading, readText } from "../load-text.ts";
import { readPythonScripts } from "./load-python-scripts.ts";
import { keyOf, readingCache } from "./save-readings.ts";
import type { ScriptReading } from "./script-reading.ts";

const bytesMax = 1_048_576;
const readerFolder = fileURLToPath(new URL("./read_arguments", import.meta.url));

/** What scripts are read with. */
export interface ReadingOptions {
  /** Path of the interpreter; null for none. */
  python: string | null;
  /** Where readings are kept, so that a script that did not change is not read again. null: nowhere. */
  cacheFolder?: string | null;
}

/**
 * What scripts take on the command line, by the real path of the script: all Python ones in one process, the others from
 * their text. Nothing of them runs. Never throws: what cannot be read comes with a diagnostic.
 */
export async function readScripts(
  files: readonly ScriptFile[],
  options: ReadingOptions,
): Promise<Map<string, ScriptReading>> {
  const cache = readingCache(options.cacheFolder ?? null);
  const readings = new Map<string, ScriptReading>();
  const keys = new Map<ScriptFile, string>();
  const reader = readerKey(options.python);
  for (const file of files) {
    const key = options.cacheFolder ? readingKey(file, reader) : null;
    const kept = key === null ? null : cache.load(key, file.file);
    if (kept !== null) readings.set(file.file, kept);
    else if (key !== null) keys.set(file, key);
  }
  const fresh = await readFresh(
    files.filter(({ file }) => !readings.has(file)),
    options.python,
  );
  for (const reading of fresh) readings.set(reading.file, reading);
  for (const [file, key] of keys) {
    const reading = readings.get(file.file);
    if (reading && isOfTheSource(reading)) cache.save(key, reading);
  }
  return readings;
}

/** Whether it says something about the script and not about the machine: that may be another one next time. */
function isOfTheSource({ diagnostics }: ScriptReading): boolean {
  return !diagnostics.some(({ code }) => code === "script_not_read" || code === "python_missing");
}

async function readFresh(
  files: readonly ScriptFile[],
  python: string | null,
): Promise<ScriptReading[]> {
  const pythonFiles = files.filter(({ runtime }) => runtime === "python").map(({ file }) => file);
  const nodeFiles = files.filter(({ runtime }) => runtime === "node").map(({ file }) => file);
  return [...(await readPythonScripts(pythonFiles, python)), ...(await readNode(nodeFiles))];
}

async function readNode(files: readonly string[]): Promise<ScriptReading[]> {
  if (files.length === 0) return [];
  const { readNodeScript } = await import("./node-script.ts"); // brings a parser along, which few skills need
  return files
    .map((file) => readText(file, bytesMax))
    .map((source, index) => {
      const file = files[index] ?? "";
      return source.ok
        ? readNodeScript(file, source.text.replace(/^\uFEFF/, ""))
        : notRead(file, source.reason);
    });
}

function notRead(file: string, reason: (TextReading & { ok: false })["reason"]): ScriptReading {
  const message = `No tool: ${refusals[reason]}.`;
  const diagnostics = [{ level: "error" as const, code: "script_not_read", message }];
  return { file, tools: [], diagnostics, unknown: [] };
}

const refusals = {
  missing: "the file is gone",
  not_a_file: "it is no regular file",
  too_large: `larger than ${bytesMax} bytes; make it smaller`,
  not_readable: "the file cannot be read; check its permissions",
} as const;

/** Changes with everything a reading depends on but the script itself: our version, the reader's files, the interpreter. */
function readerKey(python: string | null): string {
  const sources = readdirSync(readerFolder).filter((name) => name.endsWith(".py"));
  const texts = sources.toSorted().map((name) => readFileSync(path.join(readerFolder, name)));
  return keyOf([version, ...texts, interpreterKey(python)]);
}

/** The file of an interpreter as it lies there: it changes with the version, and nobody has to start it to ask. */
export function interpreterKey(python: string | null): string {
  const found = python === null ? undefined : statSync(python, { throwIfNoEntry: false });
  return found ? `${python} ${found.size} ${found.mtimeMs}` : "none";
}

/** null for a script that cannot be read: it is looked at each time. */
function readingKey({ file, runtime }: ScriptFile, reader: string): string | null {
  try {
    if (statSync(file).size > bytesMax) return null;
    // The names decide whether it is a test or a private module, and stand in descriptions.
    const names = [path.basename(path.dirname(file)), path.basename(file)];
    return keyOf([reader, runtime, ...names, readFileSync(file)]);
  } catch {
    return null;
  }
}
