import type { Json } from "../../contracts/call.ts";

/** One line of read_arguments: what kind of file it is, and what it takes. */
export type PythonReport =
  | { file: string; kind: "error"; code: string; message: string; line?: number }
  | (PythonFacts & { kind: "library" })
  | (PythonFacts & { kind: "fixed" })
  | (PythonFacts & { kind: "argv" })
  | (PythonFacts & { kind: "argparse"; parser: PythonParser });

interface PythonFacts {
  file: string;
  /** The text of the constant EFFECT; null without one, "" for one that is no text. */
  effect: string | null;
  description: string | null;
  /** What could not be told, by name: "choices of --model: load_models()". */
  unknown: string[];
  /** The dependencies of its PEP 723 block, as written. */
  packages: string[];
  /** The `requires-python` of that block, where the interpreter that reads is older; else null. */
  newer_python: string | null;
}

/** One argument of a parser, as read_arguments describes it. */
export interface PythonArgument {
  dest: string;
  /** Whether the script names the dest itself; else it comes from the flag. */
  dest_given: boolean;
  /** Empty for a positional. */
  flags: string[];
  /** argparse's word, or "boolean_optional", or "custom" for a class of the script's own. */
  action: string;
  nargs: string | number | null;
  required: boolean;
  type: "str" | "int" | "float" | "bool" | "other";
  choices: Json[] | { from: number; to: number } | null;
  /** Only scalars; null for none. */
  default: Json;
  help: string | null;
  metavar: string | null;
  /** Marked with help=SUPPRESS: not offered, unless it is required. */
  hidden: boolean;
}

/** A parser; `members` are places in `arguments`. */
export interface PythonParser {
  description: string | null;
  arguments: PythonArgument[];
  exclusive: { members: number[]; required: boolean }[];
  /** null without sub-commands; empty where none of their names could be read. */
  commands: PythonCommand[] | null;
}

export interface PythonCommand {
  name: string;
  aliases: string[];
  hidden: boolean;
  help: string | null;
  parser: PythonParser;
}
