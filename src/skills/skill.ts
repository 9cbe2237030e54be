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
  /** Of the file, from 1; absent where it is about the whole. */
  line?: number;
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
  /** The flag and its value are two words (`-n 3`) and not one (`--max=3`). Only of "value" and "repeated". */
  separate?: true;
}

/** What runs a script: an interpreter, or for "program" the file itself. */
export type Runtime = "python" | "node" | "shell" | "program";

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
  runtime: Runtime;
  /** Real path of the script. */
  file: string;
  /** Written before all options, e.g. a sub-command's name. */
  command: string[];
  arguments: Argument[];
  /** Packages that the script declares it needs (PEP 723), as written: "requests>=2". Absent: none. */
  packages?: string[];
}

/** Where a skill comes from. "program": made by the program that runs the harness; "bundled": shipped with it. */
export type Origin = "program" | "flag" | "project" | "user" | "bundled";

/** What SKILL.md says a skill is for: all there is to know before somebody wants it. */
export interface SkillEntry {
  name: string;
  description: string;
  version: string | null;
  tags: string[];
  /** As written; "active" when absent. Skills with status "disabled" or "draft" are not offered. */
  status: string;
  /** Always loaded, never routed to. */
  isDefault: boolean;
  /** `disable-model-invocation`: only a person loads it, no model is told of it. */
  userOnly: boolean;
  origin: Origin;
  /** Real path of the folder. */
  folder: string;
  /** Real path of the skills folder it was found in, which no file of it may leave. */
  root: string;
  /** Name of its SKILL.md, as written. */
  fileName: string;
}

/** What the scripts of a skill may do beyond reading it and writing the workspace, once somebody has agreed. */
export interface Needs {
  network: boolean;
  /** Names of environment variables. */
  environment: string[];
}

/** One skill folder, read. Nothing of it has run. */
export interface Skill extends SkillEntry {
  /** The body of SKILL.md. */
  instructions: string;
  /** Paths of the files under references/, relative to the folder, sorted. */
  references: string[];
  tools: Tool[];
  /** Requests this skill is for, from the frontmatter's `examples` ("read_file: what's in docs/notes.txt?"). */
  examples: { tool: string | null; request: string }[];
  license: string | null;
  compatibility: string | null;
  /** `allowed-tools`: names of its own tools that need no confirmation where the skill is trusted. Never a restriction. */
  allowedTools: string[];
  /** Names of skills whose tools it uses too (skill.toml). */
  requires: string[];
  /** What it asks for in skill.toml. */
  needs: Needs;
  /** The keys of the frontmatter that nobody here reads, as they were read. */
  extra: Record<string, unknown>;
}

/** Whether a loaded skill gives a model anything to call. */
export const hasTools = ({ tools, references }: Skill): boolean =>
  tools.length + references.length > 0;

/** Whether a model is told of it. */
export const isOffered = ({ status, userOnly }: SkillEntry): boolean =>
  !userOnly && !["disabled", "draft"].includes(status.toLowerCase());

/** All skills that could be read, by name, and what was remarked on the way. */
export interface SkillSet {
  skills: Skill[];
  diagnostics: Diagnostic[];
  /** The Python interpreter that has read the skills' scripts and runs them; null where none is needed or found. */
  python: string | null;
}
