import type { Call } from "../contracts/call.ts";
import type { Problem } from "../contracts/problem.ts";
import { correctForm } from "../skills/correct-form.ts";
import { isMetaTool, metaTools } from "../skills/meta-tools.ts";
import { skillMeantBy } from "../skills/skill-meant.ts";
import type { Skill } from "../skills/skill.ts";

/** A correct form of what a call that failed was meant to be; null where that is not plain. Shown, never run. */
export function correctionOf(call: Call, problem: Problem, skills: readonly Skill[]): Call | null {
  if (problem.code === "bad_argument") return problem.example ?? null;
  if (!("nearest" in problem)) return null;
  const { nearest } = problem;
  if (problem.code === "unknown_skill") return loading(nearest);
  if (problem.code === "unknown_reference")
    return { name: call.name, input: { ...call.input, path: nearest } };
  const skill = skillMeantBy(call.name, skills);
  if (nearest === metaTools.load_skill.name && skill) return loading(skill.name);
  if (isMetaTool(call.name)) return null;
  const tool = skills.flatMap(({ tools }) => tools).find(({ name }) => name === nearest);
  return tool ? correctForm(call, tool) : null;
}

const loading = (skill_name: string): Call => ({
  name: metaTools.load_skill.name,
  input: { skill_name },
});
