import { LineCounter, isMap, isScalar, parseDocument } from "yaml";
import { isMapping } from "./frontmatter-lines.ts";
import { visible } from "./text.ts";

const FLOW_DEPTH_MAX = 16;
const INDENT_MAX = 60;

/** The keys of a text and which of them it has twice; or the line, counted from 1, that is not YAML. */
export type YamlReading =
  | { ok: true; value: Record<string, unknown>; doubled: string[] }
  | { ok: false; line: number; reason: string };

/**
 * Reads a list of keys as YAML in which every scalar stays the text that was written (1.10 is not 1.1). Never throws.
 * Aliases are refused, and so is nesting that no skill needs.
 */
export function readYaml(text: string): YamlReading {
  const deep = deepLine(text);
  if (deep > 0) return { ok: false, line: deep, reason: "nested too deeply" };
  const counter = new LineCounter();
  try {
    const document = parseDocument(text, {
      schema: "failsafe",
      uniqueKeys: false,
      prettyErrors: false,
      logLevel: "error",
      lineCounter: counter,
    });
    const [first] = document.errors;
    if (first)
      return {
        ok: false,
        line: counter.linePos(first.pos[0]).line,
        reason: visible(first.message),
      };
    const value: unknown = document.toJS({ maxAliasCount: 0 });
    if (!isMapping(value)) return { ok: false, line: 2, reason: "not a list of keys" };
    if (isMapping(value["description"]) || isMapping(value["name"])) {
      return { ok: false, line: 2, reason: "name and description must be text" };
    }
    return {
      ok: true,
      value,
      doubled: isMap(document.contents) ? doubledKeys(document.contents.items) : [],
    };
  } catch {
    // The one thing that is only found while values are made: a reference to another value, or a glob taken for one.
    const line = text.split("\n").findIndex((each) => /[:,[-][ \t]*\*/.test(each)) + 1;
    return { ok: false, line: Math.max(line, 2), reason: 'a value that begins with "*"' };
  }
}

/**
 * The first line that could nest further than a skill ever does, or 0. `yaml` takes minutes over some thousand nested
 * keys, and at the end of its stack the regex engine takes the whole process down: nothing one could catch.
 */
function deepLine(text: string): number {
  let depth = 0;
  for (const [index, line] of text.split("\n").entries()) {
    const [prefix = ""] = /^(?:[ \t]|[?:-](?=[ \t]))*/.exec(line) ?? [];
    for (const character of line) {
      if (character === "[" || character === "{") depth += 1;
      else if ((character === "]" || character === "}") && depth > 0) depth -= 1;
      if (depth > FLOW_DEPTH_MAX) return index + 1;
    }
    if (prefix.length > INDENT_MAX) return index + 1;
  }
  return 0;
}

function doubledKeys(pairs: readonly { key: unknown }[]): string[] {
  const keys = pairs
    .map(({ key }) => (isScalar(key) ? String(key.value) : ""))
    .filter((key) => key !== "");
  const seen = new Set<string>();
  return [...new Set(keys.filter((key) => seen.size === seen.add(key).size))];
}
