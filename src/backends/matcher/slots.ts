import type { Json } from "../../contracts/call.ts";
import type { PropertySchema } from "../../session/offer.ts";
import type { Tool } from "../../skills/skill.ts";
import { looksLikeFile, type Token } from "./tokens.ts";
import { isNeverFolder, stem, stemsOf } from "./words.ts";

/** What kind of text fills a property: decided by its schema, its name and its description. */
export type SlotKind =
  | "file"
  | "folder"
  | "glob"
  | "file_name"
  | "content"
  | "text"
  | "number"
  | "enum"
  | "boolean"
  | "none";

/** A property of a tool, as something that a piece of a request can fill. */
export interface Slot {
  name: string;
  kind: SlotKind;
  schema: PropertySchema;
  isRequired: boolean;
  /** The words of its name, as they are and as stems. */
  words: string[];
  stems: string[];
  /** Nouns that may stand beside its value: "the file notes.txt", "the docs folder". */
  nouns: ReadonlySet<string>;
}

/** What was taken from a request for a property, and how many tokens it spans. */
export interface Taken {
  value: Json;
  length: number;
}

const nounsOfKind: Partial<Record<SlotKind, string>> = {
  file: "file document text new",
  file_name: "file document name",
  folder: "folder",
  content: "text content word line message",
};

function nounsOf(name: string, kind: SlotKind): ReadonlySet<string> {
  if (kind === "number" || kind === "boolean") return new Set();
  return new Set(stemsOf(nounsOfKind[kind] ?? name.replaceAll(/[_-]/g, " ")));
}

export function slotsOf(tool: Tool): Slot[] {
  return Object.entries(tool.schema.properties).map(([name, schema]) => {
    const kind = kindOf(name, schema);
    return {
      name,
      kind,
      schema,
      isRequired: tool.schema.required.includes(name),
      words: wordsOf(name),
      stems: stemsOf(name.replaceAll(/[_-]/g, " ")),
      nouns: nounsOf(name, kind),
    };
  });
}

const wordsOf = (name: string) => name.toLowerCase().split(/[_-]/);

function kindOf(name: string, schema: PropertySchema): SlotKind {
  if (schema.enum && schema.enum.length > 0)
    return schema.enum.every((value) => typeof value === "string") ? "enum" : "none";
  if (schema.type === "boolean") return "boolean";
  if (schema.type === "integer" || schema.type === "number") return "number";
  if (schema.type === "array") return "none";
  return kindOfText(wordsOf(name), (schema.description ?? "").toLowerCase());
}

function kindOfText(name: string[], description: string): SlotKind {
  const isNamed = (...words: string[]) => words.some((word) => name.includes(word));
  const saysFile = /\bfiles?\b/.test(description);
  const saysFolder = /\b(?:folder|directory)\b/.test(description);
  if (isNamed("glob", "pattern")) return "glob";
  if (isNamed("folder", "directory", "dir")) return "folder";
  if (isNamed("content", "contents", "text", "body", "message")) return "content";
  if (isNamed("path", "file", "filename")) return saysFolder && !saysFile ? "folder" : "file";
  if (isNamed("name")) return saysFile ? "file_name" : "text";
  return /\bpath\b/.test(description) ? "file" : "text";
}

/** What the tokens from `at` on give for the slot, if they can fill it. Nothing is guessed: the first form that fits. */
export function take(slot: Slot, tokens: readonly Token[], at: number): Taken | undefined {
  const token = tokens[at];
  if (!token) return undefined;
  if (slot.kind === "enum") return takeEnum(slot.schema.enum ?? [], tokens, at);
  const value = valueFor(slot, token);
  return value === undefined || !fits(value, slot.schema) ? undefined : { value, length: 1 };
}

function valueFor(slot: Slot, token: Token): string | number | undefined {
  switch (token.kind) {
    case "quoted":
      return quotedFor(slot.kind, token.text);
    case "path":
      return pathFor(slot.kind, token);
    case "glob":
      return slot.kind === "glob" || (slot.kind === "file_name" && takesPatterns(slot))
        ? token.text
        : undefined;
    case "number":
      return slot.kind === "number" && isNumberFor(slot.schema, token.value)
        ? token.value
        : undefined;
    case "word":
    case "unclear":
      return undefined;
  }
}

function quotedFor(kind: SlotKind, text: string): string | undefined {
  if (kind === "content") return text;
  const isOneLine = text.trim() !== "" && !/[\r\n]/.test(text);
  return isOneLine && isQuotedFor(kind, text) ? text : undefined;
}

function isQuotedFor(kind: SlotKind, text: string): boolean {
  const isPattern = text.includes("*");
  if (kind === "text") return true;
  if (kind === "glob") return isPattern;
  // A quoted pattern is no name, and a tool for one file must never be given it.
  if (kind === "folder") return !isPattern;
  // `print "hello"` names no file; `read "my notes.txt"` and `read "my/notes"` do.
  const isName = looksLikeFile(text) || /[^/\\][/\\][^/\\]/.test(text);
  return isName && !isPattern && (kind === "file" || kind === "file_name");
}

function pathFor(
  kind: SlotKind,
  { text, form }: Extract<Token, { kind: "path" }>,
): string | undefined {
  if (kind === "folder") return form === "file" ? undefined : text;
  return (kind === "file" || kind === "file_name") && form !== "folder" ? text : undefined;
}

const takesPatterns = ({ schema }: Slot) => /pattern|glob|\*/.test(schema.description ?? "");

function isNumberFor({ type, minimum, maximum }: PropertySchema, value: number): boolean {
  if (type === "integer" && !Number.isSafeInteger(value)) return false;
  return value >= (minimum ?? 0) && value <= (maximum ?? Number.MAX_SAFE_INTEGER);
}

function fits(value: string | number, { minLength, maxLength }: PropertySchema): boolean {
  if (typeof value === "number") return true;
  const length = Array.from(value).length;
  return length >= (minLength ?? 0) && length <= (maxLength ?? Infinity);
}

const ENUM_WORDS_MAX = 3;

/** "knock knock", "knock-knock" and "knock-knocks" are the value "knock-knock"; "tell dad a joke" speaks of no dad joke. */
function takeEnum(all: readonly Json[], tokens: readonly Token[], at: number): Taken | undefined {
  const values = all.filter((value) => typeof value === "string");
  for (let length = ENUM_WORDS_MAX; length > 0; length -= 1) {
    const words = tokens.slice(at, at + length).map(plainWord);
    const next = tokens[at + length];
    if (words.length < length || words.includes("") || (next?.kind === "word" && next.isLed))
      continue;
    const wanted = bare(words.join(""));
    const isMeant = (value: string) => bare(value) === wanted || stem(bare(value)) === stem(wanted);
    const value = values.find(isMeant);
    if (value !== undefined) return { value, length };
  }
  return undefined;
}

const plainWord = (token: Token) =>
  token.kind === "word" && !token.word.includes("'") ? token.word : "";
const bare = (text: string) => text.toLowerCase().replaceAll(/[^\p{L}\p{N}]/gu, "");

/** A folder's bare name, as in "in docs": a plain word that is none of the words people use after "in". */
export function takeBareFolder(token: Token | undefined): string | undefined {
  if (token?.kind !== "word" || isNeverFolder(token.text)) return undefined;
  return /^[\p{L}\p{N}][\p{L}\p{M}\p{N}_-]*$/u.test(token.text) ? token.text : undefined;
}

const isNamePart = (token: Token | undefined) =>
  token?.kind === "word" && /^\p{Lu}/u.test(token.text) && token.text !== "I";

/** A capitalised name of one to four words, as in "in New York". */
export function takeProperName(tokens: readonly Token[], at: number): Taken | undefined {
  let length = 0;
  while (length < 4 && isNamePart(tokens[at + length])) length += 1;
  if (length === 0) return undefined;
  return {
    value: tokens
      .slice(at, at + length)
      .map(({ text }) => text)
      .join(" "),
    length,
  };
}
