import type { Json, JsonObject } from "../../contracts/call.ts";
import type { PropertySchema } from "../../session/offer.ts";
import type { Argument } from "../skill.ts";
import { oneLine } from "../text.ts";
import { fits } from "./schema-value.ts";

/** A JSON object by its keys. */
export type Fields = Map<string, unknown>;

/** A property of a sidecar, and how it is written on the command line. */
export interface SidecarProperty {
  schema: PropertySchema;
  argument: Argument;
}

const NAME = /^[A-Za-z_][A-Za-z0-9_.-]{0,63}$/;
const FORBIDDEN_NAMES = ["constructor", "prototype", "__proto__"];
const FLAG = /^-{1,2}[A-Za-z0-9][A-Za-z0-9_.-]*$/;
const TYPES = ["string", "integer", "number", "boolean", "array"] as const;
const LIMITS = ["minimum", "maximum", "minLength", "maxLength", "minItems", "maxItems"] as const;
/** Keywords by which a value could be what this project's schemas cannot say. */
const UNSUPPORTED = ["$ref", "oneOf", "anyOf", "allOf", "not", "if"];
const FORMS = {
  value: ["string", "integer", "number", "boolean"],
  list: ["array"],
  repeated: ["array"],
  switch: ["boolean"],
  negative_switch: ["boolean"],
  count: ["integer"],
  rest: ["array", "string"],
} as const satisfies Partial<Record<Argument["form"], readonly (typeof TYPES)[number][]>>;
type Form = keyof typeof FORMS;

export function fieldsOf(value: unknown): Fields | null {
  return typeof value === "object" && value !== null && !Array.isArray(value)
    ? new Map<string, unknown>(Object.entries(value))
    : null;
}

/** The property, or what is wrong with it: the rest of a sentence that begins with its name. */
export function propertyIn(name: string, written: unknown): SidecarProperty | string {
  if (!NAME.test(name) || FORBIDDEN_NAMES.includes(name))
    return 'cannot be one: write a letter, then letters, digits, "-", "_" or ".", at most 64';
  const fields = fieldsOf(written);
  if (fields === null) return "is no object";
  const schema = schemaOf(fields);
  if (typeof schema === "string") return schema;
  const argument = argumentOf(name, schema, fields.get("x-argument"));
  return typeof argument === "string" ? argument : { schema, argument };
}

function schemaOf(fields: Fields, isItem = false): PropertySchema | string {
  const unsupported = UNSUPPORTED.find((keyword) => fields.has(keyword));
  if (unsupported !== undefined)
    return `uses ${unsupported}, which is not read; write its type out`;
  const type = typeOf(fields);
  if (type === undefined)
    return `needs one type of ${TYPES.join(", ")}; an object cannot be written on a command line`;
  if (type === "array" && isItem) return "is a list of lists, which cannot be written";
  const schema: PropertySchema = { type };
  const description = fields.get("description");
  if (typeof description === "string") schema.description = oneLine(description);
  for (const limit of LIMITS) {
    const value = fields.get(limit);
    if (typeof value === "number") schema[limit] = value;
  }
  if (type === "array") {
    const items = schemaOf(fieldsOf(fields.get("items")) ?? new Map([["type", "string"]]), true);
    if (typeof items === "string") return `has items of which each ${items}`;
    schema.items = items;
  }
  return withValues(schema, fields);
}

function typeOf(fields: Fields): (typeof TYPES)[number] | undefined {
  const written = fields.get("type");
  // ["string", "null"]: a property that may be left out.
  const types = Array.isArray(written) ? written.filter((one) => one !== "null") : [written];
  return types.length === 1 ? TYPES.find((known) => known === types[0]) : undefined;
}

function withValues(schema: PropertySchema, fields: Fields): PropertySchema | string {
  const allowed: unknown = fields.get("enum");
  if (allowed !== undefined) {
    const values = Array.isArray(allowed) ? allowed.filter(isScalar) : [];
    if (values.length === 0 || !values.every((value) => fits({ ...schema }, value)))
      return "has an enum that is not a list of its own values, at least one";
    schema.enum = values;
  }
  const preset = fields.get("default") ?? null;
  if (preset === null) return schema;
  const value = isScalar(preset) ? preset : Array.isArray(preset) ? preset.filter(isScalar) : null;
  if (value === null || !fits(schema, value)) return "has a default that it would refuse itself";
  return { ...schema, default: value };
}

const isScalar = (value: unknown): value is Exclude<Json, null | Json[] | JsonObject> =>
  ["string", "number", "boolean"].includes(typeof value);

function argumentOf(name: string, schema: PropertySchema, written: unknown): Argument | string {
  const hints = written === undefined ? new Map<string, unknown>() : fieldsOf(written);
  if (hints === null) return 'has an "x-argument" that is no object';
  const flag = flagOf(name, hints);
  if (flag === undefined) return 'has a flag that is none: write "--name" or "-n"';
  const form = formOf(schema, flag === null, hints.get("form"));
  if (form === undefined)
    return `has a form that does not fit its type: ${formsFor(schema, flag === null).join(", ")}`;
  const canSeparate = flag !== null && (form === "value" || form === "repeated");
  return hints.get("separate") === true && canSeparate
    ? { name, flag, form, separate: true }
    : { name, flag, form };
}

/** null for a positional, undefined for what is no flag. */
function flagOf(name: string, hints: Fields): string | null | undefined {
  if (hints.get("positional") === true || hints.get("flag") === null) return null;
  const flag = hints.get("flag") ?? `--${name}`;
  return typeof flag === "string" && FLAG.test(flag) ? flag : undefined;
}

function formOf(schema: PropertySchema, isPositional: boolean, written: unknown): Form | undefined {
  const possible = formsFor(schema, isPositional);
  if (written !== undefined) return possible.find((form) => form === written);
  if (schema.type === "boolean" && !isPositional) return "switch";
  return schema.type === "array" && !isPositional ? "repeated" : possible[0];
}

const ALL_FORMS = Object.keys(FORMS) as Form[];

function formsFor({ type }: PropertySchema, isPositional: boolean): Form[] {
  const fitting = ALL_FORMS.filter((form) => FORMS[form].some((one) => one === type));
  return isPositional
    ? fitting.filter((form) => ["value", "list", "rest"].includes(form))
    : fitting;
}
