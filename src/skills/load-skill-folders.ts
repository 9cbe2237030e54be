import { type Dirent, readdirSync } from "node:fs";
import path from "node:path";
import { HarnessError, reasonOf } from "../errors.ts";
import { codeOf, isInside, realPath } from "./load-text.ts";
import type { Diagnostic } from "./skill.ts";

/** A folder with a SKILL.md, found in one of the skills folders. Nothing has been read yet. */
export interface FoundSkill {
  /** Real path of the skill's folder. */
  folder: string;
  /** Real path of the skills folder, which no file of a skill may leave. */
  root: string;
  /** The folder's path in the skills folder, "" where that is the skill itself; diagnostics begin with it. */
  relative: string;
  /** The file's name as it is written, "SKILL.md" or nearly so. */
  fileName: string;
}

/** What was found in one skills folder, in the order of names. */
export interface FoundSkills {
  skills: FoundSkill[];
  diagnostics: Diagnostic[];
}

const FOLDERS_MAX = 2_000;
const SKIPPED = new Set(["node_modules", "__pycache__"]);

/**
 * Finds the skills in a folder, one level deep; a folder that holds a SKILL.md itself is one skill. Throws HarnessError
 * "no_such_file" or "not_readable", because a folder that was named and cannot be read is never meant.
 */
export function findSkills(folder: string): FoundSkills {
  const root = realPath(folder);
  const entries = entriesOf(folder);
  if (root === null) throw missing(folder);
  const own = skillFileIn(entries);
  if (own)
    return { skills: [{ folder: root, root, relative: "", fileName: own }], diagnostics: [] };

  const found: FoundSkills = { skills: [], diagnostics: [] };
  const candidates = entries.filter(
    (entry) =>
      (entry.isDirectory() || entry.isSymbolicLink()) &&
      !entry.name.startsWith(".") &&
      !SKIPPED.has(entry.name),
  );
  for (const { name } of candidates.slice(0, FOLDERS_MAX)) {
    const result = findSkill(root, name);
    if (result === null) continue;
    if ("folder" in result) found.skills.push(result);
    else found.diagnostics.push(result);
  }
  if (candidates.length > FOLDERS_MAX) {
    const message = `${candidates.length} folders; the first ${FOLDERS_MAX} by name are read. Move skills to another folder.`;
    found.diagnostics.push({ level: "warning", path: ".", code: "too_many_folders", message });
  }
  const hasError = found.diagnostics.some(({ level }) => level === "error");
  if (found.skills.length === 0 && !hasError) found.diagnostics.push(noSkills(folder, root));
  return found;
}

/** A folder that was named and gives nothing is never meant; often it lies inside the skill. */
function noSkills(folder: string, root: string): Diagnostic {
  let above = path.dirname(root);
  while (above !== path.dirname(above) && !isSkill(above)) above = path.dirname(above);
  const hint = isSkill(above) ? ` It lies inside the skill "${above}": name that one.` : "";
  const message = `no skill in "${folder}": a skill is a folder with a SKILL.md.${hint}`;
  return { level: "error", path: ".", code: "no_skills", message };
}

function isSkill(folder: string): boolean {
  try {
    return skillFileIn(readdirSync(folder, { withFileTypes: true })) !== undefined;
  } catch {
    return false;
  }
}

/** The skill in one folder, what is wrong with it, or null for what is no folder. */
function findSkill(root: string, name: string): FoundSkill | Diagnostic | null {
  const remark = (level: Diagnostic["level"], code: string, message: string) => ({
    level,
    path: name,
    code,
    message,
  });
  const folder = realPath(path.join(root, name));
  if (folder === null) return remark("warning", "broken_link", "the link leads nowhere; remove it");
  if (!isInside(root, folder) || folder === root) {
    return remark(
      "error",
      "outside",
      "the link leaves the skills folder; copy the skill into it, or name its folder as a skills folder",
    );
  }
  try {
    const fileName = skillFileIn(sorted(readdirSync(folder, { withFileTypes: true })), true);
    if (fileName) return { folder, root, relative: name, fileName };
    return remark("warning", "no_skill_file", "no SKILL.md in this folder, so it is no skill");
  } catch (cause) {
    if (codeOf(cause) === "ENOTDIR") return null; // a link to a file
    return remark("error", "not_readable", `the folder cannot be read: ${reasonOf(cause)}`);
  }
}

/** SKILL.md, else the first that differs from it in case only. As the skills folder's own, only what is no folder. */
function skillFileIn(entries: readonly Dirent[], folders = false): string | undefined {
  const names = entries.filter((entry) => folders || !entry.isDirectory()).map(({ name }) => name);
  return (
    names.find((name) => name === "SKILL.md") ??
    names.find((name) => name.toLowerCase() === "skill.md")
  );
}

function entriesOf(folder: string): Dirent[] {
  try {
    return sorted(readdirSync(folder, { withFileTypes: true }));
  } catch (cause) {
    if (codeOf(cause) === "ENOENT") throw missing(folder, cause);
    const reason = codeOf(cause) === "ENOTDIR" ? "it is not a folder" : reasonOf(cause);
    throw new HarnessError(
      "not_readable",
      `skills folder "${folder}" cannot be read: ${reason}. Name a folder of skills.`,
      { cause },
    );
  }
}

function missing(folder: string, cause?: unknown): HarnessError {
  return new HarnessError(
    "no_such_file",
    `skills folder "${folder}": there is no such folder. Create it or name another.`,
    { cause },
  );
}

function sorted(entries: readonly Dirent[]): Dirent[] {
  return entries.toSorted((a, b) => (a.name < b.name ? -1 : Number(a.name > b.name)));
}
