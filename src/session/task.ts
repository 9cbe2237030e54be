/** The three tasks that ask the model. State, prompt file and test share these names. */
export type TaskName = "skill_call" | "tool_call" | "answer";
