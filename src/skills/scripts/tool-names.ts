import { isMetaTool } from "../meta-tools.ts";

/** What a tool can be named after. `stem` is the script's path under scripts/, without its extension: "db/migrate". */
export interface NameableScript {
  skill: string;
  stem: string;
  /** The words of its sub-command; [] for none. */
  command: readonly string[];
}

const LENGTH_MAX = 64;
// From short to long; the last one is made unique by a number where even it is taken.
const FORMS = [bareName, withSkill, withFolder] as const;

/**
 * One name for each script, in the same order: letters, digits, "_" and "-", at most 64, no two alike in any case.
 * The bare stem where it is free; all that would share one, or would hide a call of the harness, are written
 * `<skill>__<stem>`, and with the sub-folder where that is not enough.
 */
export function nameTools(scripts: readonly NameableScript[]): string[] {
  const forms = scripts.map(() => 0);
  const nameOf = (index: number) => {
    const script = scripts[index];
    return script ? (FORMS[forms[index] ?? 0] ?? withFolder)(script) : "";
  };
  for (const _ of FORMS.slice(1)) {
    for (const group of groupsOf(scripts.map((_script, index) => nameOf(index)))) {
      if (group.indexes.length < 2 && !isMetaTool(group.name)) continue;
      for (const index of group.indexes) forms[index] = (forms[index] ?? 0) + 1;
    }
  }
  return numbered(scripts.map((_script, index) => nameOf(index)));
}

function groupsOf(names: readonly string[]): { name: string; indexes: number[] }[] {
  const groups = new Map<string, number[]>();
  for (const [index, name] of names.entries()) {
    const key = name.toLowerCase();
    groups.set(key, [...(groups.get(key) ?? []), index]);
  }
  return [...groups].map(([name, indexes]) => ({ name, indexes }));
}

function bareName({ stem, command }: NameableScript): string {
  const words = [stem.split("/").at(-1) ?? stem, ...command].map(plain);
  return words.join("_").slice(0, LENGTH_MAX);
}

function withSkill(script: NameableScript): string {
  return joined(script.skill, bareName(script));
}

function withFolder(script: NameableScript): string {
  const folders = script.stem.split("/").slice(0, -1).map(plain);
  return joined(script.skill, [...folders, bareName(script)].join("_"));
}

/** Where both do not fit, the script's part is kept whole as far as it goes: it is what the model means. */
function joined(skill: string, rest: string): string {
  const room = Math.max(8, LENGTH_MAX - 2 - rest.length);
  return `${plain(skill).slice(0, room)}__${rest}`.slice(0, LENGTH_MAX);
}

function plain(word: string): string {
  const name = word.replace(/[^A-Za-z0-9_-]/gu, "_");
  return /[A-Za-z0-9]/.test(name) ? name : "script";
}

/** Equal names get "_2", "_3" … in their order; names that are already alone keep theirs. */
function numbered(names: readonly string[]): string[] {
  const groups = groupsOf(names);
  const taken = new Set(groups.map(({ name }) => name));
  const result = [...names];
  for (const { name, indexes } of groups) {
    let number = 2;
    for (const index of isMetaTool(name) ? indexes : indexes.slice(1)) {
      let candidate = withNumber(names[index] ?? name, number);
      while (taken.has(candidate.toLowerCase()))
        candidate = withNumber(names[index] ?? name, (number += 1));
      taken.add(candidate.toLowerCase());
      result[index] = candidate;
    }
  }
  return result;
}

function withNumber(name: string, number: number): string {
  const suffix = `_${number}`;
  return `${name.slice(0, LENGTH_MAX - suffix.length)}${suffix}`;
}
