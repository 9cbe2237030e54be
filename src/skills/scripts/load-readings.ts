import { readFileSync, readdirSync, statSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { version } from "../../version.ts";
import type { ScriptFile } from "../load-skill-files.ts";
import { type TextReading, readText } from "../load-text.ts";
import { readPythonScripts } from "./load-python-scripts.ts";
import { keyOf, readingCache } from "./save-readings.ts";
import type { ScriptReading } from "./script-reading.ts";
import { readShellScript } from "./shell-script.ts";
import { readSidecar, sidecarRemark } from "./sidecar.ts";

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
  const beside = files.map((file) => ({ file, sidecar: readBeside(file) }));
  // What a sidecar says goes before what the source says.
  const said = beside.flatMap(({ sidecar }) => (sidecar?.reading ? [sidecar.reading] : []));
  const rest = beside.filter(({ sidecar }) => !sidecar?.reading).map(({ file }) => file);
  const of = (runtime: ScriptFile["runtime"]) =>
    rest.filter((one) => one.runtime === runtime).map(({ file }) => file);
  const { readNodeScript } =
    of("node").length > 0
      ? await import("./node-script.ts") // brings a parser along, which few skills need
      : { readNodeScript: readShellScript };
  const read = [
    ...(await readPythonScripts(of("python"), python)),
    ...of("node").map((file) => readSource(file, readNodeScript)),
    ...of("shell").map((file) => readSource(file, readShellScript)),
    ...of("program").map((file) => ({ file, tools: [], diagnostics: [], unknown: [] })),
  ];
  const faults = new Map(beside.map(({ file, sidecar }) => [file.file, sidecar?.remark]));
  return [
    ...said,
    ...read.map((reading) => {
      const remark = faults.get(reading.file);
      return remark ? { ...reading, diagnostics: [remark, ...reading.diagnostics] } : reading;
    }),
  ];
}

type Remark = ScriptReading["diagnostics"][number];

/** What the schema beside a script says, or the remark that it is of no use; null where there is none. */
function readBeside({
  file,
  sidecar,
  runtime,
}: ScriptFile): { reading?: ScriptReading; remark?: Remark } | null {
  if (sidecar === undefined) return null;
  const instead = runtime === "program" ? "no_tool" : "source";
  const text = readText(sidecar, bytesMax);
  const read = text.ok
    ? readSidecar(file, text.text)
    : { ok: false as const, faults: [refusals[text.reason]] };
  return read.ok
    ? { reading: read.reading }
    : { remark: sidecarRemark(path.basename(sidecar), read.faults, instead) };
}

function readSource(
  file: string,
  read: (file: string, source: string) => ScriptReading,
): ScriptReading {
  const source = readText(file, bytesMax);
  return source.ok ? read(file, source.text.replace(/^\uFEFF/, "")) : notRead(file, source.reason);
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
function readingKey({ file, runtime, sidecar }: ScriptFile, reader: string): string | null {
  try {
    if (statSync(file).size > bytesMax) return null;
    // The names decide whether it is a test or a private module, and stand in descriptions.
    const names = [path.basename(path.dirname(file)), path.basename(file)];
    const beside = sidecar === undefined ? [] : [path.basename(sidecar), readFileSync(sidecar)];
    return keyOf([reader, runtime, ...names, readFileSync(file), ...beside]);
  } catch {
    return null;
  }
}
