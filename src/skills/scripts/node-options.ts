import type { Json, JsonObject } from "../../contracts/call.ts";
import { nearest } from "../../contracts/nearest.ts";
import type { InputSchema, PropertySchema } from "../../session/offer.ts";
import { fits } from "./schema-value.ts";
import type { Argument } from "../skill.ts";
import { oneLine } from "../text.ts";

/** The `options` of a script: by name, each in parseArgs form with our keys. In the order of the source. */
export type WrittenOptions = readonly { name: string; option: JsonObject }[];

/** What the options mean for a tool; `faults` are sentences, and with one of them there is no tool. */
export interface NodeInterface {
  schema: InputSchema;
  arguments: Argument[];
  faults: string[];
  warnings: string[];
}

const NAME = /^[A-Za-z][A-Za-z0-9_-]{0,63}$/;
const OPTIONS_MAX = 64;
const FORBIDDEN_NAMES = ["constructor", "prototype"];
const KEYS: Record<string, "string" | "number" | "boolean" | "array" | "any"> = {
  type: "string",
  short: "string",
  multiple: "boolean",
  default: "any",
  description: "string",
  required: "boolean",
  positional: "boolean",
  enum: "array",
  value: "string",
  minimum: "number",
  maximum: "number",
  minLength: "number",
  maxLength: "number",
};

interface Rule {
  broken: (option: JsonObject) => boolean;
  fault: string;
}

const RULES: readonly Rule[] = [
  {
    broken: ({ type }) => type !== "string" && type !== "boolean",
    fault: 'needs type: "string" or "boolean"',
  },
  {
    broken: ({ value }) => value !== undefined && value !== "integer" && value !== "number",
    fault: 'has a value that is neither "integer" nor "number"',
  },
  {
    broken: (option) =>
      option["type"] === "boolean" &&
      ["multiple", "positional"].some((key) => option[key] === true),
    fault: "is a boolean, which cannot be multiple or positional",
  },
  {
    broken: (option) =>
      option["type"] === "boolean" &&
      ["enum", "value", "minimum", "maximum", "minLength", "maxLength"].some(
        (key) => key in option,
      ),
    fault: "is a boolean, which has no enum, value or limits",
  },
  {
    broken: ({ type, default: preset }) => type === "boolean" && preset === true,
    fault: "is on by default and could never be switched off; name it the other way round",
  },
  {
    broken: (option) =>
      option["value"] === undefined && ("minimum" in option || "maximum" in option),
    fault: 'has a minimum or maximum; it needs value: "integer" or "number"',
  },
  {
    broken: (option) =>
      option["value"] !== undefined && ("minLength" in option || "maxLength" in option),
    fault: "is a number, which has no minLength or maxLength",
  },
  {
    broken: ({ minimum, maximum, minLength, maxLength }) =>
      isAbove(minimum, maximum) || isAbove(minLength, maxLength),
    fault: "has a least value above its greatest",
  },
  {
    broken: ({ minLength, maxLength }) =>
      [minLength, maxLength].some((size) => size !== undefined && !isSize(size)),
    fault: "has a length that is not a whole number from 0 on",
  },
  {
    broken: ({ short }) => typeof short === "string" && short.length !== 1,
    fault: "has a short form that is not one character",
  },
  {
    broken: (option) => option["required"] === true && "default" in option,
    fault: "is required and has a default; keep one",
  },
  {
    broken: (option) => option["enum"] !== undefined && enumOf(option) === null,
    fault: "has an enum that is not a list of its own values, at least one",
  },
];

/** Maps `options` to a schema and to the way each property is written. The argument `--help` is left out. */
export function interfaceOf(options: WrittenOptions): NodeInterface {
  const found: NodeInterface = {
    schema: { type: "object", properties: {}, required: [], additionalProperties: false },
    arguments: [],
    faults: [],
    warnings: [],
  };
  const offered = options.filter(
    ({ name, option }) => name !== "help" || option["type"] !== "boolean",
  );
  if (offered.length > OPTIONS_MAX)
    found.faults.push(`there are ${offered.length} options, at most ${OPTIONS_MAX} are read`);
  const properties: [string, PropertySchema][] = [];
  for (const { name, option } of offered.slice(0, OPTIONS_MAX)) {
    const shown = `options.${oneLine(name).slice(0, 80)}`;
    found.warnings.push(
      ...unknownKeys(option).map((key) => `${shown} has the key ${key}, which says nothing`),
    );
    const faults = faultsOf(name, option);
    found.faults.push(...faults.map((fault) => `${shown} ${fault}`));
    if (faults.length > 0) continue;
    const schema = schemaOf(option);
    properties.push([name, schema]);
    if (option["required"] === true) found.schema.required.push(name);
    found.arguments.push(argumentOf(name, option));
  }
  found.schema.properties = Object.fromEntries(properties);
  found.faults.push(...orderFaults(offered));
  return found;
}

function unknownKeys(option: JsonObject): string[] {
  return Object.keys(option)
    .filter((key) => !Object.hasOwn(KEYS, key))
    .map((key) => {
      const meant = nearest(key, Object.keys(KEYS));
      return `"${oneLine(key).slice(0, 40)}"${meant === undefined ? "" : ` (did you mean "${meant}"?)`}`;
    });
}

function faultsOf(name: string, option: JsonObject): string[] {
  if (!NAME.test(name) || FORBIDDEN_NAMES.includes(name)) {
    return ['cannot be an option: write a letter, then letters, digits, "-" or "_", at most 64'];
  }
  const mistyped = Object.entries(KEYS)
    .filter(([key, kind]) => option[key] !== undefined && !isKind(option[key], kind))
    .map(([key, kind]) => `has a ${key} that is not a ${kind}`);
  if (mistyped.length > 0) return mistyped;
  const broken = RULES.filter((rule) => rule.broken(option)).map(({ fault }) => fault);
  if (broken.length > 0) return broken;
  const preset = presetOf(option);
  return preset === undefined || fits(schemaOf(option), preset)
    ? []
    : ["has a default that it would refuse itself"];
}

function isKind(value: Json | undefined, kind: string): boolean {
  return kind === "any" || (kind === "array" ? Array.isArray(value) : typeof value === kind);
}

function isAbove(least: Json | undefined, most: Json | undefined): boolean {
  return typeof least === "number" && typeof most === "number" && least > most;
}

function isSize(value: Json): boolean {
  return Number.isInteger(value) && Number(value) >= 0;
}

/** parseArgs can only place positionals that are filled from the left, and a list takes all that is left. */
function orderFaults(options: WrittenOptions): string[] {
  const positionals = options.filter(({ option }) => option["positional"] === true);
  const faults: string[] = [];
  for (const [index, { name, option }] of positionals.entries()) {
    const before = positionals[index - 1];
    if (!before) continue;
    const shown = `options.${oneLine(name).slice(0, 80)}`;
    if (before.option["multiple"] === true)
      faults.push(`${shown} comes after a positional that takes all the rest`);
    else if (option["required"] === true && before.option["required"] !== true) {
      faults.push(`${shown} is a required positional after one that is not`);
    }
  }
  return faults;
}

function schemaOf(option: JsonObject): PropertySchema {
  const description =
    typeof option["description"] === "string" ? oneLine(option["description"]) : "";
  const about = description === "" ? {} : { description };
  const preset = presetOf(option);
  const byDefault = preset === undefined ? {} : { default: preset };
  if (option["type"] === "boolean") return { type: "boolean", ...about, ...byDefault };
  const one: PropertySchema = { type: kindOf(option) };
  for (const limit of ["minimum", "maximum", "minLength", "maxLength"] as const) {
    const value = option[limit];
    if (typeof value === "number") one[limit] = value;
  }
  const allowed = enumOf(option);
  if (allowed) one.enum = allowed;
  if (option["multiple"] !== true) return { ...one, ...about, ...byDefault };
  const least = option["required"] === true ? { minItems: 1 } : {};
  return { type: "array", items: one, ...about, ...least, ...byDefault };
}

function kindOf(option: JsonObject): "integer" | "number" | "string" {
  return option["value"] === "integer" || option["value"] === "number" ? option["value"] : "string";
}

function enumOf(option: JsonObject): Json[] | null {
  if (!Array.isArray(option["enum"]) || option["enum"].length === 0) return null;
  const values = option["enum"].map((value) => typed(value, option));
  return values.every((value) => fits({ type: kindOf(option) }, value)) ? values : null;
}

/** parseArgs wants every default as text (`default: "5"`); in the schema it has the type of the property. */
function presetOf(option: JsonObject): Json | undefined {
  const preset = option["default"];
  if (preset === undefined || option["type"] === "boolean") return preset;
  return Array.isArray(preset)
    ? preset.map((value) => typed(value, option))
    : typed(preset, option);
}

function typed(value: Json, option: JsonObject): Json {
  const numeric = option["value"] !== undefined && typeof value === "string" && value.trim() !== "";
  return numeric && Number.isFinite(Number(value)) ? Number(value) : value;
}

function argumentOf(name: string, option: JsonObject): Argument {
  const many = option["multiple"] === true;
  if (option["positional"] === true) return { name, flag: null, form: many ? "list" : "value" };
  if (option["type"] === "boolean") return { name, flag: `--${name}`, form: "switch" };
  return { name, flag: `--${name}`, form: many ? "repeated" : "value" };
}
