import path from "node:path";
import { env as environment } from "node:process";
import { readSkillFile } from "./frontmatter.ts";
import type { Remark } from "./frontmatter-lines.ts";
import { findPython } from "./scripts/load-python-scripts.ts";
import { type ScriptFile, findReferences, findScripts } from "./load-skill-files.ts";
import { type FoundSkill, findSkills } from "./load-skill-folders.ts";
import { isInside, readText, realPath } from "./load-text.ts";
import { readScripts } from "./scripts/load-readings.ts";
import { defineSkill } from "./library.ts";
import type { Diagnostic, Origin, Skill, SkillSet } from "./skill.ts";
import { oneLine, visible } from "./text.ts";
import { registerTools } from "./scripts/tools-of-scripts.ts";

const BYTES_MAX = 1_048_576;

/** Where skills are, and with what their scripts are read. */
export interface LoadOptions {
  /** Skills folders. Of two skills with one name, the one of the folder named first is taken. */
  folders: readonly string[];
  /** Those of them that ship with the program: what is in them is trusted. */
  bundled?: readonly string[];
  /** Path of the interpreter; null for none. Absent: looked for on the environment's PATH, if a skill needs it. */
  python?: string | null;
  /** Where readings of scripts are kept, so that none is read twice. Absent: nowhere. */
  cacheFolder?: string | null;
  /** Default: this process's environment. */
  environment?: Readonly<Record<string, string | undefined>>;
}

interface Draft {
  skill: Skill;
  /** Where the skill was found, for its diagnostics. */
  found: FoundSkill;
  scripts: ScriptFile[];
}

/**
 * Reads all skills of some folders. Nothing of a skill runs. What is wrong with one skill or script is a diagnostic and
 * does not keep the others from loading; skills with status "draft" or "disabled" are in the set, to be filtered by
 * whoever offers them. Throws HarnessError "no_such_file" or "not_readable" for a skills folder that cannot be read.
 */
export async function loadSkills(options: LoadOptions): Promise<SkillSet> {
  const diagnostics: Diagnostic[] = [];
  const drafts = new Map<string, Draft>();
  const seen = new Set<string>();
  for (const folder of options.folders) {
    const found = findSkills(folder);
    diagnostics.push(...found.diagnostics);
    for (const one of found.skills) {
      if (seen.has(one.folder)) continue; // the same skill through another folder or link
      seen.add(one.folder);
      const origin = options.bundled?.includes(folder) ? "bundled" : "flag";
      const draft = readSkill(one, origin, diagnostics);
      if (draft) keepFirst(drafts, draft, diagnostics);
    }
  }
  const all = [...drafts.values()];
  const python = await pythonFor(all, options);
  const readings = await readScripts(
    all.flatMap(({ scripts }) => scripts),
    { python, cacheFolder: options.cacheFolder ?? null },
  );
  const skills = registerTools(
    all.map(({ skill, found, scripts }) => ({
      skill,
      path: pathIn(found, found.fileName),
      scripts: scripts.map(({ relative, ...script }) => ({
        ...script,
        path: pathIn(found, relative),
        reading: readings.get(script.file) ?? withoutReading(script.file),
      })),
    })),
    diagnostics,
  );
  return { skills, diagnostics: diagnostics.map(shown), python };
}

/** Reads SKILL.md and lists the other files; null, with diagnostics, for what is no skill. */
function readSkill(found: FoundSkill, origin: Origin, diagnostics: Diagnostic[]): Draft | null {
  const report = ({ relative, ...remark }: Remark & { relative: string }) => {
    diagnostics.push({ ...remark, path: pathIn(found, relative) });
  };
  const source = readSource(found);
  for (const remark of source.remarks) report({ ...remark, relative: found.fileName });
  if (source.text === null) return null;
  const { fields, instructions, remarks } = readSkillFile(source.text, path.basename(found.folder));
  for (const remark of remarks) report({ ...remark, relative: found.fileName });
  if (remarks.some(({ level }) => level === "error")) return null;
  const references = findReferences(found.folder, report);
  const scripts = findScripts(found.folder, report);
  const skill = defineSkill({
    ...fields,
    origin,
    folder: found.folder,
    root: found.root,
    fileName: found.fileName,
    instructions,
    references,
  });
  return { skill, found, scripts };
}

/** The text of SKILL.md, or null with a remark that says why there is none. */
function readSource({ folder, root, fileName }: FoundSkill): {
  text: string | null;
  remarks: Remark[];
} {
  const file = realPath(path.join(folder, fileName));
  if (file === null) return without("broken_link", "the link leads nowhere; remove it");
  if (!isInside(root, file))
    return without("outside", "the link leaves the skills folder; copy the file into it");
  const reading = readText(file, BYTES_MAX);
  if (!reading.ok) {
    const [code, message] = refusals[reading.reason];
    return without(code, message);
  }
  const remarks: Remark[] = [];
  if (fileName !== "SKILL.md") {
    remarks.push({
      level: "warning",
      code: "file_name",
      message: `the file should be named SKILL.md, not ${fileName}`,
    });
  }
  if (!reading.exact) {
    remarks.push({
      level: "warning",
      code: "not_utf8",
      message: "bytes that are not UTF-8 are shown as \uFFFD; save the file as UTF-8",
    });
  }
  return { text: reading.text, remarks };
}

function without(code: string, message: string): { text: null; remarks: Remark[] } {
  return { text: null, remarks: [{ level: "error", code, message }] };
}

const refusals = {
  missing: ["no_such_file", "the file is gone"],
  not_a_file: [
    "not_a_file",
    "SKILL.md is no regular file; write the skill into a text file of that name",
  ],
  too_large: [
    "too_large",
    `larger than ${BYTES_MAX} bytes; move what is not always needed to references/`,
  ],
  not_readable: ["not_readable", "the file cannot be read; check its permissions"],
} as const;

function keepFirst(drafts: Map<string, Draft>, draft: Draft, diagnostics: Diagnostic[]): void {
  const key = draft.skill.name.toLowerCase();
  const first = drafts.get(key);
  if (!first) drafts.set(key, draft);
  else {
    const message = `another skill is named "${first.skill.name}" and was found first: ${first.skill.folder}. That one is used; rename one of them.`;
    diagnostics.push({
      level: "warning",
      path: pathIn(draft.found, draft.found.fileName),
      code: "name_taken",
      message,
    });
  }
}

async function pythonFor(drafts: readonly Draft[], options: LoadOptions): Promise<string | null> {
  const needed = drafts.some(({ scripts }) => scripts.some(({ runtime }) => runtime === "python"));
  if (!needed) return null;
  const { python = await findPython(options.environment ?? environment) } = options;
  return python;
}

const withoutReading = (file: string) => ({ file, tools: [], diagnostics: [], unknown: [] });

function pathIn({ relative }: FoundSkill, file: string): string {
  return relative === "" ? file : `${relative}/${file}`;
}

/** File names and messages may hold anything; a terminal or a prompt must not obey them. */
function shown({ level, path: file, code, message }: Diagnostic): Diagnostic {
  return {
    level,
    path: visible(file).replaceAll("\n", String.raw`\n`),
    code,
    message: oneLine(message),
  };
}
