import type { OfferedTool } from "../session/offer.ts";

const text = (description: string) => ({ type: "string", description, minLength: 1 }) as const;

/** The calls that the harness itself answers. Their names cannot be taken by a script. */
export const metaTools = {
  load_skill: {
    name: "load_skill",
    description: "Loads a skill: its instructions and its tools.",
    schema: {
      type: "object",
      properties: { skill_name: text("name of the skill") },
      required: ["skill_name"],
      additionalProperties: false,
    },
  },
  load_skill_extension: {
    name: "load_skill_extension",
    description: "Reads one reference of a loaded skill.",
    schema: {
      type: "object",
      properties: {
        skill_name: text("name of the loaded skill"),
        path: text("path of the reference"),
      },
      required: ["skill_name", "path"],
      additionalProperties: false,
    },
  },
  load_tool: {
    name: "load_tool",
    description: "Registers a script of a loaded skill as a tool.",
    schema: {
      type: "object",
      properties: {
        skill_name: text("name of the loaded skill"),
        path: text("path of the script"),
      },
      required: ["skill_name", "path"],
      additionalProperties: false,
    },
  },
  ask_user_question: {
    name: "ask_user_question",
    description: "Asks the user one question.",
    schema: {
      type: "object",
      properties: { question: text("the question") },
      required: ["question"],
      additionalProperties: false,
    },
  },
} as const satisfies Record<string, OfferedTool>;

export type MetaToolName = keyof typeof metaTools;

export function isMetaTool(name: string): name is MetaToolName {
  return Object.hasOwn(metaTools, name);
}
