import type { Expression, ObjectExpression } from "acorn";
import type { Json, JsonObject } from "../../contracts/call.ts";
import { nearest } from "../../contracts/nearest.ts";
import type { Effect } from "../../session/entry.ts";
import type { Remark } from "../frontmatter-lines.ts";
import { interfaceOf, type WrittenOptions } from "./node-options.ts";
import { readEntries, readLiteral } from "./script-literals.ts";
import {
  type Source,
  leadingComment,
  parseScript,
  placeOf,
  readsArguments,
} from "./script-source.ts";
import type { ScriptReading, ScriptTool } from "./script-reading.ts";
import { cutAtWord, oneLine } from "../text.ts";

const DESCRIPTION_LENGTH_MAX = 1_024;
const EFFECTS: readonly Effect[] = ["read", "write", "destructive"];

const error = (code: string, message: string): Remark => ({ level: "error", code, message });
const warning = (code: string, message: string): Remark => ({ level: "warning", code, message });

/**
 * Reads what a Node script takes on the command line from its exported constants `description`, `effect` and `options`.
 * Only the syntax tree is looked at: the script is neither imported nor run. Never throws.
 */
export function readNodeScript(file: string, source: string): ScriptReading {
  const parsed = parseScript(source);
  if ("fault" in parsed) return { file, tools: [], diagnostics: [parsed.fault], unknown: [] };
  const { remarks } = parsed;
  const tool = toolOf(parsed);
  return { file, tools: tool ? [tool] : [], diagnostics: remarks, unknown: [] };
}

function toolOf(source: Source): ScriptTool | null {
  const options = source.exported.get("options");
  if (!options) return withoutOptions(source);
  const written = readOptions(options, source);
  if (written === null) return null;
  const { schema, arguments: all, faults, warnings } = interfaceOf(written);
  source.remarks.push(...warnings.map((message) => warning("unknown_key", `${message}.`)));
  source.remarks.push(...faults.map((message) => error("bad_option", `No tool: ${message}.`)));
  if (faults.length > 0) return null;
  return {
    command: [],
    description: descriptionOf(source),
    schema,
    effect: effectOf(source),
    exclusive: [],
    arguments: all,
  };
}

function withoutOptions(source: Source): ScriptTool | null {
  if (!readsArguments(source)) {
    const message =
      "No tool: the script exports no options. Write `export const options = { … }` as node:util parseArgs takes them, `{}` for a script without arguments.";
    source.remarks.push(warning("no_command_line", message));
    return null;
  }
  const message =
    "The script reads process.argv itself, so its arguments are not known; export `options` to name them.";
  source.remarks.push(warning("arguments_unclear", message));
  const args = {
    type: "array",
    items: { type: "string" },
    description: "The words of the command line, one an item.",
  } as const;
  return {
    command: [],
    description: descriptionOf(source),
    schema: { type: "object", properties: { args }, required: [], additionalProperties: false },
    effect: effectOf(source),
    exclusive: [],
    arguments: [{ name: "args", flag: null, form: "rest" }],
  };
}

/** The options as written, or null with a remark when one of them would have to be computed. */
function readOptions(node: Expression, source: Source): WrittenOptions | null {
  const unclear = (what: string, place: number) => {
    source.remarks.push(
      error(
        "arguments_unclear",
        `No tool: ${what} is computed (${placeOf(source, place)}). Write the values out.`,
      ),
    );
    return null;
  };
  if (node.type !== "ObjectExpression") return unclear("options", node.start);
  const outer = readEntries(node);
  if (!outer.ok) return unclear("a key of options", outer.place);
  const options = new Map<string, JsonObject>();
  for (const { key: name, value } of outer.entries) {
    const shown = `options.${oneLine(name).slice(0, 80)}`;
    if (value.type !== "ObjectExpression") return unclear(shown, value.start);
    const read = readOption(value, shown, source);
    if ("unclear" in read) return unclear(read.unclear, read.place);
    options.set(name, read.option);
  }
  return [...options].map(([name, option]) => ({ name, option }));
}

function readOption(
  node: ObjectExpression,
  shown: string,
  source: Source,
): { option: JsonObject } | { unclear: string; place: number } {
  const inner = readEntries(node);
  if (!inner.ok) return { unclear: `a key of ${shown}`, place: inner.place };
  const option = new Map<string, Json>();
  for (const { key, value } of inner.entries) {
    const reading = readLiteral(value);
    if (reading.ok) option.set(key, reading.value);
    else if (key === "default" || key === "description") {
      // Neither changes what may be written on the command line.
      const where = placeOf(source, reading.place);
      source.remarks.push(
        warning("arguments_unclear", `${shown}.${key} is computed (${where}) and left out.`),
      );
    } else return { unclear: `${shown}.${oneLine(key).slice(0, 40)}`, place: reading.place };
  }
  return { option: Object.fromEntries(option) };
}

function effectOf(source: Source): Effect {
  const node = source.exported.get("effect");
  if (!node) return "write";
  const reading = readLiteral(node);
  const effect = EFFECTS.find((known) => reading.ok && reading.value === known);
  if (effect) return effect;
  const found = reading.ok ? oneLine(JSON.stringify(reading.value)).slice(0, 40) : "computed";
  const meant =
    reading.ok && typeof reading.value === "string" ? nearest(reading.value, EFFECTS) : undefined;
  const hint = meant === undefined ? "" : ` Did you mean "${meant}"?`;
  const message = `effect is ${found}; expected "read", "write" or "destructive".${hint} The script is taken for "destructive", so that it is asked for.`;
  source.remarks.push(warning("bad_effect", message));
  return "destructive";
}

function descriptionOf(source: Source): string {
  const node = source.exported.get("description");
  const reading = node && readLiteral(node);
  const written =
    reading?.ok && typeof reading.value === "string" ? reading.value : leadingComment(source);
  const description = cutAtWord(oneLine(written), DESCRIPTION_LENGTH_MAX);
  if (description === "") {
    source.remarks.push(
      warning("no_description", 'no description; write `export const description = "…"`'),
    );
  }
  return description;
}
