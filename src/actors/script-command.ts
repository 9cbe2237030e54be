import { closeSync, existsSync, openSync, readSync } from "node:fs";
import path from "node:path";
import type { Tool } from "../skills/skill.ts";

/** Real paths of what runs scripts; null where there is none. */
export interface Runtimes {
  node: string;
  python: string | null;
  /** Gives a Python script the packages that it declares. Absent: none. */
  uv?: string | null;
}

/** The start of a command; the script's own arguments follow. */
export interface Command {
  file: string;
  arguments: string[];
}

/** How a tool's script is started, up to its own arguments; or, as a sentence, what is missing for it. */
export function commandFor(
  tool: Pick<Tool, "runtime" | "file" | "packages">,
  runtimes: Runtimes,
  network: "allowed" | "denied" = "allowed",
): Command | { missing: string } {
  switch (tool.runtime) {
    case "node":
      return { file: runtimes.node, arguments: [tool.file] };
    case "shell":
      return shellCommand(tool.file);
    case "program":
      return { file: tool.file, arguments: [] };
    case "python":
      return pythonCommand(tool, runtimes, network);
  }
}

function pythonCommand(
  { file, packages = [] }: Pick<Tool, "file" | "packages">,
  { python, uv = null }: Runtimes,
  network: "allowed" | "denied",
): Command | { missing: string } {
  if (packages.length > 0 && uv !== null) {
    // `--script` reads the PEP 723 block whatever the file is called; the project that the workspace may be is not its.
    const flags = ["run", "--quiet", "--no-project"];
    // Without a network, uv would wait for an index that it cannot reach; this way it takes what it has, or says so.
    if (network === "denied") flags.push("--offline");
    return { file: uv, arguments: [...flags, "--script", file] };
  }
  if (python === null)
    return {
      missing: `${path.basename(file)} needs Python 3, and none was found: install python3`,
    };
  // Unbuffered, so that what was printed before a kill is not lost.
  return { file: python, arguments: ["-u", file] };
}

const SHEBANG_BYTES_MAX = 256; // what Linux itself reads of it
const SHELLS = ["sh", "bash", "zsh", "dash", "ksh"];
const SHELL_OF_EXTENSION: Record<string, string> = { ".bash": "bash", ".zsh": "zsh" };

/** Started by its shell and not by itself: most scripts come without their executable bit. */
function shellCommand(file: string): Command {
  const written = shebangOf(file);
  const [first = "", ...rest] = written;
  const usesEnv = path.posix.basename(first) === "env";
  const words = usesEnv ? rest.filter((word) => word !== "-S") : written;
  const [program = "", ...flags] = words;
  const name = path.posix.basename(program);
  if (!SHELLS.includes(name)) {
    const shell = SHELL_OF_EXTENSION[path.extname(file).toLowerCase()] ?? "sh";
    return { file: placeOf(shell), arguments: [file] };
  }
  const isThere = path.posix.isAbsolute(program) && existsSync(program);
  return { file: isThere ? program : placeOf(name), arguments: [...flags, file] };
}

/** POSIX systems have `sh` there; any other shell is looked for on PATH. */
function placeOf(shell: string): string {
  return shell === "sh" && existsSync("/bin/sh") ? "/bin/sh" : shell;
}

/** The words of the first line after "#!"; none where there is no such line, or no file. */
function shebangOf(file: string): string[] {
  try {
    const handle = openSync(file, "r");
    try {
      const bytes = Buffer.alloc(SHEBANG_BYTES_MAX);
      const length = readSync(handle, bytes, 0, bytes.length, 0);
      const [line = ""] = bytes.toString("utf8", 0, length).split(/\r?\n/, 1);
      return line.startsWith("#!") ? line.slice(2).trim().split(/\s+/) : [];
    } finally {
      closeSync(handle);
    }
  } catch {
    return [];
  }
}
