import type { Json, JsonObject } from "../src/contracts/call.ts";

/** The one text that people mostly want to change in an outcome. */
export interface OutcomeText {
  label: string;
  text: string;
}

/** Null where the outcome has none, or where a changed text would say something else than the rest of it. */
export function outcomeText(output: Json): OutcomeText | null {
  if (!isObject(output)) return null;
  const { text, reply, observation } = output;
  if (typeof reply === "string") return { label: "What the model writes", text: reply };
  if (isObject(observation ?? null) && typeof observed(output) === "string")
    return { label: "Output of the tool", text: observed(output) ?? "" };
  return typeof text === "string" ? { label: "The user's reply", text } : null;
}

/**
 * The same outcome with another text; one without such a text stays as it is. Of a model only what it writes is left: what is
 * read from that is for the process to say.
 */
export function withOutcomeText(output: Json, text: string): Json {
  if (!isObject(output) || !outcomeText(output)) return output;
  const { observation } = output;
  if (typeof output["reply"] === "string") return { reply: text };
  if (isObject(observation ?? null) && observed(output) !== null)
    return { ...output, observation: { ...(observation as JsonObject), output: text } };
  return { ...output, text };
}

function observed({ observation = null }: JsonObject): string | null {
  if (!isObject(observation)) return null;
  const { output = null } = observation;
  return typeof output === "string" ? output : null;
}

const isObject = (value: Json): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value);
