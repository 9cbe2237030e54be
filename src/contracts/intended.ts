import type { Call, Json, JsonObject } from "./call.ts";
import { parseJson } from "./json.ts";
import { clip } from "./quote.ts";

const REPLY_CHARS_MAX = 8_000;
const TOOLS_MAX = 200;
const PARAMETERS_MAX = 40;
const NESTED_CHARS_MAX = 160;
const SCHEMA = /["']type["']\s*:\s*["'](?:string|object|integer|number|boolean|array)["']/;
const STRING = String.raw`"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'`;

/** A tool as far as its name and its parameters' names. */
export interface KnownTool {
  name: string;
  parameters: readonly string[];
}

/**
 * What a badly written reply seems to have meant, to show the model a correct form with its own values: a known tool
 * in a place where some notation has a call, and the known parameters with their values. Long values are clipped. It is
 * a guess and must never be run. Null when no tool was clearly meant, or a value cannot be made out. Never throws.
 */
export function intendedCall(reply: string, tools: readonly KnownTool[]): Call | null {
  const text = reply.slice(0, REPLY_CHARS_MAX);
  if (SCHEMA.test(text)) return null; // a tool's description repeated, not a call
  const known = tools.slice(0, TOOLS_MAX).filter(({ name }) => name !== "");
  return callInJson(text, known) ?? callInText(text, known);
}

/** The first call in JSON that is whole, wherever it stands. */
function callInJson(text: string, tools: readonly KnownTool[]): Call | null {
  const start = text.search(/[{[]/);
  if (start < 0) return null;
  const end = Math.max(text.lastIndexOf("}"), text.lastIndexOf("]")) + 1;
  const json = parseJson(text.slice(start, end));
  if (!json.ok) return null;
  const outer = isObject(json.value)
    ? firstOf(json.value, ["tool_use", "tool_calls", "function"], json.value)
    : json.value;
  const call = Array.isArray(outer) ? outer[0] : outer;
  if (!isObject(call)) return null;
  const given = firstOf(call, ["input", "arguments", "parameters"]);
  const tool = tools.find(({ name }) => name === call["name"]);
  const input = tool && isObject(given) ? knownArguments(given, tool) : null;
  return tool && input ? { name: tool.name, input } : null;
}

function firstOf(object: JsonObject, keys: readonly string[], otherwise: Json = null): Json {
  const key = keys.find((candidate) => Object.hasOwn(object, candidate));
  return (key === undefined ? undefined : object[key]) ?? otherwise;
}

/** The arguments whose names are known; null when one is too long to be shown whole. */
function knownArguments(given: JsonObject, tool: KnownTool): JsonObject | null {
  const input: JsonObject = {};
  for (const parameter of tool.parameters) {
    const item = Object.hasOwn(given, parameter) ? given[parameter] : undefined;
    if (item === undefined) continue;
    if (typeof item === "object" && JSON.stringify(item).length > NESTED_CHARS_MAX) return null;
    input[parameter] = typeof item === "string" ? clip(item) : item;
  }
  return input;
}

function callInText(text: string, tools: readonly KnownTool[]): Call | null {
  const [first, second] = mentionsOf(text, tools);
  if (!first) return null;
  // Arguments follow the name up to the next call; in JSON they may also come before it.
  const scope = second ? text.slice(first.at, second.at) : text.slice(first.isJson ? 0 : first.at);
  const input = argumentsIn(scope, first.tool);
  return input && { name: first.tool.name, input };
}

interface Mention {
  tool: KnownTool;
  at: number;
  isJson: boolean;
}

/** The places where a known tool is called, in any notation. */
function mentionsOf(text: string, tools: readonly KnownTool[]): Mention[] {
  if (tools.length === 0) return [];
  // Longer names first, so that "read" is not found in "read_note".
  const names = tools.map(({ name }) => escaped(name)).toSorted((a, b) => b.length - a.length);
  const name = `(${names.join("|")})(?![\\w-])`;
  const pattern = new RegExp(
    [
      `["'](?:name|tool|tool_name|function|action)["']\\s*:\\s*["']${name}`,
      `[{,]\\s*["']${name}["']\\s*:\\s*\\{`,
      `<function=${name}`,
      `\\bname\\s*=\\s*["']${name}`,
      `<${name}\\s*/?>`,
      `(?:\\bcall:|\\bAction:[ \\t]*|^[ \\t]*CALL[ \\t]+|\\[TOOL_CALLS\\]\\s*)${name}`,
      `(?<![\\w.])(?:\\w{1,32}\\.)?${name}\\(`,
    ].join("|"),
    "gm",
  );
  return [...text.matchAll(pattern)].flatMap((match) => {
    const index = match.slice(1).findIndex((group) => group !== undefined);
    const tool = tools.find(({ name: candidate }) => candidate === match[index + 1]);
    return tool ? [{ tool, at: match.index, isJson: index === 0 }] : [];
  });
}

/** The known arguments; null when one of them is there and its value cannot be made out. */
function argumentsIn(scope: string, tool: KnownTool): JsonObject | null {
  // Arguments as JSON inside a JSON string: {"arguments": "{\"city\": \"Oslo\"}"}
  const inner = /["'](?:arguments|input|parameters)["']\s*:\s*("(?:[^"\\]|\\.)*")/.exec(scope)?.[1];
  const text = inner === undefined ? scope : `${scope} ${unquoted(inner)}`;
  const input: JsonObject = {};
  for (const parameter of tool.parameters.slice(0, PARAMETERS_MAX)) {
    if (parameter === "__proto__") return null;
    const value = valueOf(parameter, text);
    if (value !== undefined) input[parameter] = value;
    else if (isGiven(parameter, text)) return null;
  }
  return input;
}

/** The value of one parameter, in the first notation that has it. */
function valueOf(parameter: string, text: string): Json | undefined {
  const key = escaped(parameter);
  const element = new RegExp(
    `<parameter(?:=|\\s+name\\s*=\\s*)["']?${key}["']?\\s*>([^<]*)<|<${key}>([^<]*)</${key}>`,
  ).exec(text);
  if (element) return scalar((element[1] ?? element[2] ?? "").trim());
  const token = new RegExp(`\\b${key}\\s*[:=]\\s*<\\|"\\|>([^<]*)<\\|"\\|>`).exec(text);
  if (token) return clip(token[1] ?? "");
  const pair = new RegExp(
    `(?:["']${key}["']|(?<![\\w"'.-])${key})\\s*[:=]\\s*(?:(${STRING})(?=[\\s,;)}\\]>]|$)|([^\\s,;(){}\\[\\]"'<>]+))`,
  ).exec(text);
  if (pair?.[1] !== undefined) return clip(unquoted(pair[1]));
  return pair?.[2] === undefined ? undefined : scalar(pair[2]);
}

function isGiven(parameter: string, text: string): boolean {
  const key = escaped(parameter);
  return new RegExp(
    `["']${key}["']\\s*:|(?<![\\w"'.-])${key}=|<${key}>|<parameter[^<>]{0,20}${key}`,
  ).test(text);
}

/** A JSON number or boolean as what it says, everything else as text. */
function scalar(written: string): Json {
  const json = parseJson(written);
  if (json.ok && (typeof json.value === "number" || typeof json.value === "boolean"))
    return json.value;
  return /^(?:True|False)$/.test(written) ? written === "True" : clip(written);
}

/** The content of a quoted text; where it has an escape that does not exist, the characters as they stand. */
function unquoted(written: string): string {
  const inside = written.slice(1, -1);
  const content = written.startsWith("'")
    ? inside.replaceAll(String.raw`\'`, "'").replaceAll('"', String.raw`\"`)
    : inside;
  const json = parseJson(`"${content}"`);
  return json.ok && typeof json.value === "string" ? json.value : inside;
}

function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function escaped(name: string): string {
  return name.replace(/[.*+?^${}()|[\]\\/-]/g, String.raw`\$&`);
}
