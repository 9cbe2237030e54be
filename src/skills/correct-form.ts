import type { Call, Json, JsonObject } from "../contracts/call.ts";
import { nearest } from "../contracts/nearest.ts";
import { clip } from "../contracts/quote.ts";
import type { OfferedTool, PropertySchema } from "../session/offer.ts";
import { plausible } from "./example-values.ts";
import { fits, lengthOf } from "./scripts/schema-value.ts";
import { exampleCall } from "./tool-line.ts";

/** A tool, and groups of its properties of which at most one (or exactly one) may be given. */
export type CheckedTool = OfferedTool & {
  exclusive?: readonly { names: readonly string[]; required: boolean }[];
};

/** A longer text is shown cut: it stands in the conversation already. */
const TEXT_CHARS_MAX = 2_000;
const GIVEN_MAX = 100;

/**
 * A call that the tool takes, with as much of what the model gave as can stay: values that fit are kept, those that
 * mean something that fits are shown as that ("10" as 10), the rest is made up or, where nothing has to be there, left
 * out. `known`: values that are certain to exist. It is an example and must never be run. Null when none was found.
 */
export function correctForm(
  { input: given }: Pick<Call, "input">,
  tool: CheckedTool,
  known: JsonObject = {},
): Call | null {
  const candidates = [
    filled(renamed(given, tool), tool, known),
    filled(exampleCall(tool).input, tool, known),
  ];
  const input = candidates.find((candidate) => takes(tool, candidate));
  return input ? { name: tool.name, input } : null;
}

function filled(meant: JsonObject, tool: CheckedTool, known: JsonObject): JsonObject {
  const { properties, required } = tool.schema;
  const input: JsonObject = {};
  for (const [name, schema] of Object.entries(properties)) {
    const value = Object.hasOwn(meant, name) ? (meant[name] ?? null) : null;
    const isGiven = value !== null;
    const kept = isGiven ? adapted(schema, value) : undefined;
    if (kept !== undefined) input[name] = kept;
    else if (isGiven || required.includes(name))
      input[name] = known[name] ?? plausible(name, schema);
  }
  for (const group of tool.exclusive ?? []) keepOne(input, group, properties);
  return input;
}

function keepOne(
  input: JsonObject,
  { names, required }: { names: readonly string[]; required: boolean },
  properties: Record<string, PropertySchema>,
): void {
  const [first, ...others] = names.filter((name) => isSet(input[name]));
  for (const name of others) delete input[name];
  const [name = ""] = names;
  const schema = properties[name];
  if (first === undefined && required && schema) input[name] = plausible(name, schema);
}

/** What the model gave, with misspelt names put right; a single stray argument is taken for the single missing one. */
function renamed(given: JsonObject, { schema: { properties, required } }: OfferedTool): JsonObject {
  const entries = Object.entries(given).slice(0, GIVEN_MAX);
  const meant = Object.fromEntries(entries.filter(([name]) => Object.hasOwn(properties, name)));
  const stray = entries.filter(([name]) => !Object.hasOwn(properties, name));
  const isFree = (name: string) => !Object.hasOwn(meant, name);
  for (const [name, value] of stray) {
    const missing = required.filter(isFree);
    const only = stray.length === 1 && missing.length === 1 ? missing[0] : undefined;
    const target = nearest(name, Object.keys(properties).filter(isFree)) ?? only;
    const schema = target === undefined ? undefined : properties[target];
    if (target !== undefined && schema && fits(schema, value)) meant[target] = value;
  }
  return meant;
}

/** The value as the schema wants it, where it is plain what is meant. */
function adapted(schema: PropertySchema, value: Json): Json | undefined {
  if (schema.type === "array" && Array.isArray(value)) return adaptedList(schema, value);
  if (fits(schema, value)) return typeof value === "string" ? sendable(value) : value;
  const meant = schema.enum ? choiceOf(schema.enum, value) : converted(schema, value);
  if (meant === undefined) return undefined;
  const inRange = typeof meant === "number" ? within(meant, schema) : shortened(meant, schema);
  return fits(schema, inRange) ? inRange : undefined;
}

function adaptedList(schema: PropertySchema, list: readonly Json[]): Json | undefined {
  const items = list.map((item) => adapted(schema.items ?? {}, item));
  const kept = items.filter((item) => item !== undefined).slice(0, schema.maxItems);
  return kept.length > 0 && fits(schema, kept) ? kept : undefined;
}

/** As a script can be given it. */
const sendable = (text: string) => clip(text.replace(/\0|\p{Surrogate}/gu, ""), TEXT_CHARS_MAX);

const written = (value: Json) => (typeof value === "string" ? value : JSON.stringify(value));

function choiceOf(choices: readonly Json[], value: Json): Json | undefined {
  const meant = nearest(written(value), choices.map(written));
  return meant === undefined ? undefined : choices.find((choice) => written(choice) === meant);
}

function converted({ type = "string", items = {} }: PropertySchema, value: Json): Json | undefined {
  if (type === "integer" || type === "number") return numberIn(value, type === "integer");
  if (type === "boolean") return { true: true, false: false }[written(value).toLowerCase()];
  if (type === "array") return fits(items, value) ? [value] : undefined;
  const [only] = Array.isArray(value) && value.length === 1 ? value : [value];
  return typeof only === "object" ? undefined : String(only);
}

function numberIn(value: Json, isWhole: boolean): number | undefined {
  const number =
    typeof value === "string" && /^\s*-?\d{1,15}(?:\.\d{1,15})?\s*$/.test(value)
      ? Number(value)
      : value;
  if (typeof number !== "number") return undefined;
  return isWhole ? Math.round(number) : number;
}

function within(value: number, { minimum = value, maximum = value }: PropertySchema): number {
  return Math.max(minimum, Math.min(maximum, value));
}

function shortened(value: Json, { maxLength }: PropertySchema): Json {
  return typeof value === "string" && maxLength !== undefined && lengthOf(value) > maxLength
    ? Array.from(value).slice(0, maxLength).join("")
    : value;
}

const isSet = (value: Json | undefined) => value !== undefined && value !== false;

function takes({ schema, exclusive = [] }: CheckedTool, input: JsonObject): boolean {
  const isValid = Object.entries(input).every(([name, value]) => {
    const property = schema.properties[name];
    return property !== undefined && fits(property, value);
  });
  return (
    isValid &&
    schema.required.every((name) => Object.hasOwn(input, name)) &&
    exclusive.every(({ names, required }) => {
      const count = names.filter((name) => isSet(input[name])).length;
      return count <= 1 && (count === 1 || !required);
    })
  );
}
