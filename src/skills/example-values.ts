import type { Json } from "../contracts/call.ts";
import type { PropertySchema } from "../session/offer.ts";
import { fits, lengthOf } from "./scripts/schema-value.ts";
import { oneLine } from "./text.ts";

const PADDING_MAX = 2_000;
const ITEMS_MAX = 32;
// What people would write there, by the words in a property's name, else in its description; the first match counts.
const EXAMPLES: readonly [words: RegExp, example: string][] = [
  [/url|uri\b|link|href/, "https://example.com"],
  [/e-?_?mail/, "ada@example.com"],
  [/folder|directory|\bdir\b/, "notes"],
  [/path|file/, "notes.txt"],
  [/date|\bday\b/, "2026-03-14"],
  [/zone|\btz\b/, "Europe/Berlin"],
  [/\btime\b|hour/, "09:30"],
  [/city|place\b|location|where/, "Berlin"],
  [/country/, "Germany"],
  [/language|\blang\b|locale/, "en"],
  [/currency/, "EUR"],
  [/query|search|term|keyword|pattern/, "tea"],
  [/question/, "Which one?"],
  [/reason|\bwhy\b/, "it fits best"],
  [/title|subject|topic/, "plan"],
  [/\btag|label|category/, "home"],
  [/colou?r/, "green"],
  [/\bunit/, "cm"],
  [/formula|expression|equation/, "2 + 3"],
];
// Words that say little; only looked at when nothing else is known.
const VAGUE_EXAMPLES: readonly [words: RegExp, example: string][] = [
  [/handle|user|author|name|\bwho\b/, "ada"],
  [/\bid\b|key/, "a1"],
  [/text|message|content|body|note|comment|prompt|line/, "Buy tea"],
];
const GIVEN_EXAMPLE =
  /\b(?:e\.g\.|for example|such as|example:|like)[,:]?\s+(?:"([^"]{1,60})"|'([^']{1,60})'|`([^`]{1,60})`|([^\s,;()"'`]{1,60}))/i;

/** A value that a property could have: its default or first choice, the example its description gives, or one like it. */
export function plausible(name: string, schema: PropertySchema): Json {
  const preset = schema.default;
  const says =
    preset !== undefined && preset !== "" && !(Array.isArray(preset) && preset.length === 0);
  if (says && fits(schema, preset)) return preset;
  const [choice] = schema.enum ?? [];
  if (choice !== undefined) return choice;
  if (schema.type === "boolean") return true;
  if (schema.type === "integer") return numberIn(schema, Math.ceil, Math.floor);
  if (schema.type === "number") return numberIn(schema, Number, Number);
  return schema.type === "array" ? listFor(name, schema) : textFor(name, schema);
}

function numberIn(
  { minimum, maximum }: PropertySchema,
  up: (value: number) => number,
  down: (value: number) => number,
): number {
  if (minimum !== undefined) return up(minimum);
  return maximum === undefined || maximum >= 1 ? 1 : down(maximum);
}

function listFor(name: string, { items = {}, minItems = 0, maxItems }: PropertySchema): Json[] {
  const length = Math.min(Math.max(minItems, maxItems === 0 ? 0 : 1), ITEMS_MAX);
  const value = plausible(name, items);
  return Array.from({ length }, () => value);
}

function textFor(name: string, schema: PropertySchema): string {
  const about = oneLine((schema.description ?? "").slice(0, 400));
  const given = givenIn(about);
  if (given !== undefined && fits(schema, given)) return given;
  const words = name
    .replace(/([a-z])([A-Z])/g, "$1 $2")
    .replace(/[_-]/g, " ")
    .toLowerCase();
  const example =
    exampleFor(EXAMPLES, words) ??
    exampleFor(EXAMPLES, about.toLowerCase()) ??
    exampleFor(VAGUE_EXAMPLES, words);
  return ofLength(example ?? "tea", schema);
}

function exampleFor(examples: typeof EXAMPLES, words: string): string | undefined {
  return examples.find(([pattern]) => pattern.test(words))?.[1];
}

/** What a description gives as its example. After "like" only what looks like a value: "like *.md", not "like this". */
function givenIn(about: string): string | undefined {
  const [whole = "", ...groups] = GIVEN_EXAMPLE.exec(about) ?? [];
  const bare = groups[3]?.replace(/[.]$/, "");
  const vague = /^like/i.test(whole) && bare !== undefined && !/[\d*./@]/.test(bare);
  return vague ? undefined : (groups.slice(0, 3).find((group) => group !== undefined) ?? bare);
}

function ofLength(text: string, { minLength = 0, maxLength }: PropertySchema): string {
  const missing = Math.min(minLength - lengthOf(text), PADDING_MAX);
  const long = missing > 0 ? text + "x".repeat(missing) : text;
  return maxLength === undefined ? long : Array.from(long).slice(0, maxLength).join("");
}
