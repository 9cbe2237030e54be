import type { Skill } from "./skill.ts";

/** The skill that a name written as a tool means: the skill's own name, or that of one of its tools. */
export function skillMeantBy(name: string, skills: readonly Skill[]): Skill | undefined {
  return (
    skills.find((skill) => skill.name === name) ??
    skills.find((skill) => skill.tools.some((tool) => tool.name === name))
  );
}
