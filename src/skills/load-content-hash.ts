import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import type { Skill } from "./skill.ts";

/**
 * 16 hexadecimal digits that change with anything a turn can see of a skill: its text, its tools, and the scripts behind
 * them. Where the skill lies does not matter.
 */
export function contentHash(skill: Skill): string {
  const { folder: _, tools, ...text } = skill;
  const hash = createHash("sha256").update(JSON.stringify(text));
  for (const { file, ...tool } of tools) {
    hash.update(JSON.stringify(tool));
    try {
      hash.update(readFileSync(file));
    } catch {
      hash.update("not readable");
    }
  }
  return hash.digest("hex").slice(0, 16);
}
