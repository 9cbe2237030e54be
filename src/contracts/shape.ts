import type { Call, Json, JsonObject } from "./call.ts";
import type { Problem } from "./problem.ts";
import { quoted } from "./quote.ts";

const KEYS_SHOWN_MAX = 4;
const SCHEMA_KEYS = ["parameters", "input_schema", "inputSchema", "properties"];

type ShapeProblem = Extract<Problem, { code: "wrong_shape" | "schema_echo" }>;

/** The calls in a block's JSON, or where its shape departs from `{"tool_use": [{"name": …, "input": {…}}]}`. */
export function callsOf(value: Json): Call[] | ShapeProblem {
  if (isSchemaEcho(value)) return { code: "schema_echo" };
  if (!isObject(value)) return wrong("the top level", 'an object with the key "tool_use"', value);
  if (!hasExactly(value, "tool_use"))
    return wrong("the top level", 'an object with exactly one key, "tool_use"', value);
  const list = value["tool_use"] ?? null;
  if (!Array.isArray(list)) return wrong("tool_use", "a list of calls", list);
  const calls: Call[] = [];
  for (const [index, item] of list.entries()) {
    const call = callOf(item, `tool_use[${index}]`);
    if ("code" in call) return call;
    calls.push(call);
  }
  return calls;
}

function callOf(item: Json, at: string): Call | ShapeProblem {
  if (!isObject(item)) return wrong(at, 'an object with the keys "name" and "input"', item);
  const { name, input } = item;
  if (!hasExactly(item, "name", "input"))
    return wrong(at, 'an object with exactly the keys "name" and "input"', item);
  if (typeof name !== "string" || name === "")
    return wrong(`${at}.name`, "the name of a tool", name ?? null);
  if (!isObject(input))
    return wrong(`${at}.input`, "an object with the tool's arguments", input ?? null);
  return { name, input };
}

function hasExactly(item: JsonObject, ...keys: string[]): boolean {
  return Object.keys(item).length === keys.length && keys.every((key) => Object.hasOwn(item, key));
}

function wrong(at: string, expected: string, found: Json): ShapeProblem {
  return { code: "wrong_shape", at, expected, found: describe(found) };
}

/** A value in few words: "a list", `an object with the key "a"`, "the text "plan"". */
function describe(value: Json): string {
  if (Array.isArray(value)) return value.length === 0 ? "an empty list" : "a list";
  if (typeof value === "string")
    return value === "" ? "an empty text" : `the text ${quoted(value, 40)}`;
  if (typeof value !== "object" || value === null) return String(value);
  const keys = Object.keys(value);
  if (keys.length === 0) return "an empty object";
  const shown = keys.slice(0, KEYS_SHOWN_MAX).map((key) => quoted(key, 24));
  const more = keys.length > shown.length ? ` and ${keys.length - shown.length} more` : "";
  return `an object with ${keys.length === 1 ? "the key" : "the keys"} ${shown.join(", ")}${more}`;
}

/** The description of a tool, or a JSON Schema, where a call should be. */
export function isSchemaEcho(value: Json): boolean {
  const first = Array.isArray(value) ? value[0] : value;
  if (!isObject(first)) return false;
  const inner = first["function"];
  if (isObject(inner)) return isSchemaEcho(inner);
  return (
    SCHEMA_KEYS.some((key) => isSchema(first[key])) &&
    (first["type"] === "object" || typeof first["name"] === "string")
  );
}

function isSchema(value: Json | undefined): boolean {
  if (!isObject(value)) return false;
  if (value["type"] === "object" && Object.hasOwn(value, "properties")) return true;
  const properties = Object.values(value);
  return (
    properties.length > 0 &&
    properties.every((property) => isObject(property) && Object.hasOwn(property, "type"))
  );
}

/** `{"name": …, "input": {…}}` under any of the names other notations give the two. */
export function isBareCall(value: Json): boolean {
  const first = Array.isArray(value) ? value[0] : value;
  if (!isObject(first)) return false;
  if (Object.hasOwn(first, "tool_use") || Object.hasOwn(first, "tool_calls")) return true;
  const input = first["input"] ?? first["arguments"] ?? first["parameters"];
  return (
    typeof first["name"] === "string" && Object.keys(first).length === 2 && input !== undefined
  );
}

function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
