import { type Property, propertiesOf } from "./python-properties.ts";
import type { PythonParser } from "./python-report.ts";
import type { ScriptTool } from "./script-reading.ts";

/** Up to this many sub-commands are a tool each; more are one tool, so that one script cannot crowd out the others. */
const toolsPerScriptMax = 8;

/** A tool without the script's effect. */
export type Interface = Omit<ScriptTool, "effect">;

/** One way through the sub-commands, with the parsers on the way: the script's own first. */
interface Leaf {
  words: string[];
  description: string;
  parsers: PythonParser[];
}

/**
 * The tools of one parser: itself when it has no sub-commands, one for each of up to eight sub-commands (nested ones by
 * all their words), or one for all of them, with the words in a required property `command`.
 */
export function interfacesOf(parser: PythonParser, description: string): Interface[] {
  const leaves = leavesOf({ words: [], description, parsers: [parser] });
  return leaves.length <= toolsPerScriptMax
    ? leaves.map(leafInterface)
    : [unionInterface(leaves, description)];
}

function leavesOf(leaf: Leaf): Leaf[] {
  const commands = leaf.parsers.at(-1)?.commands?.filter(({ hidden }) => !hidden) ?? [];
  if (commands.length === 0) return [leaf];
  return commands.flatMap(({ name, help, parser }) =>
    leavesOf({
      words: [...leaf.words, name],
      description: parser.description ?? help ?? leaf.description,
      parsers: [...leaf.parsers, parser],
    }),
  );
}

function leafInterface(leaf: Leaf): Interface {
  const { properties, exclusive } = leafProperties(leaf);
  return {
    ...interfaceFrom(properties, exclusive),
    command: leaf.words,
    description: leaf.description,
  };
}

/**
 * The properties of all parsers on the way to one sub-command. Of two with one name the inner one counts, as argparse
 * has it; the outer is written too where it is required.
 */
function leafProperties({ words, parsers }: Leaf) {
  const found = new Map<string, Property>();
  const exclusive: Interface["exclusive"] = [];
  for (const [level, parser] of parsers.entries()) {
    const own = propertiesOf(parser);
    exclusive.push(...own.exclusive);
    for (const property of own.properties) {
      const outer = found.get(property.name);
      const written =
        level < words.length
          ? property.arguments.map((one) => ({ ...one, after_words: level }))
          : property.arguments;
      const kept = outer?.required ? outer.arguments : [];
      const required = property.required || outer?.required === true;
      found.set(property.name, { ...property, required, arguments: [...kept, ...written] });
    }
  }
  return { properties: [...found.values()], exclusive };
}

function interfaceFrom(properties: Property[], exclusive: Interface["exclusive"]) {
  return {
    schema: {
      type: "object" as const,
      properties: Object.fromEntries(properties.map(({ name, schema }) => [name, schema])),
      required: properties.filter(({ required }) => required).map(({ name }) => name),
      additionalProperties: false,
    },
    exclusive,
    arguments: properties.flatMap((property) => property.arguments),
  };
}

/**
 * One tool for many sub-commands. Its properties are those of all of them, and none is required but `command` and what
 * every sub-command requires; the description says what belongs to which. Two of one name that differ in type or in
 * how they are written are told apart by the sub-command's name: `list_name`.
 */
function unionInterface(leaves: Leaf[], description: string): Interface {
  const command: Property = {
    name: "command",
    schema: { type: "string", enum: leaves.map(({ words }) => words.join(" ")) },
    required: true,
    arguments: [{ name: "command", flag: null, form: "command" }],
  };
  const all: Shared[] = [{ property: command, name: "command" }];
  const requiredBy = new Map<Property, number>();
  const exclusive: Interface["exclusive"] = [];
  const lines: string[] = [];
  for (const leaf of leaves) {
    const own = leafProperties(leaf);
    const shared = addShared(all, own.properties, leaf.words.join("_"));
    for (const [{ required }, property] of shared) {
      if (required) requiredBy.set(property, (requiredBy.get(property) ?? 0) + 1);
    }
    const names = new Map([...shared].map(([{ name }, property]) => [name, property.name]));
    for (const group of own.exclusive) {
      // "Exactly one" holds for this sub-command only.
      exclusive.push({
        names: group.names.map((name) => names.get(name) ?? name),
        required: false,
      });
    }
    lines.push(commandLine(leaf, shared));
  }
  const properties = all.map(({ property }) => ({
    ...property,
    required: property === command || requiredBy.get(property) === leaves.length,
  }));
  const about = `${description} Commands (* is required): ${lines.join("; ")}`;
  return { ...interfaceFrom(properties, distinct(exclusive)), command: [], description: about };
}

/** A property of the union, and the name it has in the sub-commands. */
interface Shared {
  property: Property;
  name: string;
}

/** Adds what is not there yet; gives for each property of this sub-command the one of the union that stands for it. */
function addShared(all: Shared[], own: Property[], prefix: string): Map<Property, Property> {
  const found = new Map<Property, Property>();
  let lastPositional = -1;
  for (const property of own) {
    // Positionals are written in the order of the union, which has to be that of every sub-command.
    const least = isPositional(property) ? lastPositional + 1 : 0;
    let place = all.findIndex((other, index) => index >= least && isSame(other, property));
    if (place < 0) {
      const taken = new Set(all.map((other) => other.property.name));
      const name = taken.has(property.name)
        ? freeName(`${prefix}_${property.name}`, taken)
        : property.name;
      const written = property.arguments.map((one) => ({ ...one, name }));
      place =
        all.push({ property: { ...property, name, arguments: written }, name: property.name }) - 1;
    }
    const shared = all[place]?.property;
    if (shared) found.set(property, shared);
    if (isPositional(property)) lastPositional = place;
  }
  return found;
}

function freeName(wanted: string, taken: Set<string>): string {
  let name = wanted;
  for (let number = 2; taken.has(name); number += 1) name = `${wanted}_${number}`;
  return name;
}

const isPositional = (property: Property) => property.arguments.some(({ flag }) => flag === null);

/** Whether both may be one property: of one name, and equal but for the description. */
function isSame({ property, name }: Shared, other: Property): boolean {
  return name === other.name && shape(property) === shape(other);
}

function shape({ schema, arguments: written }: Property): string {
  return JSON.stringify([
    { ...schema, description: null },
    written.map((one) => ({ ...one, name: "" })),
  ]);
}

function distinct(groups: Interface["exclusive"]): Interface["exclusive"] {
  return [...new Map(groups.map((group) => [group.names.join(" "), group])).values()];
}

function commandLine({ words, description }: Leaf, shared: Map<Property, Property>): string {
  const list = [...shared]
    .map(([{ required }, { name }]) => (required ? `${name}*` : name))
    .join(", ");
  return `${words.join(" ")}${list === "" ? "" : ` (${list})`}: ${description}`;
}
