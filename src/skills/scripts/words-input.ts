import type { ScriptTool } from "./script-reading.ts";

/** The input of a script that reads its words itself. */
export function wordsInput(): Omit<ScriptTool, "description" | "effect"> {
  const args = {
    type: "array",
    items: { type: "string" },
    description: "The words of the command line, one an item.",
  } as const;
  return {
    command: [],
    schema: { type: "object", properties: { args }, required: [], additionalProperties: false },
    exclusive: [],
    arguments: [{ name: "args", flag: null, form: "rest" }],
  };
}
