import type { Json, JsonObject } from "../../contracts/call.ts";
import type { Argument, Tool } from "../skill.ts";

/** A flag is written at most this often, whatever number the model gave. */
const countMax = 100;

/**
 * The words that start a script with this input, to be handed to the process as they are, without a shell.
 *
 * Options come first, as `--flag=value`: the only form that survives a value beginning with "-", for single-dash flags
 * too. Where a script does not know "=", the flag and the value are two words (`separate`).
 * Then `--` and the positionals; for a script that does not know `--`, these have the form "rest". A property that is
 * absent or null writes nothing.
 *
 * What argparse cannot be given, written as well as it can be: an option's list of two or more items of which one
 * begins with "-" (it is refused, unless it is a number or holds a space); the lone word "--" as a value (Python before
 * 3.13 takes it for the separator); a rest whose first word begins with "-", unless another positional stands before it;
 * a list of two or more items of the script itself, right before a sub-command.
 */
export function argvOf(tool: Pick<Tool, "command" | "arguments">, input: JsonObject): string[] {
  const words = tool.command.length > 0 ? tool.command : commandWords(tool.arguments, input);
  const argv: string[] = [];
  for (const [level, word] of words.entries()) {
    const own = tool.arguments.filter(({ after_words }) => after_words === level);
    argv.push(...wordsOf(own, input, "if_needed"), word);
  }
  const last = tool.arguments.filter(
    ({ after_words }) => (after_words ?? words.length) >= words.length,
  );
  return [...argv, ...wordsOf(last, input, "always")];
}

function commandWords(all: readonly Argument[], input: JsonObject): string[] {
  const command = all.find(({ form }) => form === "command");
  return command === undefined
    ? []
    : textOf(input[command.name] ?? "")
        .split(" ")
        .filter(Boolean);
}

/** The words of one level of sub-commands; `separator` says whether `--` stands before every list of positionals. */
function wordsOf(
  all: readonly Argument[],
  input: JsonObject,
  separator: "always" | "if_needed",
): string[] {
  const given = all.filter(
    ({ name, form }) => form !== "command" && (input[name] ?? null) !== null,
  );
  const options = given.filter(({ flag }) => flag !== null);
  const lists = options
    .filter((option) => isGreedy(option, input))
    .flatMap((option) => optionWords(option, input));
  const others = options
    .filter((option) => option.form !== "rest" && !isGreedy(option, input))
    .flatMap((option) => optionWords(option, input));
  const restOptions = options
    .filter(({ form }) => form === "rest")
    .flatMap((option) => optionWords(option, input));
  const positionals = given.filter(({ flag }) => flag === null);
  const plain = positionals
    .filter(({ form }) => form !== "rest")
    .flatMap(({ name }) => textsOf(input[name]));
  const rest = positionals
    .filter(({ form }) => form === "rest")
    .flatMap(({ name }) => textsOf(input[name]));

  // Lists first, so that the word after a list is a flag wherever there is one.
  const argv = [...lists, ...others];
  const endsWithList = lists.length > 0 && others.length === 0;
  if (needsSeparator({ plain, rest, endsWithList, followed: restOptions.length > 0, separator }))
    argv.push("--");
  return [...argv, ...plain, ...rest, ...restOptions];
}

/** Whether the words written for the option would go on into a positional that follows. */
function isGreedy(option: Argument, input: JsonObject): boolean {
  const value = input[option.name] ?? null;
  return (
    option.form === "list" || (option.form === "repeated" && itemsOf(value).some(Array.isArray))
  );
}

function needsSeparator(facts: {
  plain: string[];
  rest: string[];
  endsWithList: boolean;
  followed: boolean;
  separator: "always" | "if_needed";
}): boolean {
  const { plain, rest, endsWithList, followed, separator } = facts;
  if (plain.length + rest.length === 0) return false;
  if (endsWithList) return true;
  // A rest that stands alone would be handed the `--` as its first word; an option after `--` would be a positional.
  if (plain.length === 0 || followed) return false;
  return separator === "always" || plain.some((word) => word.startsWith("-"));
}

function optionWords(option: Argument, input: JsonObject): string[] {
  const value = input[option.name] ?? null;
  return option.separate
    ? separateWords(option, value)
    : writers[option.form](option.flag ?? "", value);
}

/** The flag and each value as words of their own, for scripts that do not know "=". */
function separateWords({ flag, form }: Argument, value: Json): string[] {
  const values = form === "repeated" ? itemsOf(value) : [value];
  return values.flatMap((item) => [flag ?? "", ...textsOf(item)]);
}

const writers: Record<Argument["form"], (flag: string, value: Json) => string[]> = {
  value: (flag, value) => [`${flag}=${textOf(value)}`],
  list: (flag, value) => listWords(flag, textsOf(value)),
  repeated: (flag, value) =>
    itemsOf(value).flatMap((item) =>
      Array.isArray(item) ? listWords(flag, item.map(textOf)) : [`${flag}=${textOf(item)}`],
    ),
  switch: (flag, value) => (value === true ? [flag] : []),
  negative_switch: (flag, value) => (value === false ? [flag] : []),
  count: (flag, value) => Array.from({ length: timesOf(value) }, () => flag),
  rest: (flag, value) => [flag, ...textsOf(value)],
  command: () => [],
};

/** One item has the safe form with "="; more must be words of their own. */
function listWords(flag: string, items: string[]): string[] {
  const [first] = items;
  return first !== undefined && items.length === 1 ? [`${flag}=${first}`] : [flag, ...items];
}

function timesOf(value: Json): number {
  return typeof value === "number"
    ? Math.max(0, Math.min(countMax, Math.floor(value)))
    : Number(value === true);
}

function itemsOf(value: Json): Json[] {
  return Array.isArray(value) ? value : [value];
}

function textsOf(value: Json | undefined): string[] {
  return value === undefined || value === null ? [] : itemsOf(value).map(textOf);
}

/** A truth value as Python's `bool()` reads a word: any text is true, the empty one false. */
function textOf(value: Json): string {
  if (typeof value === "string") return value;
  if (typeof value === "number") return decimal(value);
  if (typeof value === "boolean") return value ? "true" : "";
  return value === null ? "" : JSON.stringify(value);
}

/** Digits without an exponent, which `int()` would refuse: 1e21 is "1000000000000000000000". */
function decimal(value: number): string {
  const [mantissa = "", exponent] = String(value).split("e");
  if (exponent === undefined) return mantissa;
  const sign = mantissa.startsWith("-") ? "-" : "";
  const [whole = "", fraction = ""] = mantissa.replace("-", "").split(".");
  const shift = Number(exponent);
  if (shift > 0) return sign + whole + fraction.padEnd(shift, "0");
  return `${sign}0.${"0".repeat(-shift - whole.length)}${whole}${fraction}`;
}
