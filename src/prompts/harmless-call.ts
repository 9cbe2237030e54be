import type { Call } from "../contracts/call.ts";
import { metaTools } from "../skills/meta-tools.ts";
import type { Skill } from "../skills/skill.ts";
import { exampleCall } from "../skills/tool-line.ts";

/** A call of the first skill that has one which only looks; else one that destroys nothing. */
export function harmlessCall(skills: readonly Skill[]): Call {
  for (const skill of skills) {
    const looking = lookingCall(skill);
    if (looking) return looking;
  }
  const tools = skills.flatMap((skill) => skill.tools);
  const tool = tools.find(({ effect }) => effect !== "destructive") ?? tools[0];
  return exampleCall(tool ?? metaTools.ask_user_question);
}

function lookingCall({ name, tools, references }: Skill): Call | null {
  const tool = tools.find(({ effect }) => effect === "read");
  if (tool) return exampleCall(tool);
  const [path] = references;
  if (path === undefined) return null;
  return { name: metaTools.load_skill_extension.name, input: { skill_name: name, path } };
}
