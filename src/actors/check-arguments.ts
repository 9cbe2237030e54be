import type { ErrorObject, ValidateFunction } from "ajv";
import type { Call, Json, JsonObject } from "../contracts/call.ts";
import { nearest } from "../contracts/nearest.ts";
import type { ArgumentFault, Problem } from "../contracts/problem.ts";
import { HarnessError } from "../errors.ts";
import type { OfferedTool, PropertySchema } from "../session/offer.ts";
import { correctForm, type CheckedTool } from "../skills/correct-form.ts";

type BadArgument = Extract<Problem, { code: "bad_argument" }>;

/** More faults than this are not told apart: a reply with a thousand of them is no near miss. */
const FAULTS_MAX = 20;

/** Compiled once per schema object: a turn may call one tool many times. */
const compiled = new WeakMap<object, ValidateFunction>();

/**
 * Checks a call's input against its tool's schema. No value is ever changed or coerced. Null means: in order. `known`:
 * values that exist, for the correct form that is shown.
 */
export async function checkArguments(
  call: Call,
  tool: CheckedTool,
  known: JsonObject = {},
): Promise<BadArgument | null> {
  const validate = compiled.get(tool.schema) ?? (await compile(tool));
  const faults = validate(call.input)
    ? [...exclusiveFaults(call.input, tool), ...unsendableFaults(call.input)]
    : (validate.errors ?? []).slice(0, FAULTS_MAX).map((error) => faultOf(error, call.input, tool));
  if (faults.length === 0) return null;
  const problem: BadArgument = { code: "bad_argument", tool: call.name, faults };
  const example = correctForm(call, tool, known);
  return example ? { ...problem, example } : problem;
}

async function compile(tool: OfferedTool): Promise<ValidateFunction> {
  // Loaded here, because a turn that calls no tool needs no validator.
  const { Ajv } = await import("ajv");
  try {
    // Our schemas are made by our own code: checking them against the schema of schemas would cost more than all else.
    const own = { meta: false, validateSchema: false } as const;
    const ajv = new Ajv({ allErrors: true, strict: false, logger: false, ...own });
    const validate = ajv.compile(tool.schema);
    compiled.set(tool.schema, validate);
    return validate;
  } catch (cause) {
    if (!(cause instanceof EvalError)) throw cause;
    throw new HarnessError(
      "config",
      "node was started with --disallow-code-generation-from-strings, which arguments cannot be checked under: leave it out",
      { cause },
    );
  }
}

function faultOf(error: ErrorObject, input: JsonObject, tool: OfferedTool): ArgumentFault {
  const steps = error.instancePath.split("/").slice(1).map(unescaped);
  const parent = steps.join(".");
  const under = (name: unknown) => (parent === "" ? String(name) : `${parent}.${String(name)}`);
  const { properties } = tool.schema;
  const params: Record<string, unknown> = error.params;
  if (error.keyword === "required") {
    const name = String(params["missingProperty"]);
    return { fault: "missing_arg", path: under(name), expected: describe(properties[name]) };
  }
  if (error.keyword === "additionalProperties") {
    const name = String(params["additionalProperty"]);
    const known = Object.keys(properties);
    const expected = known.length > 0 ? `one of ${known.join(", ")}` : "no arguments";
    return near({ fault: "unknown_arg", path: under(name), expected }, nearest(name, known));
  }
  const value = valueAt(input, steps);
  const found = value === undefined ? {} : { found: value };
  const schema = schemaAt(properties, steps);
  const allowed = (schema?.enum ?? []).map(String);
  const fault = {
    fault: kindOf(error.keyword),
    path: parent,
    expected: describe(schema),
    ...found,
  };
  return near(fault, typeof value === "string" ? nearest(value, allowed) : undefined);
}

const unescaped = (step: string) => step.replaceAll("~1", "/").replaceAll("~0", "~");

const near = (fault: ArgumentFault, word: string | undefined): ArgumentFault =>
  word === undefined ? fault : { ...fault, nearest: word };

function kindOf(keyword: string): ArgumentFault["fault"] {
  if (keyword === "type") return "bad_type";
  return /^(minimum|maximum|minLength|maxLength|minItems|maxItems)$/.test(keyword)
    ? "over_limit"
    : "bad_value";
}

function valueAt(input: JsonObject, steps: readonly string[]): Json | undefined {
  let value: Json | undefined = input;
  for (const step of steps) {
    if (value === null || typeof value !== "object") return undefined;
    value = Array.isArray(value) ? value[Number(step)] : value[step];
  }
  return value;
}

/** The schema of a property, or of an item of a list property: our schemas are no deeper. */
function schemaAt(properties: Record<string, PropertySchema>, [name, item]: readonly string[]) {
  const schema = name === undefined ? undefined : properties[name];
  return item === undefined ? schema : schema?.items;
}

/** Groups of which only one may be given: JSON Schema can say this, but not in words a small model understands. */
function exclusiveFaults(input: JsonObject, { exclusive = [] }: CheckedTool): ArgumentFault[] {
  return exclusive.flatMap(({ names, required }): ArgumentFault[] => {
    const given = names.filter((name) => input[name] !== undefined && input[name] !== false);
    const [first = "", second] = given;
    const expected = `${required ? "exactly" : "at most"} one of ${names.join(", ")}`;
    if (second !== undefined)
      return [
        { fault: "bad_value", path: second, expected: `${expected} (${first} is given too)` },
      ];
    return required && given.length === 0
      ? [{ fault: "missing_arg", path: names[0] ?? "", expected }]
      : [];
  });
}

/** What no script can be given as an argument: it would arrive changed, or the script would not start. */
const UNSENDABLE = /\0|\p{Surrogate}/u;

function unsendableFaults(input: JsonObject): ArgumentFault[] {
  return Object.entries(input).flatMap(([path, value]): ArgumentFault[] => {
    const texts = Array.isArray(value) ? value.flat(2) : [value];
    return texts.some((text) => typeof text === "string" && UNSENDABLE.test(text))
      ? [{ fault: "bad_value", path, expected: "text without NUL or half a surrogate pair" }]
      : [];
  });
}

/** What a property takes, in words: "an integer from 1 to 10". */
function describe(schema: PropertySchema | undefined): string {
  if (!schema) return "a value";
  if (schema.enum)
    return `one of ${schema.enum
      .slice(0, 12)
      .map((value) => JSON.stringify(value))
      .join(", ")}`;
  switch (schema.type ?? "string") {
    case "integer":
      return `an integer${range(schema.minimum, schema.maximum)}, written without quotes`;
    case "number":
      return `a number${range(schema.minimum, schema.maximum)}, written without quotes`;
    case "boolean":
      return "true or false, written without quotes";
    case "array":
      return `a list${range(schema.minItems, schema.maxItems)}${schema.items ? ` of: ${describe(schema.items)}` : ""}`;
    case "string":
      return schema.minLength === 1 && schema.maxLength === undefined
        ? "a text in quotes, not empty"
        : `a text in quotes${range(schema.minLength, schema.maxLength, " characters")}`;
  }
}

function range(least: number | undefined, most: number | undefined, unit = ""): string {
  if (least !== undefined && most !== undefined) return ` from ${least} to ${most}${unit}`;
  if (most !== undefined) return ` of at most ${most}${unit}`;
  return least !== undefined && least > 0 ? ` of at least ${least}${unit}` : "";
}
