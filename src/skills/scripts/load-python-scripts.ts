import { execFile } from "node:child_process";
import { constants } from "node:fs";
import { access } from "node:fs/promises";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { libraryRemark, readingOf, withoutTools } from "./python-interface.ts";
import type { PythonReport } from "./python-report.ts";
import type { ScriptReading } from "./script-reading.ts";

const searchTimeoutMs = 10_000;
const readTimeoutMs = 30_000;
const outputBytesMax = 64 * 1024 * 1024;
/** A file that ends the reader costs two rounds: one that stops there, one that finds it to be the culprit. */
const roundsMax = 10;

/** Without site packages and user settings, so that nothing but the standard library is loaded. */
const inertFlags = ["-I", "-S", "-X", "utf8"];
const question = "import sys; print(sys.executable if sys.version_info >= (3, 8) else '')";
const readerFolder = fileURLToPath(new URL("./read_arguments", import.meta.url));

/**
 * The real path of the first python3 or python of at least 3.8 on PATH. Asked of the interpreter itself, because what
 * is on PATH may be a shim that costs 80 ms a call. null when there is none, or none answers within 10 seconds.
 */
export async function findPython(
  environment: Record<string, string | undefined>,
): Promise<string | null> {
  const signal = AbortSignal.timeout(searchTimeoutMs);
  const onPath = (environment["PATH"] ?? environment["Path"] ?? "").split(path.delimiter);
  const folders = onPath.filter((folder) => path.isAbsolute(folder));
  const names =
    process.platform === "win32" ? ["python3.exe", "python.exe"] : ["python3", "python"];
  for (const name of names) {
    for (const folder of folders) {
      const candidate = path.join(folder, name);
      if (!(await isExecutable(candidate))) continue;
      const answer = await askPython(candidate, environment, signal);
      if (answer !== null) return answer;
      if (signal.aborted) return null;
    }
  }
  return null;
}

async function isExecutable(file: string): Promise<boolean> {
  return access(file, constants.X_OK).then(
    () => true,
    () => false,
  );
}

function askPython(
  file: string,
  environment: Record<string, string | undefined>,
  signal: AbortSignal,
): Promise<string | null> {
  return new Promise((resolve) => {
    const options = { env: environment, signal, killSignal: "SIGKILL" as const };
    execFile(file, ["-I", "-S", "-c", question], options, (error, stdout) => {
      const answer = stdout.trim();
      resolve(error === null && path.isAbsolute(answer) ? answer : null);
    });
  });
}

/**
 * Reads from their source what Python scripts take on the command line, in the order of `files`; nothing of them runs.
 * One process reads them all (about 10 ms a script). Never throws: what cannot be read comes with a diagnostic.
 */
export async function readPythonScripts(
  files: readonly string[],
  python: string | null,
): Promise<ScriptReading[]> {
  const reports =
    python === null
      ? null
      : await readPythonReports(
          files.filter((file) => !isPrivate(file)),
          python,
        );
  return files.map((file) => {
    if (isPrivate(file)) return withoutTools(file, libraryRemark);
    const report = reports?.get(file);
    return report ? readingOf(report) : withoutTools(file, missingRemark);
  });
}

/** What the reader says of each file, by its path; of one that it could not get through, an error. Never throws. */
export async function readPythonReports(
  files: readonly string[],
  python: string,
): Promise<Map<string, PythonReport>> {
  const found = new Map<string, PythonReport>();
  const waiting = new Set(files);
  for (let round = 0; waiting.size > 0 && round < roundsMax; round += 1) {
    const { reports, failure } = await readBatch([...waiting], python);
    const [first] = waiting;
    // The first file of a round that read nothing is what ended it; the others get another round.
    if (reports.length === 0 && first !== undefined) found.set(first, notRead(first, failure));
    for (const report of reports) found.set(report.file, report);
    for (const file of found.keys()) waiting.delete(file);
  }
  for (const file of waiting) found.set(file, notRead(file, "other scripts ended the reader"));
  return found;
}

function notRead(file: string, reason: string): PythonReport {
  const message = `${reason}; look for code that is generated or nested very deeply`;
  return { file, kind: "error", code: "script_not_read", message };
}

interface Batch {
  /** Of the first files of the batch, in order. */
  reports: PythonReport[];
  /** Why it ended; of use only where reports are missing. */
  failure: string;
}

function readBatch(files: string[], python: string): Promise<Batch> {
  return new Promise((resolve) => {
    const options = {
      timeout: readTimeoutMs,
      killSignal: "SIGKILL" as const,
      maxBuffer: outputBytesMax,
    };
    const child = execFile(python, [...inertFlags, readerFolder], options, (error, stdout) => {
      const reports = reportsIn(stdout).slice(0, files.length);
      resolve({
        reports,
        failure: error?.killed ? "the reader took too long" : "the reader ended early",
      });
    });
    // A reader that could not be started closes its input: the callback above says so.
    child.stdin?.on("error", () => undefined);
    child.stdin?.end(JSON.stringify(files));
  });
}

/** The whole lines; a torn last one belongs to the file that ended the reader. */
function reportsIn(output: string): PythonReport[] {
  const reports: PythonReport[] = [];
  for (const line of output.split("\n").slice(0, -1)) {
    const report = reportIn(line);
    if (report === null) break;
    reports.push(report);
  }
  return reports;
}

function reportIn(line: string): PythonReport | null {
  try {
    return JSON.parse(line) as PythonReport;
  } catch {
    return null;
  }
}

/** `__init__`, `_names`, tests: modules for other code, whatever they hold. */
function isPrivate(file: string): boolean {
  const inTests = /^(?:tests?|__tests__)$/.test(path.basename(path.dirname(file)));
  return inTests || /^(?:_|test_|conftest\.py$)|_test\.py$/.test(path.basename(file));
}

const missingRemark = {
  level: "error",
  code: "python_missing",
  message:
    "No tool: the script needs Python 3.8 or newer, and none was found on PATH. Install it, or put it on PATH.",
} as const;
