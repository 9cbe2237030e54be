import type { Diagnostic, Skill, SkillEntry } from "./skill.ts";

/** The skills there are, and those of them that were read whole. */
export interface Catalogue {
  /** In order of precedence, then of names; one of a name. */
  readonly entries: readonly SkillEntry[];
  entry(name: string): SkillEntry | undefined;
  /** A skill that was loaded before; undefined for one that was not. */
  skill(name: string): Skill | undefined;
}

/** Reads skills when they are wanted. */
export interface SkillLibrary extends Catalogue {
  /** What was remarked so far: at discovery, then on each skill that was loaded. */
  readonly diagnostics: readonly Diagnostic[];
  /** Reads a whole skill, once; null for a name that is not there. Never rejects for what is wrong with a skill. */
  load(name: string): Promise<Skill | null>;
  /** Looks again where skills come from, if something there has changed. Skills whose files are the same stay loaded. */
  refresh(): LibraryChange;
  /** Path of the interpreter, looked for when it is first asked for; null where there is none. */
  python(): Promise<string | null>;
  /** Stops watching. */
  close(): void;
}

/** Names of skills. */
export interface LibraryChange {
  added: string[];
  changed: string[];
  removed: string[];
}

/** A skill that a program makes: what is left out it does not have. */
export const defineSkill = (
  given: Pick<Skill, "name" | "description"> & Partial<Skill>,
): Skill => ({
  version: null,
  tags: [],
  status: "active",
  isDefault: false,
  userOnly: false,
  origin: "program",
  folder: "",
  root: given.folder ?? "",
  fileName: "SKILL.md",
  instructions: "",
  references: [],
  tools: [],
  examples: [],
  license: null,
  compatibility: null,
  allowedTools: [],
  requires: [],
  needs: { network: false, environment: [] },
  extra: {},
  ...given,
});

/** A library of skills that are all at hand: for programs that make their skills, and for tests. */
export function libraryOf(
  skills: readonly Skill[],
  {
    diagnostics = [],
    python = null,
  }: { diagnostics?: readonly Diagnostic[]; python?: string | null } = {},
): SkillLibrary {
  const byName = new Map(skills.map((skill) => [skill.name, skill]));
  return {
    entries: [...byName.values()],
    diagnostics,
    entry: (name) => byName.get(name),
    skill: (name) => byName.get(name),
    load: (name) => Promise.resolve(byName.get(name) ?? null),
    refresh: () => ({ added: [], changed: [], removed: [] }),
    python: () => Promise.resolve(python),
    close: () => {},
  };
}
