import type { Json } from "../../contracts/call.ts";
import type { PropertySchema } from "../../session/offer.ts";
import type { PythonArgument, PythonParser } from "./python-report.ts";
import type { Argument } from "../skill.ts";

/** One property of a tool's input and how it is written; a pair of switches (`--x`, `--no-x`) is one property. */
export interface Property {
  name: string;
  schema: PropertySchema;
  required: boolean;
  arguments: Argument[];
}

/** What one parser takes, without its sub-commands. */
export interface Properties {
  properties: Property[];
  exclusive: { names: string[]; required: boolean }[];
}

/**
 * Maps a parser's own arguments to JSON Schema: int → integer, float → number, switches → boolean, count → integer,
 * append and lists → array, choices → enum (a range of whole numbers → minimum and maximum), all else → string.
 *
 * A property is named after its dest; where several arguments share one (store_const), after the flag.
 */
export function propertiesOf(parser: PythonParser): Properties {
  const named = namedArguments(parser);
  const properties = new Map<string, Property>();
  for (const [argument, name] of named) {
    const read = propertyOf(argument, name);
    const earlier = properties.get(name);
    properties.set(name, earlier === undefined ? read : joined(earlier, read));
  }

  const groups = parser.exclusive.map(({ members, required }) => {
    const names = members.flatMap((place) => nameAt(named, parser.arguments[place]));
    return { names: [...new Set(names)], required };
  });
  for (const { names, required } of groups) {
    const only = names.length === 1 && required ? properties.get(names.join("")) : undefined;
    if (only) only.required = true;
  }
  return {
    properties: [...properties.values()],
    exclusive: groups.filter(({ names }) => names.length > 1),
  };
}

function nameAt(
  named: Map<PythonArgument, string>,
  argument: PythonArgument | undefined,
): string[] {
  const name = argument && named.get(argument);
  return name === undefined ? [] : [name];
}

/** The arguments that are offered, each with the name of its property. */
function namedArguments(parser: PythonParser): Map<PythonArgument, string> {
  const offered = parser.arguments.filter(({ hidden, required }) => !hidden || required);
  const counts = new Map<string, number>();
  for (const { dest } of offered) counts.set(dest, (counts.get(dest) ?? 0) + 1);
  return new Map(
    offered.map((argument) => {
      const shared = (counts.get(argument.dest) ?? 0) > 1 || argument.dest === "==SUPPRESS==";
      return [argument, shared && !isSettingSwitch(argument) ? flagName(argument) : argument.dest];
    }),
  );
}

function isSettingSwitch({ action, dest_given }: PythonArgument): boolean {
  return (
    action === "store_true" ||
    (action === "store_false" && dest_given) ||
    action === "boolean_optional"
  );
}

/** Two arguments of one name: a pair of switches becomes one property, anything else keeps the first one's schema. */
function joined(earlier: Property, later: Property): Property {
  const both = [earlier.schema.description, later.schema.description]
    .filter((text) => text !== undefined)
    .join("; ");
  return {
    ...earlier,
    schema: { ...earlier.schema, ...(both !== "" && { description: both }) },
    required: earlier.required || later.required,
    arguments: [...earlier.arguments, ...later.arguments],
  };
}

function propertyOf(argument: PythonArgument, name: string): Property {
  const { schema, forms } = shapeOf(argument);
  const description = descriptionOf(argument);
  return {
    name,
    schema: { ...schema, ...(description !== null && { description }) },
    required: argument.required,
    arguments: forms.map(([flag, form]) => ({ name, flag, form })),
  };
}

type Shape = { schema: PropertySchema; forms: [string | null, Argument["form"]][] };

function shapeOf(argument: PythonArgument): Shape {
  const shape = Object.hasOwn(shapes, argument.action) ? shapes[argument.action] : undefined;
  if (shape) return shape(argument, flagOf(argument));
  // A custom action that takes nothing is a switch.
  return argument.nargs === 0
    ? constantShape(argument, flagOf(argument))
    : storedShape(argument, flagOf(argument));
}

const shapes: Record<string, (argument: PythonArgument, flag: string | null) => Shape> = {
  store_true: (argument, flag) => ({ schema: switchSchema(argument), forms: [[flag, "switch"]] }),
  // Without a dest of its own, `--no-cache` is a property "no_cache": true must mean that the flag is written.
  store_false: (argument, flag) =>
    argument.dest_given
      ? { schema: switchSchema(argument), forms: [[flag, "negative_switch"]] }
      : { schema: { type: "boolean", default: false }, forms: [[flag, "switch"]] },
  store_const: constantShape,
  append_const: constantShape,
  boolean_optional: (argument, flag) => ({
    schema: switchSchema(argument),
    forms: [
      [flag, "switch"],
      [flag?.replace(/^--/, "--no-") ?? null, "negative_switch"],
    ],
  }),
  count: (argument, flag) => ({
    schema: { type: "integer", ...(argument.default === 0 && { default: 0 }), minimum: 0 },
    forms: [[flag, "count"]],
  }),
  append: repeatedShape,
  extend: repeatedShape,
};

function switchSchema(argument: PythonArgument): PropertySchema {
  return {
    type: "boolean",
    ...(typeof argument.default === "boolean" && { default: argument.default }),
  };
}

function constantShape(_argument: PythonArgument, flag: string | null): Shape {
  return { schema: { type: "boolean" }, forms: [[flag, "switch"]] };
}

function storedShape(argument: PythonArgument, flag: string | null): Shape {
  const item = scalarSchema(argument);
  const limits = listLimits(argument.nargs);
  if (limits === null)
    return { schema: { ...item, ...defaultOf(argument, item) }, forms: [[flag, "value"]] };
  const takesRest = argument.nargs === "..." || argument.nargs === "A...";
  return {
    schema: { type: "array", items: item, ...limits },
    forms: [[flag, takesRest ? "rest" : "list"]],
  };
}

/** A repeated list (`append` with nargs) is a list of lists; `extend` makes one list of them. */
function repeatedShape(argument: PythonArgument, flag: string | null): Shape {
  const item = scalarSchema(argument);
  const limits = listLimits(argument.nargs);
  const least = argument.required ? { minItems: 1 } : {};
  if (argument.action === "extend") {
    const fixed = typeof argument.nargs === "number";
    const schema: PropertySchema = { type: "array", items: item, ...least, ...(fixed && limits) };
    return { schema, forms: [[flag, fixed ? "list" : "repeated"]] };
  }
  const items: PropertySchema = limits === null ? item : { type: "array", items: item, ...limits };
  return { schema: { type: "array", items, ...least }, forms: [[flag, "repeated"]] };
}

/** null for a single value. */
function listLimits(
  nargs: PythonArgument["nargs"],
): { minItems?: number; maxItems?: number } | null {
  if (typeof nargs === "number") return { minItems: nargs, maxItems: nargs };
  if (nargs === "+" || nargs === "A...") return { minItems: 1 };
  return nargs === "*" || nargs === "..." ? {} : null;
}

function scalarSchema({ type, choices }: PythonArgument): PropertySchema {
  const schema: PropertySchema = { type: jsonTypes[type] };
  if (choices === null) return schema;
  if (!Array.isArray(choices)) return { ...schema, minimum: choices.from, maximum: choices.to };
  const allowed = [...new Set(choices)].filter((choice) => isOfType(choice, schema));
  return allowed.length > 0 ? { ...schema, enum: allowed } : schema;
}

const jsonTypes = {
  str: "string",
  other: "string",
  int: "integer",
  float: "number",
  bool: "boolean",
} as const;

function defaultOf(argument: PythonArgument, schema: PropertySchema): { default?: Json } {
  return argument.default !== null && isOfType(argument.default, schema)
    ? { default: argument.default }
    : {};
}

function isOfType(value: Json, { type }: PropertySchema): boolean {
  if (type === "integer") return Number.isInteger(value);
  return typeof value === type;
}

/** The first long flag: the name that reads best, and the one that cannot be mistaken for a bundle of short ones. */
function flagOf({ flags }: PythonArgument): string | null {
  return flags.find((flag) => flag.startsWith("--")) ?? flags[0] ?? null;
}

function flagName(argument: PythonArgument): string {
  return flagOf(argument)?.replace(/^\W+/, "").replaceAll("-", "_") ?? argument.dest;
}

function descriptionOf(argument: PythonArgument): string | null {
  const { help, metavar, action, dest, dest_given } = argument;
  if (help === null) {
    return metavar !== null && metavar.toLowerCase() !== dest.toLowerCase() ? metavar : null;
  }
  // The help text speaks of the flag, but the property is its opposite.
  return action === "store_false" && dest_given ? `when false: ${help}` : help;
}
