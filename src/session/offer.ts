import type { Json } from "../contracts/call.ts";
import type { Entry } from "./entry.ts";
import type { TaskName } from "./task.ts";

/** A JSON Schema (draft 2020-12 subset) of one tool's input; always `type: "object"`. */
export interface InputSchema {
  type: "object";
  properties: Record<string, PropertySchema>;
  required: string[];
  additionalProperties: boolean;
}

export interface PropertySchema {
  type?: "string" | "integer" | "number" | "boolean" | "array";
  description?: string;
  enum?: Json[];
  default?: Json;
  minimum?: number;
  maximum?: number;
  minLength?: number;
  maxLength?: number;
  minItems?: number;
  maxItems?: number;
  items?: PropertySchema;
}

/** A tool as the model is shown it. */
export interface OfferedTool {
  name: string;
  description: string;
  schema: InputSchema;
}

/** A skill as the model is shown it while it routes. */
export interface OfferedSkill {
  name: string;
  description: string;
}

/** One request as data: the task, what may be chosen, and what has happened in the turn so far. */
export interface Offer {
  task: TaskName;
  question: string;
  skills: OfferedSkill[];
  tools: OfferedTool[];
  loaded_skills: string[];
  log: Entry[];
}
