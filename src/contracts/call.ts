/** Any value that survives `JSON.parse(JSON.stringify(value))`. */
export type Json = null | boolean | number | string | Json[] | JsonObject;
export interface JsonObject {
  [key: string]: Json;
}

/** One call as the model wrote it: which tool, and its arguments. Nothing here has been checked against a schema. */
export interface Call {
  name: string;
  input: JsonObject;
}

/**
 * One text for equal calls: the name, then the input with its keys sorted at every depth.
 * Two calls are "the same call" exactly when their signatures are equal.
 */
export function signature(call: Call): string {
  return `${call.name} ${canonical(call.input)}`;
}

function canonical(value: Json): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(",")}]`;
  if (value === null || typeof value !== "object") return JSON.stringify(value);
  const entries = Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return `{${entries.map(([key, item]) => `${JSON.stringify(key)}:${canonical(item)}`).join(",")}}`;
}
