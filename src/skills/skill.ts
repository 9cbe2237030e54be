import type { Effect } from "../session/entry.ts";
import type { InputSchema } from "../session/offer.ts";

/** One remark about a skill's files: what is wrong or was repaired, where, and what to do. */
export interface Diagnostic {
  level: "error" | "warning";
  /** Path of the file, relative to the skills folder it was found in. */
  path: string;
  /** A short stable name: "no_frontmatter", "bad_yaml", "script_not_read" … */
  code: string;
  message: string;
}

/** How one input property is written on a script's command line. */
export interface Argument {
  /** The property's name in the input. */
  name: string;
  /** The flag to write, e.g. "--max-count"; null for a positional. */
  flag: string | null;
  /**
   * value: `--flag=v` · list: `--flag a b` · repeated: `--flag=a --flag=b` · switch: `--flag` when true ·
   * negative_switch: `--flag` when false · count: the flag n times · rest: all that follows, words that look like
   * flags included · command: the words of the sub-command, where one tool stands for all of them.
   * Positionals are value, list or rest.
   */
  form: "value" | "list" | "repeated" | "switch" | "negative_switch" | "count" | "rest" | "command";
  /**
   * How many words of the sub-command stand before it; absent: all of them. 0 is an option of the script itself, which
   * argparse only reads before the sub-command.
   */
  after_words?: number;
}

/** A script of a skill, as a tool. */
export interface Tool {
  /** The name the model calls it by: the script's stem, or `<skill>__<stem>` where a bare name would clash. */
  name: string;
  skill: string;
  description: string;
  schema: InputSchema;
  effect: Effect;
  /** Properties of which at most one (or exactly one, if required) may be given. */
  exclusive: { names: string[]; required: boolean }[];
  runtime: "python" | "node";
  /** Real path of the script. */
  file: string;
  /** Written before all options, e.g. a sub-command's name. */
  command: string[];
  arguments: Argument[];
}

/** One skill folder, read. Nothing of it has run. */
export interface Skill {
  name: string;
  description: string;
  version: string | null;
  tags: string[];
  /** As written; "active" when absent. Skills with status "disabled" or "draft" are not offered. */
  status: string;
  /** Always loaded, never routed to. */
  isDefault: boolean;
  /** Real path of the folder. */
  folder: string;
  /** The body of SKILL.md. */
  instructions: string;
  /** Paths of the files under references/, relative to the folder, sorted. */
  references: string[];
  tools: Tool[];
  /** Requests this skill is for, from the frontmatter's `examples` ("read_file: what's in docs/notes.txt?"). */
  examples: { tool: string | null; request: string }[];
}

/** All skills that could be read, by name, and what was remarked on the way. */
export interface SkillSet {
  skills: Skill[];
  diagnostics: Diagnostic[];
  /** The Python interpreter that has read the skills' scripts and runs them; null where none is needed or found. */
  python: string | null;
}
