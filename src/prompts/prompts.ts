import type { Contract } from "../contracts/contract.ts";
import type { Skill } from "../skills/skill.ts";

export const promptNames = [
  "persona",
  "system",
  "attachment",
  "skill_call",
  "skill_call_again",
  "skill",
  "tools",
  "references",
  "tool_call",
  "tool_call_again",
  "answer",
  "result",
  "empty_result",
  "silent_result",
  "failure",
  "reminder",
] as const;

/** The text of every prompt file of the package, by name. */
export type Prompts = Readonly<Record<(typeof promptNames)[number], string>>;

/** What stays the same for all prompts of a run. */
export interface PromptKit {
  prompts: Prompts;
  persona: string;
  contract: Contract;
  /** The skills that are offered: disabled ones and drafts left out. */
  skills: readonly Skill[];
}
