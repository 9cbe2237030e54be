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
  if (isObject(observation ?? null) && typeof observed(output) === "string")
    return { label: "Output of the tool", text: observed(output) ?? "" };
  if (typeof text === "string")
    return { label: output["kind"] === "reply" ? "The user's reply" : "The answer", text };
  // Of a model's calls, questions and refusals the reply is only the source: what was read from it stands beside it.
  if (typeof reply === "string" && output["kind"] === undefined)
    return { label: "Reply", text: reply };
  return null;
}

/** The same outcome with another text; one without such a text stays as it is. */
export function withOutcomeText(output: Json, text: string): Json {
  if (!isObject(output) || !outcomeText(output)) return output;
  const { observation } = output;
  if (isObject(observation ?? null) && observed(output) !== null)
    return { ...output, observation: { ...(observation as JsonObject), output: text } };
  if (typeof output["text"] !== "string") return { ...output, reply: text };
  // An answer is its own reply, word for word.
  const isWholeReply = output["reply"] === output["text"];
  return { ...output, ...(isWholeReply ? { reply: text } : {}), text };
}

function observed({ observation = null }: JsonObject): string | null {
  if (!isObject(observation)) return null;
  const { output = null } = observation;
  return typeof output === "string" ? output : null;
}

const isObject = (value: Json): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value);
