/**
 * A JSON Schema beside a script, which says what the script takes in whatever language it is written.
 *
 * The file is the schema itself, or an object with a `description`, an `effect` and the schema as `input`, `parameters`,
 * `inputSchema` or `input_schema`. A property is written as `--name=value` (a boolean as `--name`, a list as one
 * `--name=value` for each item), unless its "x-argument" says otherwise: { flag, form, positional, separate }.
 */
import type { Effect } from "../../session/entry.ts";
import type { InputSchema } from "../../session/offer.ts";
import type { Argument } from "../skill.ts";
import { cutAtWord, oneLine } from "../text.ts";
import type { ScriptReading, ScriptTool } from "./script-reading.ts";
import { type Fields, fieldsOf, propertyIn, type SidecarProperty } from "./sidecar-property.ts";

const EFFECTS: readonly Effect[] = ["read", "write", "destructive"];
const SCHEMA_KEYS = ["input", "parameters", "inputSchema", "input_schema"];
const DESCRIPTION_LENGTH_MAX = 1_024;
const PROPERTIES_MAX = 64;
const FAULTS_SHOWN_MAX = 5;

/** What a sidecar means for its script, or what is wrong with it, in sentences. Never throws. */
export function readSidecar(
  file: string,
  text: string,
): { ok: true; reading: ScriptReading } | { ok: false; faults: string[] } {
  const root = rootOf(text);
  if (root === null) return { ok: false, faults: ["it is not a JSON object"] };
  const schema = schemaIn(root);
  if (schema === null)
    return { ok: false, faults: ['it holds no schema with type "object" and properties'] };
  const faults: string[] = [];
  const properties = propertiesIn(schema, faults);
  const required = requiredIn(schema, properties, faults);
  faults.push(...orderFaults(properties, required));
  const effect = effectIn(root, faults);
  if (faults.length > 0) return { ok: false, faults: faults.slice(0, FAULTS_SHOWN_MAX) };
  const program = file.split(/[\\/]/).at(-1) ?? file;
  const written = [root.get("description"), schema.get("description")].find(
    (one) => typeof one === "string" && one.trim() !== "",
  );
  const description = typeof written === "string" ? written : `Runs the program ${program}.`;
  const tool: ScriptTool = {
    command: [],
    description: cutAtWord(oneLine(description), DESCRIPTION_LENGTH_MAX),
    schema: inputSchema(properties, required),
    effect,
    exclusive: [],
    arguments: properties.map(({ argument }) => argument),
  };
  return { ok: true, reading: { file, tools: [tool], diagnostics: [], unknown: [] } };
}

/** Whether a JSON file is meant to be one; `x.json` beside `x.py` may be its data. */
export function looksLikeSidecar(text: string): boolean {
  const root = rootOf(text);
  return root !== null && schemaIn(root) !== null;
}

/** The remark for a sidecar that cannot be used. */
export function sidecarRemark(
  name: string,
  faults: readonly string[],
  instead: "no_tool" | "source",
): ScriptReading["diagnostics"][number] {
  const then =
    instead === "source" ? "It is not used, and the script's own source was read" : "No tool";
  const message = `${then}: ${oneLine(name)}: ${faults.map((fault) => oneLine(fault)).join("; ")}. Correct it.`;
  return { level: instead === "source" ? "warning" : "error", code: "bad_sidecar", message };
}

function rootOf(text: string): Fields | null {
  try {
    return fieldsOf(JSON.parse(text.replace(/^\uFEFF/, "")));
  } catch {
    return null;
  }
}

/** The schema of a tool, also of one in the form of a function for a model's service. */
function schemaIn(root: Fields): Fields | null {
  const outer = fieldsOf(root.get("function")) ?? root;
  const named = SCHEMA_KEYS.map((key) => fieldsOf(outer.get(key))).find((one) => one !== null);
  const schema = named ?? outer;
  const isObject = schema.get("type") === "object" || (named !== undefined && !schema.has("type"));
  return isObject && fieldsOf(schema.get("properties") ?? {}) !== null ? schema : null;
}

function propertiesIn(schema: Fields, faults: string[]): SidecarProperty[] {
  const written = fieldsOf(schema.get("properties") ?? {}) ?? new Map<string, unknown>();
  if (written.size > PROPERTIES_MAX)
    faults.push(`there are ${written.size} properties, at most ${PROPERTIES_MAX} are read`);
  return [...written].slice(0, PROPERTIES_MAX).flatMap(([name, value]) => {
    const read = propertyIn(name, value);
    if (typeof read !== "string") return [read];
    faults.push(`the property ${JSON.stringify(name.slice(0, 80))} ${read}`);
    return [];
  });
}

function requiredIn(
  schema: Fields,
  properties: readonly SidecarProperty[],
  faults: string[],
): string[] {
  const written = schema.get("required") ?? [];
  if (!Array.isArray(written)) {
    faults.push('"required" is no list of names');
    return [];
  }
  const names = written.filter((name): name is string => typeof name === "string");
  const unknown = names.filter(
    (name) => !properties.some(({ argument }) => argument.name === name),
  );
  if (unknown.length > 0 && faults.length === 0)
    faults.push(`"required" names what is no property: ${unknown.slice(0, 5).join(", ")}`);
  return [...new Set(names)];
}

/** Positionals are filled from the left, and a list takes all that is left. */
function orderFaults(
  properties: readonly SidecarProperty[],
  required: readonly string[],
): string[] {
  const positionals = properties
    .map(({ argument }) => argument)
    .filter(({ flag }) => flag === null);
  return positionals.flatMap((one, index) => {
    const before = positionals[index - 1];
    if (!before) return [];
    if (takesRest(before))
      return [`"${one.name}" comes after a positional that takes all the rest`];
    return required.includes(one.name) && !required.includes(before.name)
      ? [`"${one.name}" is a required positional after one that is not`]
      : [];
  });
}

const takesRest = ({ form }: Argument) => form === "list" || form === "rest";

function effectIn(root: Fields, faults: string[]): Effect {
  const written = root.get("effect") ?? "write";
  const effect = EFFECTS.find((known) => known === written);
  if (effect === undefined) faults.push('"effect" is neither "read", "write" nor "destructive"');
  return effect ?? "destructive";
}

function inputSchema(
  properties: readonly SidecarProperty[],
  required: readonly string[],
): InputSchema {
  return {
    type: "object",
    properties: Object.fromEntries(
      properties.map(({ argument, schema }) => [argument.name, schema]),
    ),
    required: [...required],
    additionalProperties: false,
  };
}
