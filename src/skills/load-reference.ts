import path from "node:path";
import { nearest } from "../contracts/nearest.ts";
import type { Problem } from "../contracts/problem.ts";
import { readConfined } from "./load-confined.ts";
import type { Skill } from "./skill.ts";

const BYTES_MAX = 1_048_576;
const LENGTH_MAX = 1_024;
const DECODINGS_MAX = 4;

/**
 * Reads one file of a skill for the model. The path is relative to the skill's folder, which may be written in front
 * (its path, its name, "${CLAUDE_SKILL_DIR}" or "{baseDir}"), with "/" and nothing clever:
 * what leaves the folder, or only tries to, is `unsafe_reference`. What is not there is `unknown_reference`, and so is
 * what cannot be read as text: a folder, a pipe, a file above 1 MiB or one with NUL bytes; then `known` does not hold it.
 */
export async function loadReference(
  skill: Skill,
  reference: string,
): Promise<{ ok: true; text: string } | { ok: false; problem: Problem }> {
  const root = path.resolve(skill.folder);
  const asked = withoutFolder(root, reference);
  if (isUnsafe(asked)) return unsafe(skill, reference);
  let reading = readConfined(root, asked, BYTES_MAX);
  const named = `${skill.name}/`;
  if (!reading.ok && reading.reason === "missing" && asked.startsWith(named)) {
    const rest = asked.slice(named.length);
    if (isUnsafe(rest)) return unsafe(skill, reference);
    reading = readConfined(root, rest, BYTES_MAX);
  }
  if (!reading.ok && reading.reason === "outside") return unsafe(skill, reference);
  if (!reading.ok || reading.text.includes("\0")) return unknown(skill, reference);
  return { ok: true, text: reading.text.replace(/^\uFEFF/, "") };
}

/** The path after the ways in which models write the skill's own folder; a path without one stays as it is. */
function withoutFolder(root: string, reference: string): string {
  const starts = [`${root}/`, "${CLAUDE_SKILL_DIR}/", "{baseDir}/"];
  const start = starts.find((one) => reference.startsWith(one));
  return start === undefined ? reference : reference.slice(start.length);
}

/** Whether the path, as written or percent-decoded any number of times, is anything but names joined by "/". */
function isUnsafe(reference: string): boolean {
  let text = reference;
  for (let round = 0; round < DECODINGS_MAX; round += 1) {
    if (leavesFolder(text)) return true;
    const decoded = text.replace(/%([0-9a-f]{2})/gi, (_, hex: string) =>
      String.fromCodePoint(Number.parseInt(hex, 16)),
    );
    if (decoded === text) return false;
    text = decoded;
  }
  return true; // encoded so often that it can only be a trick
}

function leavesFolder(text: string): boolean {
  const scheme = /^[a-z][a-z0-9+.-]*:/i.test(text); // "C:notes.md", "file:///etc/passwd"
  return scheme || text.startsWith("/") || /[\\\0]/.test(text) || text.split("/").includes("..");
}

function unsafe(skill: Skill, reference: string): { ok: false; problem: Problem } {
  return { ok: false, problem: { code: "unsafe_reference", skill: skill.name, path: reference } };
}

function unknown(skill: Skill, reference: string): { ok: false; problem: Problem } {
  const known = skill.references.filter((one) => one !== path.posix.normalize(reference));
  const meant = nearestReference(reference, known);
  const problem: Problem = { code: "unknown_reference", skill: skill.name, path: reference, known };
  return { ok: false, problem: meant === undefined ? problem : { ...problem, nearest: meant } };
}

/** The one with the same file name, else the one with the most similar path, else with the most similar file name. */
function nearestReference(reference: string, known: readonly string[]): string | undefined {
  const wanted = nameOf(reference.slice(0, LENGTH_MAX));
  const same = known.filter((one) => nameOf(one) === wanted);
  if (same.length === 1) return same[0];
  const similar = nearest(reference, known);
  if (similar !== undefined) return similar;
  const name = nearest(wanted, known.map(nameOf));
  return known.find((one) => nameOf(one) === name);
}

function nameOf(reference: string): string {
  return path.posix.basename(reference).toLowerCase();
}
