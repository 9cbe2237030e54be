import type { Call, Json } from "../contracts/call.ts";
import type { InputSchema, OfferedTool, PropertySchema } from "../session/offer.ts";
import { plausible } from "./example-values.ts";
import { firstSentence, oneLine } from "./text.ts";

const LINE_LENGTH_MAX = 120; // with property descriptions; without them a line is as long as its properties need
const SENTENCE_LENGTH_MAX = 80;
const NOTE_LENGTH_MAX = 60;
const ENUM_VALUES_MAX = 12;
const OPTIONAL_MAX = 12;

/**
 * A tool in one line for the prompt: `read_file path* max_lines(integer 1-2000) – Reads one text file.` Required
 * properties come first and have a star; text is the type that is not written. What a property means is told in its
 * parentheses as long as the line stays within 120 characters.
 */
export function toolLine(tool: OfferedTool): string {
  const properties = inOrder(tool.schema);
  const sentence = firstSentence(tool.description, SENTENCE_LENGTH_MAX);
  const tail = sentence === "" ? "" : ` – ${sentence}`;
  const words = properties.shown.map(({ name, schema }) => wordOf(name, schema, tool.schema, ""));
  let room = LINE_LENGTH_MAX - [tool.name, ...words].join(" ").length - tail.length;
  for (const [index, { name, schema }] of properties.shown.entries()) {
    const noted = wordOf(name, schema, tool.schema, noteOf(name, schema));
    const growth = noted.length - (words[index] ?? "").length;
    if (growth > room) continue;
    words[index] = noted;
    room -= growth;
  }
  const more = properties.hidden === 0 ? [] : [`(+${properties.hidden} optional)`];
  return `${[tool.name, ...words, ...more].join(" ")}${tail}`;
}

/**
 * A call of the tool as it might be meant: valid for its schema, with the required properties only, or the first
 * optional one where none is required. (Texts longer than 2,000 characters are not made up.)
 */
export function exampleCall(tool: OfferedTool): Call {
  const { shown } = inOrder(tool.schema);
  const required = shown.filter(({ name }) => tool.schema.required.includes(name));
  const chosen = required.length > 0 ? required : shown.slice(0, 1);
  const values = chosen.map(({ name, schema }): [string, Json] => [name, plausible(name, schema)]);
  return { name: tool.name, input: Object.fromEntries(values) };
}

/** Required properties first, then the optional ones that are shown. */
function inOrder({ properties, required }: InputSchema) {
  const all = Object.entries(properties).map(([name, schema]) => ({ name, schema }));
  const needed = all.filter(({ name }) => required.includes(name));
  const optional = all.filter(({ name }) => !required.includes(name));
  return {
    shown: [...needed, ...optional.slice(0, OPTIONAL_MAX)],
    hidden: Math.max(0, optional.length - OPTIONAL_MAX),
  };
}

function wordOf(
  name: string,
  schema: PropertySchema,
  { required }: InputSchema,
  note: string,
): string {
  const star = required.includes(name) ? "*" : "";
  const inside = [kindOf(schema), note].filter((part) => part !== "").join("; ");
  return `${written(name)}${star}${inside === "" ? "" : `(${inside})`}`;
}

/** Type and limits in as few words as say them; "" for a text of any length. */
function kindOf(schema: PropertySchema): string {
  if (schema.enum) return enumOf(schema.enum);
  if (schema.type === "boolean") return "true|false";
  if (schema.type === "array") return listOf(schema);
  if (schema.type === "integer" || schema.type === "number") {
    return `${schema.type}${rangeOf(" ", schema.minimum, schema.maximum)}`;
  }
  return textKind(schema);
}

function enumOf(values: readonly Json[]): string {
  const shown = values
    .slice(0, ENUM_VALUES_MAX)
    .map((value) => (typeof value === "string" ? written(value) : JSON.stringify(value)));
  return `${shown.join("|")}${values.length > ENUM_VALUES_MAX ? "|…" : ""}`;
}

function listOf({ items, minItems, maxItems }: PropertySchema): string {
  const of = items ? kindOf(items) : "";
  return `list${rangeOf(" ", minItems === 0 ? undefined : minItems, maxItems)}${of === "" ? "" : ` of ${of}`}`;
}

function textKind({ minLength, maxLength }: PropertySchema): string {
  // That a text must not be empty goes without saying.
  const least = minLength !== undefined && minLength > 1 ? minLength : undefined;
  const range = rangeOf("", least, maxLength);
  return least !== undefined && maxLength !== undefined ? `${range} characters` : range;
}

function rangeOf(before: string, least: number | undefined, most: number | undefined): string {
  if (least !== undefined && most !== undefined)
    return `${before}${least === most ? least : `${least}-${most}`}`;
  if (least !== undefined) return `${before}min ${least}`;
  return most === undefined ? "" : `${before}max ${most}`;
}

/** What the description adds to the name, if it is short. */
function noteOf(name: string, { description = "" }: PropertySchema): string {
  if (description.length > 4 * NOTE_LENGTH_MAX) return "";
  const note = oneLine(description).replace(/\.$/, "");
  return note.length > NOTE_LENGTH_MAX || lettersOf(note) === lettersOf(name) ? "" : note;
}

function lettersOf(text: string): string {
  return text
    .toLowerCase()
    .replace(/^(?:the|an?) /, "")
    .replace(/[^\p{L}\p{N}]/gu, "");
}

/** A name or value as it is, or in quotes where it could be taken for something else. */
function written(text: string): string {
  return /^[^\s"'()|*,;\p{C}]+$/u.test(text) ? text : oneLine(JSON.stringify(text));
}
