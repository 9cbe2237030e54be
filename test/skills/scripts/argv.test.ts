import { isDeepStrictEqual, parseArgs } from "node:util";
import { fc, test as law } from "@fast-check/vitest";
import { beforeAll, describe, expect, test } from "vitest";
import type { Json, JsonObject } from "../../../src/contracts/call.ts";
import type { PropertySchema } from "../../../src/session/offer.ts";
import { argvOf } from "../../../src/skills/scripts/argv.ts";
import { readPythonScripts } from "../../../src/skills/scripts/load-python-scripts.ts";
import type { ScriptTool } from "../../../src/skills/scripts/script-reading.ts";
import type { Argument } from "../../../src/skills/skill.ts";
import {
  argparseFixtures,
  askLiveParsers,
  type LiveResult,
  python,
  pythonFixture,
} from "../../helpers/python-fixtures.ts";

const tool = (...all: Argument[]) => ({ command: [], arguments: all });
const option = (form: Argument["form"], flag = "--flag"): Argument => ({ name: "x", flag, form });
const positional = (name: string, form: Argument["form"] = "value"): Argument => ({
  name,
  flag: null,
  form,
});

describe("the words of one argument", () => {
  test.each<[string, Argument, Json, string[]]>([
    ["a value", option("value"), "a b", ["--flag=a b"]],
    ["a value that begins with a dash", option("value"), "--other", ["--flag=--other"]],
    ["a value of a single-dash flag", option("value", "-n"), "-5", ["-n=-5"]],
    ["an empty value", option("value"), "", ["--flag="]],
    ["a value with a line break and quotes", option("value"), "a\n\"b' $c", ["--flag=a\n\"b' $c"]],
    ["a whole number", option("value"), -12, ["--flag=-12"]],
    ["a large number", option("value"), 1.25e21, ["--flag=1250000000000000000000"]],
    ["a tiny number", option("value"), -1.5e-7, ["--flag=-0.00000015"]],
    ["true as a value", option("value"), true, ["--flag=true"]],
    ["false as a value", option("value"), false, ["--flag="]],
    ["null", option("value"), null, []],
    ["a list", option("list"), ["a", "b c"], ["--flag", "a", "b c"]],
    ["a list of one item", option("list"), ["-a"], ["--flag=-a"]],
    ["an empty list", option("list"), [], ["--flag"]],
    ["repeated values", option("repeated"), ["-a", "b"], ["--flag=-a", "--flag=b"]],
    ["repeated lists", option("repeated"), [[1, 2], [3]], ["--flag", "1", "2", "--flag=3"]],
    ["a switch that is on", option("switch"), true, ["--flag"]],
    ["a switch that is off", option("switch"), false, []],
    ["a negative switch that is off", option("negative_switch", "--no-flag"), false, ["--no-flag"]],
    ["a negative switch that is on", option("negative_switch", "--no-flag"), true, []],
    ["a count", option("count", "-v"), 3, ["-v", "-v", "-v"]],
    ["a count of nothing", option("count", "-v"), 0, []],
    ["a rest", option("rest"), ["-a", "--b"], ["--flag", "-a", "--b"]],
    ["a positional", positional("x"), "a", ["--", "a"]],
    ["a list of positionals", positional("x", "list"), ["a", "-b"], ["--", "a", "-b"]],
    ["an empty list of positionals", positional("x", "list"), [], []],
    ["a rest of positionals", positional("x", "rest"), ["a", "-b"], ["a", "-b"]],
  ])("%s", (_title, argument, value, words) => {
    expect(argvOf(tool(argument), { x: value })).toEqual(words);
  });

  test("a count is never more than a hundred words", () => {
    expect(argvOf(tool(option("count", "-v")), { x: 1e12 })).toHaveLength(100);
  });

  test("what the input does not hold is not written", () => {
    expect(argvOf(tool(option("value"), positional("y")), {})).toEqual([]);
  });
});

describe("the order of the words", () => {
  test("options stand before positionals, lists before other options", () => {
    const all = tool(positional("file"), option("value"), {
      name: "many",
      flag: "--many",
      form: "list",
    });
    expect(argvOf(all, { file: "-f", x: "1", many: ["a", "b"] })).toEqual([
      "--many",
      "a",
      "b",
      "--flag=1",
      "--",
      "-f",
    ]);
  });

  test("the script's own words stand before the sub-command, nested ones between its words", () => {
    const nested = {
      command: ["remote", "add"],
      arguments: [
        { ...positional("config"), after_words: 0 },
        { ...option("value", "--root"), after_words: 0 },
        { name: "timeout", flag: "--timeout", form: "value" as const, after_words: 1 },
        positional("url"),
        { name: "force", flag: "--force", form: "switch" as const },
      ],
    };
    const input = { config: "c", x: "r", timeout: 3, url: "-u", force: true };
    expect(argvOf(nested, input)).toEqual([
      "--root=r",
      "c",
      "remote",
      "--timeout=3",
      "add",
      "--force",
      "--",
      "-u",
    ]);
  });

  test("one tool for many sub-commands takes the words from its command property", () => {
    const union = tool(
      { name: "command", flag: null, form: "command" },
      { ...option("value", "--root"), after_words: 0 },
      positional("id"),
    );
    expect(argvOf(union, { command: "remote add", x: "r", id: "7" })).toEqual([
      "--root=r",
      "remote",
      "add",
      "--",
      "7",
    ]);
  });

  test("a rest stands alone without a separator, but not after a list or another positional", () => {
    const rest = positional("words", "rest");
    expect(argvOf(tool(rest), { words: ["--city", "Paris"] })).toEqual(["--city", "Paris"]);
    expect(argvOf(tool(positional("x"), rest), { x: "-p", words: ["-a"] })).toEqual([
      "--",
      "-p",
      "-a",
    ]);
    expect(argvOf(tool(option("list"), rest), { x: ["a", "b"], words: ["c"] })).toEqual([
      "--flag",
      "a",
      "b",
      "--",
      "c",
    ]);
  });

  test("an option that takes the rest stands last", () => {
    const all = tool({ name: "rest", flag: "--rest", form: "rest" }, positional("file"));
    expect(argvOf(all, { rest: ["-a"], file: "f" })).toEqual(["f", "--rest", "-a"]);
  });
});

const nasty = [
  "-x",
  "--flag",
  "--flag=1",
  "-",
  "-5",
  "",
  " ",
  "a b",
  "a\nb",
  "\"'`$\\",
  "🙂é",
  "a=b",
  "=",
  "@file",
  "%s",
];
// "--" alone as a value is lost before Python 3.13.
const text = fc
  .oneof(fc.constantFrom(...nasty), fc.string({ unit: "grapheme" }))
  .filter((value) => value !== "--");

describe("scripts for node:util parseArgs", () => {
  const options = {
    value: { type: "string" },
    many: { type: "string", multiple: true },
    on: { type: "boolean" },
  } as const;
  const target = tool(
    positional("files", "list"),
    { name: "value", flag: "--value", form: "value" },
    { name: "many", flag: "--many", form: "repeated" },
    { name: "on", flag: "--on", form: "switch" },
  );
  const input = fc.record({
    value: text,
    many: fc.array(text, { minLength: 1, maxLength: 4 }),
    on: fc.constant(true),
    files: fc.array(text, { maxLength: 4 }),
  });

  law.prop([input])("read the same values", (values) => {
    const { values: read, positionals } = parseArgs({
      args: argvOf(target, values),
      options,
      allowPositionals: true,
    });
    return isDeepStrictEqual({ ...read, files: positionals }, { ...values });
  });
});

/** Fixtures whose values are not the words that were written, and the union tool; they have tests of their own. */
const indirect = new Set([
  "custom_action.py",
  "exclusive.py",
  "kinds.py",
  "many_commands.py",
  "remainder.py",
]);

interface Case {
  name: string;
  script: ScriptTool;
  input: JsonObject;
  argv: string[];
}

describe.skipIf(python.missing)(`scripts for argparse${python.note}`, () => {
  let cases: (Case & { result: LiveResult | undefined })[] = [];

  beforeAll(async () => {
    const names = argparseFixtures.filter((name) => !indirect.has(name));
    const readings = await readPythonScripts(names.map(pythonFixture), python.path);
    const made = readings.map(({ tools }, index) =>
      tools.flatMap((script) => casesFor(names[index] ?? "", script)),
    );
    const argvs = made.map(
      (some, index) => [pythonFixture(names[index] ?? ""), some.map(({ argv }) => argv)] as const,
    );
    const live = askLiveParsers(Object.fromEntries(argvs));
    cases = made.flatMap((some) =>
      some.map((one, index) => ({ ...one, result: live[pythonFixture(one.name)]?.results[index] })),
    );
  });

  test("whatever the schema allows reaches the parser as it was", () => {
    expect(cases.length).toBeGreaterThan(2_000);
    for (const { name, script, input, argv, result } of cases) {
      const values: JsonObject = result && "values" in result ? result.values : { ...result };
      const wanted = expectedValues(script, input);
      const read = Object.fromEntries(Object.keys(wanted).map((key) => [key, values[key]]));
      expect({ name, argv, read }).toEqual({ name, argv, read: wanted });
    }
  });

  test.each<[string, string[], JsonObject, JsonObject]>([
    [
      "exclusive.py",
      [],
      { url: "-u", fast: true },
      { url: "-u", mode: "fast", file: null, stdin: false },
    ],
    [
      "custom_action.py",
      [],
      { set: ["a=1", "b=-2"], stop: true },
      { set: { a: "1", b: "-2" }, stop: true },
    ],
    [
      "switches.py",
      [],
      { no_color: true, const: true, exact: true },
      { no_color: false, const: 5, exact: true },
    ],
    [
      "kinds.py",
      [],
      { path: "a/b", positive: "7", json: "[1]", color: "blue" },
      { path: "a/b", positive: 7, json: [1], color: "blue" },
    ],
    [
      "many_commands.py",
      [],
      { token: "-t", command: "move", target: "-a", move_id: "-b" },
      { token: "-t", command: "move", target: "-a", id: "-b" },
    ],
    [
      "many_commands.py",
      [],
      { token: "t", command: "stop", start_id: -4 },
      { token: "t", command: "stop", id: -4 },
    ],
    [
      "many_commands.py",
      [],
      { token: "t", command: "create", id: "-i", value: "-v" },
      { command: "create", id: "-i", value: "-v" },
    ],
    [
      "remainder.py",
      [],
      { timeout: 5, env: ["A", "B"], words: ["ls", "-l", "--timeout"] },
      { timeout: 5, env: ["A", "B"], words: ["ls", "-l", "--timeout"] },
    ],
    [
      "nested_commands.py",
      ["remote", "add"],
      { config: "-c", timeout: -1, name: "-n", url: "" },
      { config: "-c", timeout: -1, name: "-n", url: "", action: "add" },
    ],
  ])("%s %j takes %j", async (name, command, input, wanted) => {
    const [reading] = await readPythonScripts([pythonFixture(name)], python.path);
    const script = reading?.tools.find((one) => one.command.join(" ") === command.join(" "));
    const argv = script ? argvOf(script, input) : [];
    const result = askLiveParsers({ [pythonFixture(name)]: [argv] })[pythonFixture(name)]
      ?.results[0];
    expect({ argv, result }).toEqual({
      argv,
      result: { values: expect.objectContaining(wanted) as unknown },
    });
  });
});

function casesFor(name: string, script: ScriptTool): Case[] {
  const inputs = fc.sample(inputFor(script), { numRuns: 60, seed: 1 });
  return inputs.map((input) => ({ name, script, input, argv: argvOf(script, input) }));
}

/** Any input that the schema and the exclusive groups allow. */
function inputFor({ schema, arguments: written, exclusive }: ScriptTool): fc.Arbitrary<JsonObject> {
  const entries = Object.entries(schema.properties).map(([name, property]) => {
    const argument = written.find((one) => one.name === name);
    // Of the words of an option's list, none may begin with a dash.
    const isList =
      property.type === "array" && argument?.flag !== null && argument?.form === "list";
    return [name, valueFor(property, isList || property.items?.type === "array")] as const;
  });
  return fc.record(Object.fromEntries(entries), { requiredKeys: schema.required }).map((input) => {
    for (const { names } of exclusive) {
      const [, ...others] = names.filter((name) => name in input);
      for (const name of others) delete input[name];
    }
    return input;
  });
}

function valueFor(schema: PropertySchema, plainWords: boolean): fc.Arbitrary<Json> {
  if (schema.enum) return fc.constantFrom(...schema.enum);
  switch (schema.type) {
    case "boolean":
      return fc.boolean();
    case "integer":
      return fc.integer({
        min: schema.minimum ?? -(2 ** 31),
        max: schema.maximum ?? (schema.minimum === 0 ? 5 : 2 ** 30),
      });
    case "number":
      // Adding 0 turns -0, which JSON can write and an argument cannot, into 0.
      return fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => value + 0);
    case "array":
      return listFor(schema, plainWords);
    case "string":
    case undefined:
      break;
  }
  return plainWords ? text.filter((value) => !value.startsWith("-")) : text;
}

function listFor(
  { items, minItems, maxItems }: PropertySchema,
  plainWords: boolean,
): fc.Arbitrary<Json> {
  return fc.array(valueFor(items ?? {}, plainWords), {
    minLength: minItems ?? 0,
    maxLength: maxItems ?? 4,
  });
}

/** What the parser holds after the input was written: a flag that sets false, and lists that were never begun, aside. */
function expectedValues({ arguments: written }: ScriptTool, input: JsonObject): JsonObject {
  const entries = Object.entries(input).filter(([name, value]) => {
    const form = written.find((one) => one.name === name)?.form;
    const isEmpty = Array.isArray(value) && value.length === 0 && form !== "list";
    return !isEmpty && !["no_color", "const", "quiet"].includes(name);
  });
  return Object.fromEntries(entries);
}
