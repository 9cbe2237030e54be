import { fc, test as property } from "@fast-check/vitest";
import { Ajv2020 } from "ajv/dist/2020.js";
import { describe, expect, test } from "vitest";
import type { InputSchema, OfferedTool, PropertySchema } from "../../src/session/offer.ts";
import { exampleCall, toolLine } from "../../src/skills/tool-line.ts";

function tool(
  properties: Record<string, PropertySchema>,
  required: string[] = [],
  description = "",
): OfferedTool {
  const schema: InputSchema = { type: "object", properties, required, additionalProperties: false };
  return { name: "make", description, schema };
}

const string = (more: Omit<PropertySchema, "type"> = {}): PropertySchema => ({
  type: "string",
  ...more,
});
const integer = (more: Omit<PropertySchema, "type"> = {}): PropertySchema => ({
  type: "integer",
  ...more,
});

describe("a line", () => {
  test("names the tool, its properties and what it does", () => {
    const schema = { path: string(), max_lines: integer({ minimum: 1, maximum: 2000 }) };
    const line = toolLine({
      ...tool(schema, ["path"], "Reads one text file. Fails for others."),
      name: "read_file",
    });
    expect(line).toBe("read_file path* max_lines(integer 1-2000) – Reads one text file.");
  });

  test.each<[string, PropertySchema, string]>([
    ["a text", string(), "x"],
    ["any value", {}, "x"],
    ["a text that must not be empty", string({ minLength: 1 }), "x"],
    ["a text with a limit", string({ maxLength: 300 }), "x(max 300)"],
    ["a text with two limits", string({ minLength: 3, maxLength: 300 }), "x(3-300 characters)"],
    ["a long text", string({ minLength: 3 }), "x(min 3)"],
    ["an integer", integer(), "x(integer)"],
    ["an integer from 1", integer({ minimum: 1 }), "x(integer min 1)"],
    ["an integer up to 9", integer({ maximum: 9 }), "x(integer max 9)"],
    ["a number", { type: "number", minimum: -0.5, maximum: 1 }, "x(number -0.5-1)"],
    ["a switch", { type: "boolean", default: false }, "x(true|false)"],
    ["a list", { type: "array", items: string() }, "x(list)"],
    ["a list of any length", { type: "array" }, "x(list)"],
    [
      "a list of integers",
      { type: "array", items: integer({ minimum: 1, maximum: 5 }), minItems: 1, maxItems: 3 },
      "x(list 1-3 of integer 1-5)",
    ],
    ["a pair", { type: "array", items: string(), minItems: 2, maxItems: 2 }, "x(list 2)"],
    ["choices", string({ enum: ["dad", "pun", "riddle"] }), "x(dad|pun|riddle)"],
    ["numbers to choose from", integer({ enum: [1, 2] }), "x(1|2)"],
    ["a list of choices", { type: "array", items: string({ enum: ["a", "b"] }) }, "x(list of a|b)"],
    [
      "choices that need quotes",
      string({ enum: ["two words", "a|b", "", 'q"'] }),
      'x("two words"|"a|b"|""|"q\\"")',
    ],
    [
      "many choices",
      string({ enum: Array.from({ length: 20 }, (_, index) => `v${index}`) }),
      "x(v0|v1|v2|v3|v4|v5|v6|v7|v8|v9|v10|v11|…)",
    ],
    ["a note", string({ description: "the text to write." }), "x(the text to write)"],
    ["a limit and a note", string({ maxLength: 9, description: "a word" }), "x(max 9; a word)"],
    ["a note that repeats the name", string({ description: "The X." }), "x"],
    ["a long note", string({ description: "y".repeat(61) }), "x"],
    ["a hidden character", string({ description: "a\u202Eb\nc" }), "x(a\\u{202e}b c)"],
  ])("%s", (_what, schema, word) => {
    expect(toolLine(tool({ x: schema }))).toBe(`make ${word}`);
  });

  test("required properties come first", () => {
    expect(toolLine(tool({ a: string(), b: string() }, ["b"]))).toBe("make b* a");
  });

  test("notes are left out where the line would grow too long, limits never", () => {
    const schema = Object.fromEntries(
      ["one", "two", "three", "four"].map((name) => [
        name,
        string({ maxLength: 10, description: `${"w".repeat(40)} ${name}` }),
      ]),
    );
    expect(toolLine(tool(schema))).toBe(
      `make one(max 10; ${"w".repeat(40)} one) two(max 10) three(max 10) four(max 10)`,
    );
  });

  test("only the first dozen of optional properties is shown", () => {
    const schema = Object.fromEntries(
      Array.from({ length: 15 }, (_, index) => [`p${index}`, string()]),
    );
    expect(toolLine(tool(schema, ["p14"]))).toBe(
      "make p14* p0 p1 p2 p3 p4 p5 p6 p7 p8 p9 p10 p11 (+2 optional)",
    );
  });

  test("a property whose name could be misread is quoted", () => {
    expect(toolLine(tool({ "a b": string() }))).toBe('make "a b"');
  });

  test.each([
    ["Makes tea", "make – Makes tea"],
    ["Makes tea, e.g. green. And more.", "make – Makes tea, e.g. green."],
    ["Uses v1.2 of it! More.", "make – Uses v1.2 of it!"],
    ["泡茶。再来。", "make – 泡茶。"],
    [`Makes ${"very ".repeat(30)}good tea.`, `make – Makes ${"very ".repeat(14).trim()}…`],
    [" Makes\n  tea.\n\nMore.", "make – Makes tea."],
  ])("the sentence of %j is %j", (description, line) => {
    expect(toolLine(tool({}, [], description))).toBe(line);
  });

  test("five tools and an example stay below 600 characters, about 150 tokens", () => {
    const path = string({ description: "the file" });
    const tools: OfferedTool[] = [
      {
        ...tool(
          { path, from: integer({ minimum: 1 }) },
          ["path"],
          "Reads a text file, whole or some of its lines.",
        ),
        name: "read_file",
      },
      {
        ...tool(
          { path, content: string({ maxLength: 30000 }) },
          ["path", "content"],
          "Creates a new text file.",
        ),
        name: "create_file",
      },
      { ...tool({ path }, ["path"], "Deletes one file."), name: "delete_file" },
      { ...tool({ glob: string() }, ["glob"], "Finds files by name."), name: "find_file" },
      {
        ...tool({ depth: integer({ minimum: 1, maximum: 20 }) }, [], "Lists files and folders."),
        name: "list_files",
      },
    ];
    const [first = tool({})] = tools;
    const text = [...tools.map(toolLine), JSON.stringify(exampleCall(first))].join("\n");
    expect(text.length).toBeLessThan(600);
  });
});

describe("an example", () => {
  test.each<[string, PropertySchema, unknown]>([
    ["path", string(), "notes.txt"],
    ["filePath", string(), "notes.txt"],
    ["place", string(), "Berlin"],
    ["x", string(), "tea"],
    ["x", string({ description: "a city, e.g. Rome" }), "Rome"],
    ["x", string({ description: 'for example "two words", or more' }), "two words"],
    ["name", string({ description: "a pattern like *.md" }), "*.md"],
    ["x", string({ description: "the file, like this one" }), "notes.txt"],
    ["x", string({ description: "e.g. much too long", maxLength: 2 }), "te"],
    ["x", string({ minLength: 6 }), "teaxxx"],
    ["x", string({ default: "." }), "."],
    ["x", string({ default: "" }), "tea"],
    ["x", string({ enum: ["b", "a"], default: "a" }), "a"],
    ["x", string({ enum: ["b", "a"] }), "b"],
    ["x", integer(), 1],
    ["x", integer({ minimum: 2.5 }), 3],
    ["x", integer({ maximum: -1.5 }), -2],
    ["x", { type: "number", minimum: 0.5 }, 0.5],
    ["x", { type: "boolean" }, true],
    ["files", { type: "array", items: string(), minItems: 2 }, ["notes.txt", "notes.txt"]],
    ["x", { type: "array", maxItems: 0 }, []],
    ["x", {}, "tea"],
  ])("of %s %j is %j", (name, schema, value) => {
    expect(exampleCall(tool({ [name]: schema }, [name]))).toEqual({
      name: "make",
      input: { [name]: value },
    });
  });

  test("has the required properties only, or the first of the others", () => {
    expect(exampleCall(tool({ a: string(), b: string() }, ["b"])).input).toEqual({ b: "tea" });
    expect(exampleCall(tool({ a: string(), b: string() })).input).toEqual({ a: "tea" });
    expect(exampleCall(tool({})).input).toEqual({});
  });
});

const limits = (least: string, most: string, most_of_all: number) =>
  fc
    .tuple(fc.nat(most_of_all), fc.nat(most_of_all))
    .map((pair) => ({ [least]: Math.min(...pair), [most]: Math.max(...pair) }));
const scalar: fc.Arbitrary<PropertySchema> = fc.oneof(
  fc.record(
    { type: fc.constant("string" as const), description: fc.string() },
    { requiredKeys: ["type"] },
  ),
  limits("minLength", "maxLength", 100).map((some) => ({ type: "string" as const, ...some })),
  limits("minimum", "maximum", 50).map((some) => ({ type: "integer" as const, ...some })),
  fc.record({
    type: fc.constant("number" as const),
    maximum: fc.double({ noNaN: true, min: -99, max: 99 }),
  }),
  fc.constant({ type: "boolean" as const }),
  fc
    .array(fc.string(), { minLength: 1, maxLength: 20 })
    .map((choices) => ({ type: "string" as const, enum: [...new Set(choices)] })),
);
const anyProperty: fc.Arbitrary<PropertySchema> = fc.oneof(
  scalar,
  fc
    .tuple(scalar, limits("minItems", "maxItems", 5))
    .map(([items, some]) => ({ type: "array" as const, items, ...some })),
);

property.prop([fc.dictionary(fc.string(), anyProperty, { maxKeys: 6 }), fc.string()], {
  numRuns: 30,
})(
  "the example of any tool is valid for its schema, and its line is one line",
  (properties, description) => {
    const names = Object.keys(properties);
    const made = tool(properties, names.slice(0, 3), description);
    const validate = new Ajv2020({ strict: false, ownProperties: true }).compile(made.schema);
    expect([validate(exampleCall(made).input), validate.errors]).toEqual([true, null]);
    expect(toolLine(made)).not.toMatch(/[\p{Cc}\u2028\u202E]/u);
  },
);
