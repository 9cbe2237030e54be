import { readdirSync, statSync } from "node:fs";
import path from "node:path";
import { reasonOf } from "../errors.ts";
import { isInside, readText, realPath } from "./load-text.ts";
import { looksLikeSidecar } from "./scripts/sidecar.ts";
import type { Diagnostic, Runtime } from "./skill.ts";
import { visible } from "./text.ts";

/** A script that could become a tool, not yet read. */
export interface ScriptFile {
  /** Real path. */
  file: string;
  /** Path in the skill's folder, with "/". */
  relative: string;
  /** Path below scripts/ without the extension: "run", "db/migrate". */
  stem: string;
  runtime: Runtime;
  /** Real path of the JSON Schema beside it, which says what it takes. */
  sidecar?: string;
}

/** Says something about a file of the skill; `relative` is its path in the skill's folder. */
export type Report = (remark: Omit<Diagnostic, "path"> & { relative: string }) => void;

const BYTES_MAX = 1_048_576;
const SCRIPT_FOLDERS_DEEP = 2; // scripts/x.py and scripts/folder/x.py
const REFERENCE_FOLDERS_DEEP = 3;
const ENTRIES_MAX = 500;
const RUNTIMES: Record<string, Runtime> = {
  ".py": "python",
  ".mjs": "node",
  ".js": "node",
  ".sh": "shell",
  ".bash": "shell",
};
/** By the name of the program in a script's first line, without its version. */
const INTERPRETERS: Record<string, Runtime> = {
  python: "python",
  node: "node",
  sh: "shell",
  bash: "shell",
  dash: "shell",
  ksh: "shell",
  zsh: "shell",
};
const ANY_EXECUTE = 0o111;
const HIDDEN = /^\./;
// Modules for other code, tests of it, and what tools leave behind.
const NOT_A_SCRIPT =
  /^(?:[._]|test_|tests?$|conftest\.py$|node_modules$)|_test\.py$|\.(?:test|spec)\.m?js$/;

/** The scripts of a skill that may become tools, by path. Private files and tests are passed over in silence. */
export function findScripts(folder: string, report: Report): ScriptFile[] {
  const scripts = new Map<string, ScriptFile>();
  const walk = { folder, top: "scripts", deep: SCRIPT_FOLDERS_DEEP, skip: NOT_A_SCRIPT, report };
  const files = filesBelow(walk);
  const sidecars = sidecarsIn(files);
  for (const found of files) {
    if ([...sidecars.values()].includes(found.real)) continue;
    const sidecar = sidecars.get(found.relative);
    const runtime = runtimeOf(found, sidecar !== undefined);
    if (typeof runtime === "object") {
      const { message } = runtime;
      report({ level: "warning", code: "unknown_script", relative: found.relative, message });
      continue;
    }
    const { dir, name } = path.posix.parse(found.relative);
    const stem = [...dir.split("/").slice(1), name].join("/");
    const script = { file: found.real, relative: found.relative, stem, runtime };
    if (!scripts.has(found.real))
      scripts.set(found.real, sidecar === undefined ? script : { ...script, sidecar });
  }
  return [...scripts.values()];
}

/** The schemas beside scripts, by the path of the script: `run.schema.json`, or `run.json` where it holds a schema. */
function sidecarsIn(files: readonly Found[]): Map<string, string> {
  const places = new Map(files.map(({ relative, real }) => [relative, real]));
  const found = new Map<string, string>();
  for (const { relative } of files) {
    const { dir, name, ext } = path.posix.parse(relative);
    if (ext === ".json") continue;
    const schemas = [`${dir}/${name}.schema.json`, `${relative}.schema.json`];
    const real =
      schemas.map((schema) => places.get(schema)).find((one) => one !== undefined) ??
      plainSidecar(places.get(`${dir}/${name}.json`));
    if (real !== undefined) found.set(relative, real);
  }
  return found;
}

function plainSidecar(real: string | undefined): string | undefined {
  const reading = real === undefined ? null : readText(real, BYTES_MAX);
  return reading?.ok && looksLikeSidecar(reading.text) ? real : undefined;
}

/** What runs a file, or why it becomes no tool. */
function runtimeOf(
  { real, relative, isExecutable }: Found,
  hasSidecar: boolean,
): Runtime | { message: string } {
  const ext = path.posix.extname(relative).toLowerCase();
  const known = RUNTIMES[ext] ?? (ext === "" || hasSidecar ? interpreterOf(real) : undefined);
  if (known !== undefined) return known;
  if (hasSidecar && isExecutable) return "program";
  const shown = ext === "" ? "no extension" : `"${ext}"`;
  const message = hasSidecar
    ? `${shown}: there is a schema beside it, but it may not be executed; run chmod +x on it`
    : `${shown}: only .py, .mjs, .js, .sh and .bash become tools, a file whose first line names one of their interpreters, and an executable file with a schema (name.schema.json) beside it`;
  return { message };
}

/** By "#!/usr/bin/env -S python3 -u" and the like. */
function interpreterOf(file: string): Runtime | undefined {
  const reading = readText(file, BYTES_MAX);
  const words = /^#!\s*(.*)/.exec(reading.ok ? reading.text : "")?.[1]?.split(/\s+/) ?? [];
  const names = words.map((word) => path.posix.basename(word));
  const name = names[0] === "env" ? names.slice(1).find((word) => !word.startsWith("-")) : names[0];
  const plain = name?.replace(/[\d.]+$/, "") ?? "";
  return Object.hasOwn(INTERPRETERS, plain) ? INTERPRETERS[plain] : undefined;
}

/** The references of a skill, as paths in its folder, sorted. */
export function findReferences(folder: string, report: Report): string[] {
  const walk = { folder, top: "references", deep: REFERENCE_FOLDERS_DEEP, skip: HIDDEN, report };
  return filesBelow(walk).map(({ relative }) => relative);
}

interface Walk {
  folder: string;
  top: string;
  /** How many folders below each other are looked into, the top one included. */
  deep: number;
  skip: RegExp;
  report: Report;
}

interface Found {
  kind: "file" | "folder";
  real: string;
  relative: string;
  isExecutable: boolean;
}

/** The regular files below one folder of the skill, sorted by path; all of them really inside the skill. */
function filesBelow({ folder, top, deep, skip, report }: Walk): Found[] {
  const files: Found[] = [];
  const seen = new Set<string>();
  // Most skills have no such folder, which is nothing to remark on.
  const start = realPath(path.join(folder, top)) === null ? null : look(folder, top, report);
  let level = start?.kind === "folder" ? [start] : [];
  let left = ENTRIES_MAX;
  for (let depth = 0; depth < deep && level.length > 0; depth += 1) {
    const found: Found[] = [];
    for (const { real, relative } of level) {
      if (seen.has(real)) continue;
      seen.add(real);
      const names = namesIn(real, relative, report).filter((name) => !skip.test(name));
      if (names.length > left) {
        const message = `more than ${ENTRIES_MAX} files; the rest is not looked at`;
        report({ level: "warning", code: "too_many_files", relative, message });
      }
      const looked = names
        .slice(0, left)
        .map((name) => look(folder, `${relative}/${name}`, report));
      left -= looked.length;
      found.push(...looked.filter((one) => one !== null));
    }
    files.push(...found.filter(({ kind }) => kind === "file"));
    // A link to a folder above would show the whole skill once more.
    level = found.filter(
      ({ kind, real }) => kind === "folder" && !isInside(real, start?.real ?? ""),
    );
  }
  return files.toSorted((a, b) => (a.relative < b.relative ? -1 : 1));
}

/** What a path really is; null, with a remark, for what a skill cannot use. */
function look(folder: string, relative: string, report: Report): Found | null {
  const refuse = (level: Diagnostic["level"], code: string, message: string) => {
    report({ level, code, relative, message });
    return null;
  };
  if (visible(relative) !== relative || /[\\\n\t]/.test(relative)) {
    return refuse(
      "warning",
      "bad_file_name",
      "the name holds invisible characters or a backslash; rename the file",
    );
  }
  const real = realPath(path.join(folder, relative));
  if (real === null) return refuse("warning", "broken_link", "the link leads nowhere; remove it");
  if (!isInside(folder, real))
    return refuse("error", "outside", "the link leaves the skill's folder; copy the file into it");
  const stats = statSync(real, { throwIfNoEntry: false });
  if (stats?.isDirectory()) return { kind: "folder", real, relative, isExecutable: false };
  if (!stats?.isFile())
    return refuse("warning", "not_a_file", "neither a file nor a folder; remove it");
  if (stats.size > BYTES_MAX)
    return refuse(
      "warning",
      "too_large",
      `${stats.size} bytes, at most ${BYTES_MAX} are read; make it smaller`,
    );
  return { kind: "file", real, relative, isExecutable: (stats.mode & ANY_EXECUTE) !== 0 };
}

function namesIn(folder: string, relative: string, report: Report): string[] {
  try {
    return readdirSync(folder).toSorted((a, b) => (a < b ? -1 : 1));
  } catch (cause) {
    const message = `the folder cannot be read: ${reasonOf(cause)}`;
    report({ level: "error", code: "not_readable", relative, message });
    return [];
  }
}
