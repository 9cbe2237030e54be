import type { PropertySchema } from "../../session/offer.ts";
import type { Argument } from "../skill.ts";
import { oneLine } from "../text.ts";
import type { ScriptTool } from "./script-reading.ts";
import type { CodeFlag, ShellCode } from "./shell-source.ts";
import type { HelpLine, UsageText } from "./shell-usage.ts";
import { readUsageLine, type Usage } from "./usage-line.ts";
import { plainSwitch, type UsageArgument } from "./usage-words.ts";

/** What a tool takes, without what it is for. */
type Interface = Pick<ScriptTool, "command" | "schema" | "exclusive" | "arguments">;

const HELP_FLAGS = ["-h", "--help", "-?", "--version", "-V"];

/** The input of a shell script; null where its usage and its code do not say enough to be sure. */
export function shellInterface(
  usage: UsageText,
  code: ShellCode,
  program: string,
): Interface | null {
  if (usage.blocks.length === 0)
    return code.readsArguments ? null : interfaceFrom([], [], code, []);
  const takesValue = (flag: string) => flagIn(code, flag)?.takesValue;
  for (const lines of usage.blocks) {
    const [line, another] = lines;
    // Several lines are several ways to call it.
    if (line === undefined || another !== undefined) continue;
    const read = readUsageLine(line, program, takesValue);
    const found = read && fromUsage(read, usage.help, code);
    if (found) return found;
  }
  return null;
}

const flagIn = (code: ShellCode, flag: string): CodeFlag | undefined =>
  code.flags.find(({ flags }) => flags.includes(flag));

function fromUsage(read: Usage, help: readonly HelpLine[], code: ShellCode): Interface | null {
  // Options behind a positional can be written before it only where the code looks at every word alike.
  if (code.takesFirst && (code.flags.length > 0 || read.optionsLast)) return null;
  const words = literalWords(read.arguments, code);
  if (words === null) return null;
  const named = read.arguments.filter(
    (one) => !words.includes(one) && !one.flags.some((flag) => HELP_FLAGS.includes(flag)),
  );
  const options = named.filter(({ flags }) => flags.length > 0);
  const more = moreOptions(read, options, help, code);
  const all = [...options.map((one) => withCode(one, code)), ...more];
  const places = named.filter(({ flags }) => flags.length === 0);
  if (places.slice(0, -1).some(({ many }) => many)) return null;
  const names = namesFor([...all, ...places]);
  const exclusive = read.exclusive.map(({ arguments: members, required }) => {
    const at = members.map(
      (member) => names[named.includes(member) ? placeOf(member, options, places, all) : -1],
    );
    return { names: at.filter((name) => name !== undefined), required };
  });
  const described = [...all, ...places].map((one, index) => ({
    argument: one,
    name: names[index] ?? "",
    about: helpFor(one, help),
  }));
  const result = interfaceFrom(
    described,
    exclusive.filter((group) => group.names.length > 1),
    code,
    words,
  );
  return result;
}

function placeOf(
  member: UsageArgument,
  options: readonly UsageArgument[],
  places: readonly UsageArgument[],
  all: readonly UsageArgument[],
): number {
  const option = options.indexOf(member);
  return option >= 0 ? option : all.length + places.indexOf(member);
}

/** Plain words of the line that the code compares with: they stand for themselves. null where one is in the middle. */
function literalWords(all: readonly UsageArgument[], code: ShellCode): UsageArgument[] | null {
  const literal = all.filter(({ bare, value }) => bare && code.words.includes(value ?? ""));
  const [first] = all;
  if (literal.length === 0) return [];
  return literal.length === 1 && literal[0] === first && first?.required === true ? literal : null;
}

/** Options that the line does not name: of the help lines, and those that the code is sure to take. */
function moreOptions(
  read: Usage,
  named: readonly UsageArgument[],
  help: readonly HelpLine[],
  code: ShellCode,
): UsageArgument[] {
  const taken = new Set([
    ...HELP_FLAGS,
    ...named.flatMap((one) => spellings(one.flags, code, help)),
  ]);
  const found: UsageArgument[] = [];
  const add = (flags: string[], value: string | null) => {
    const every = spellings(flags, code, help);
    if (every.some((flag) => taken.has(flag))) return;
    for (const flag of every) taken.add(flag);
    found.push(withCode({ ...plainSwitch, flags: every, value, required: false }, code));
  };
  for (const { flags, takesValue } of code.flags) add(flags, takesValue ? "value" : null);
  // Without code that shows its flags, a help line is believed where the usage line says that there are options.
  if (read.moreOptions && code.flags.length === 0)
    for (const { flags, value } of help) if (flags.length > 0) add(flags, value);
  return found;
}

/** All spellings of an option, as the code and the help lines put them together. */
function spellings(flags: readonly string[], code: ShellCode, help: readonly HelpLine[]): string[] {
  const groups = [...code.flags, ...help].map((one) => one.flags);
  const together = groups.filter((group) => group.some((flag) => flags.includes(flag)));
  return [...new Set([...flags, ...together.flat()])];
}

/** The code has the last word on whether a flag takes a value. */
function withCode(option: UsageArgument, code: ShellCode): UsageArgument {
  const known = option.flags.map((flag) => flagIn(code, flag)).find((one) => one !== undefined);
  if (!known) return option;
  const flags = [...new Set([...option.flags, ...known.flags])];
  const value = known.takesValue ? (option.value ?? "value") : null;
  return { ...option, flags, value, equals: known.equalsOnly };
}

function helpFor({ flags, value }: UsageArgument, help: readonly HelpLine[]): string | null {
  const line = help.find((one) =>
    flags.length > 0
      ? one.flags.some((flag) => flags.includes(flag))
      : one.flags.length === 0 && one.value?.toLowerCase() === value?.toLowerCase(),
  );
  return line === undefined ? null : oneLine(line.text);
}

interface Described {
  argument: UsageArgument;
  name: string;
  about: string | null;
}

function interfaceFrom(
  described: readonly Described[],
  exclusive: Interface["exclusive"],
  code: ShellCode,
  words: readonly UsageArgument[],
): Interface {
  return {
    command: words.flatMap(({ value }) => (value === null ? [] : [value])),
    schema: {
      type: "object",
      properties: Object.fromEntries(
        described.map(({ argument, name, about }) => [name, schemaOf(argument, about)]),
      ),
      required: described.filter(({ argument }) => argument.required).map(({ name }) => name),
      additionalProperties: false,
    },
    exclusive,
    arguments: described.map(({ argument, name }) => argumentOf(argument, name, code)),
  };
}

function schemaOf({ flags, value, choices, many, required }: UsageArgument, about: string | null) {
  const description = about === null ? {} : { description: about };
  if (value === null) return { type: "boolean", ...description } satisfies PropertySchema;
  const item: PropertySchema = { type: "string", ...(choices.length > 0 && { enum: choices }) };
  if (!many) return { ...item, ...description };
  const least = required && flags.length === 0 ? { minItems: 1 } : {};
  return { type: "array", items: item, ...least, ...description } satisfies PropertySchema;
}

function argumentOf(
  { flags, value, many, equals }: UsageArgument,
  name: string,
  code: ShellCode,
): Argument {
  const flag = longOf(flags);
  if (flag === null) {
    // A script that compares each word with its flags would take `--` for a file.
    const form = code.knowsSeparator ? (many ? "list" : "value") : "rest";
    return { name, flag, form };
  }
  if (value === null) return { name, flag, form: "switch" };
  const form = many ? "repeated" : "value";
  return equals ? { name, flag, form } : { name, flag, form, separate: true };
}

const longOf = (flags: readonly string[]): string | null =>
  flags.find((flag) => flag.startsWith("--")) ?? flags[0] ?? null;

/** A property is named after its long flag, else after its value, else after its letter. */
function namesFor(all: readonly UsageArgument[]): string[] {
  const names: string[] = [];
  for (const { flags, value } of all) {
    const long = flags.find((flag) => flag.startsWith("--"));
    const wanted = long ?? (value === null || value === "value" ? (flags[0] ?? "value") : value);
    const plain =
      wanted
        .toLowerCase()
        .replace(/[^a-z0-9]+/g, "_")
        .replace(/^_+|_+$/g, "") || "value";
    let name = plain;
    for (let number = 2; names.includes(name); number += 1) name = `${plain}_${number}`;
    names.push(name);
  }
  return names;
}
