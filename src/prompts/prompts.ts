export const promptNames = [
  "persona",
  "system",
  "skill_call",
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
