import type { OfferedSkill, OfferedTool } from "../session/offer.ts";
import type { TaskName } from "../session/task.ts";
import { metaTools } from "../skills/meta-tools.ts";
import type { Skill } from "../skills/skill.ts";

/** The skills a model may load next. */
export function offeredSkills(skills: readonly Skill[], loaded: readonly string[]): OfferedSkill[] {
  return skills
    .filter((skill) => !skill.isDefault && !loaded.includes(skill.name))
    .map(({ name, description }) => ({ name, description }));
}

/** The tools that may be called in a task: the scripts of loaded skills, then the harness's own. */
export function offeredTools(
  task: TaskName,
  skills: readonly Skill[],
  loaded: readonly string[],
): OfferedTool[] {
  if (task === "answer") return [];
  if (task === "skill_call") return [metaTools.load_skill, metaTools.ask_user_question];
  const here = skills.filter((skill) => skill.isDefault || loaded.includes(skill.name));
  const references = here.some((skill) => skill.references.length > 0);
  return [
    ...here.flatMap((skill) => skill.tools),
    ...(references ? [metaTools.load_skill_extension] : []),
    metaTools.ask_user_question,
  ];
}
