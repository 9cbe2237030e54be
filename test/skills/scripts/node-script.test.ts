import { fc, test as property } from "@fast-check/vitest";
import { describe, expect, test } from "vitest";
import { readNodeScript } from "../../../src/skills/scripts/node-script.ts";

const read = (source: string) => readNodeScript("tea.mjs", source);
const withOptions = (options: string) =>
  read(`export const description = "x";\nexport const options = ${options};`);
const properties = (options: string) => withOptions(options).tools[0]?.schema.properties;
const codes = (source: string) => read(source).diagnostics.map(({ code }) => code);

test("exported constants become a tool", () => {
  const source = `
export const description = "Makes " + "tea.";
export const effect = "destructive";
export const options = {
  kind: { type: "string", required: true, positional: true, enum: ["green", 'black'], description: \`which tea\` },
  cups: { type: "string", value: "integer", minimum: 1, maximum: 4, default: "2" },
  degrees: { type: "string", value: "number", minimum: -1.5 },
  "with-milk": { type: "boolean", short: "m", default: false },
  note: { type: "string", multiple: true, minLength: 1, maxLength: 20 },
};
`;
  expect(read(source)).toEqual({
    file: "tea.mjs",
    tools: [
      {
        command: [],
        description: "Makes tea.",
        effect: "destructive",
        exclusive: [],
        schema: {
          type: "object",
          properties: {
            kind: { type: "string", enum: ["green", "black"], description: "which tea" },
            cups: { type: "integer", minimum: 1, maximum: 4, default: 2 },
            degrees: { type: "number", minimum: -1.5 },
            "with-milk": { type: "boolean", default: false },
            note: { type: "array", items: { type: "string", minLength: 1, maxLength: 20 } },
          },
          required: ["kind"],
          additionalProperties: false,
        },
        arguments: [
          { name: "kind", flag: null, form: "value" },
          { name: "cups", flag: "--cups", form: "value" },
          { name: "degrees", flag: "--degrees", form: "value" },
          { name: "with-milk", flag: "--with-milk", form: "switch" },
          { name: "note", flag: "--note", form: "repeated" },
        ],
      },
    ],
    diagnostics: [],
    unknown: [],
  });
});

test("options without anything in them are a tool without arguments, which may write", () => {
  expect(withOptions("{}").tools).toEqual([
    {
      command: [],
      description: "x",
      effect: "write",
      exclusive: [],
      schema: { type: "object", properties: {}, required: [], additionalProperties: false },
      arguments: [],
    },
  ]);
});

test.each([
  [
    '{ file: { type: "string", multiple: true, positional: true, required: true } }',
    { file: { type: "array", items: { type: "string" }, minItems: 1 } },
  ],
  [
    '{ n: { type: "string", value: "integer", enum: ["1", 2], default: "2" } }',
    { n: { type: "integer", enum: [1, 2], default: 2 } },
  ],
  [
    '{ n: { type: "string", multiple: true, default: ["a"] } }',
    { n: { type: "array", items: { type: "string" }, default: ["a"] } },
  ],
  ['{ help: { type: "boolean", short: "h" }, n: { type: "string" } }', { n: { type: "string" } }],
  [
    '{ n: { type: "string", description: "a\\n\\u202Eb" } }',
    { n: { type: "string", description: "a \\u{202e}b" } },
  ],
  ['{ "n": { ["type"]: "string" } }', undefined],
])("%s is the schema %j", (options, schema) => {
  expect(properties(options)).toEqual(schema);
});

test("an exported constant may be exported by name, later", () => {
  const source =
    'const options = { n: { type: "string" } };\nconst text = "Makes tea.";\nexport { options, text as description };';
  expect(read(source).tools).toMatchObject([
    { description: "Makes tea.", arguments: [{ name: "n" }] },
  ]);
});

describe("what is computed is not guessed", () => {
  test.each([
    ["options are a call", "make()", "options is computed (line 2, column 24)"],
    ["options are a name", "other", "options is computed (line 2, column 24)"],
    ["options are spread", "{ ...other }", "a key of options is computed (line 2, column 26)"],
    ["an option is a name", "{ n: other }", "options.n is computed (line 2, column 29)"],
    [
      "an option is spread",
      '{ n: { type: "string", ...x } }',
      "a key of options.n is computed (line 2, column 47)",
    ],
    [
      "a key is computed",
      '{ [n]: { type: "string" } }',
      "a key of options is computed (line 2, column 26)",
    ],
    [
      "a getter",
      '{ get n() { return { type: "string" } } }',
      "a key of options is computed (line 2, column 26)",
    ],
    [
      "__proto__",
      '{ __proto__: { type: "string" } }',
      "a key of options is computed (line 2, column 26)",
    ],
    [
      "an enum of names",
      '{ n: { type: "string", enum: [a] } }',
      "options.n.enum is computed (line 2, column 54)",
    ],
    [
      "an enum with a hole",
      '{ n: { type: "string", enum: ["a", , "b"] } }',
      "options.n.enum is computed (line 2, column 53)",
    ],
    [
      "a template with a value",
      '{ n: { type: `str${"ing"}` } }',
      "options.n.type is computed (line 2, column 37)",
    ],
    [
      "a sum",
      '{ n: { type: "string", value: "integer", maximum: 1 + 1 } }',
      "options.n.maximum is computed (line 2, column 78)",
    ],
    [
      "deep nesting",
      `{ n: { type: "string", enum: ${"[".repeat(40)}${"]".repeat(40)} } }`,
      "options.n.enum is computed (line 2, column 70)",
    ],
  ])("%s", (_what, options, clear) => {
    expect(withOptions(options)).toEqual({
      file: "tea.mjs",
      tools: [],
      diagnostics: [
        {
          level: "error",
          code: "arguments_unclear",
          message: `No tool: ${clear}. Write the values out.`,
        },
      ],
      unknown: [],
    });
  });

  test("a default or a description that is computed is only left out", () => {
    const reading = withOptions(
      '{ n: { type: "string", default: process.cwd(), description: text() } }',
    );
    expect(reading.tools[0]?.schema.properties).toEqual({ n: { type: "string" } });
    expect(reading.diagnostics.map(({ level, code }) => [level, code])).toEqual([
      ["warning", "arguments_unclear"],
      ["warning", "arguments_unclear"],
    ]);
  });
});

describe("options that cannot be", () => {
  test.each([
    ["{ n: {} }", 'options.n needs type: "string" or "boolean"'],
    ['{ n: { type: "number" } }', 'options.n needs type: "string" or "boolean"'],
    [
      '{ n: { type: "string", value: "float" } }',
      'options.n has a value that is neither "integer" nor "number"',
    ],
    [
      '{ n: { type: "string", required: "yes" } }',
      "options.n has a required that is not a boolean",
    ],
    [
      '{ n: { type: "boolean", multiple: true } }',
      "options.n is a boolean, which cannot be multiple or positional",
    ],
    [
      '{ n: { type: "boolean", enum: ["a"] } }',
      "options.n is a boolean, which has no enum, value or limits",
    ],
    [
      '{ n: { type: "boolean", default: true } }',
      "options.n is on by default and could never be switched off; name it the other way round",
    ],
    [
      '{ n: { type: "string", minimum: 1 } }',
      'options.n has a minimum or maximum; it needs value: "integer" or "number"',
    ],
    [
      '{ n: { type: "string", value: "integer", maxLength: 1 } }',
      "options.n is a number, which has no minLength or maxLength",
    ],
    [
      '{ n: { type: "string", minLength: 3, maxLength: 2 } }',
      "options.n has a least value above its greatest",
    ],
    [
      '{ n: { type: "string", maxLength: -1 } }',
      "options.n has a length that is not a whole number from 0 on",
    ],
    [
      '{ n: { type: "string", short: "no" } }',
      "options.n has a short form that is not one character",
    ],
    [
      '{ n: { type: "string", required: true, default: "a" } }',
      "options.n is required and has a default; keep one",
    ],
    [
      '{ n: { type: "string", enum: [] } }',
      "options.n has an enum that is not a list of its own values, at least one",
    ],
    [
      '{ n: { type: "string", value: "integer", enum: ["a"] } }',
      "options.n has an enum that is not a list of its own values, at least one",
    ],
    [
      '{ n: { type: "string", enum: ["a"], default: "b" } }',
      "options.n has a default that it would refuse itself",
    ],
    [
      '{ n: { type: "string", value: "integer", maximum: 3, default: "4" } }',
      "options.n has a default that it would refuse itself",
    ],
    [
      '{ "a b": { type: "string" } }',
      'options.a b cannot be an option: write a letter, then letters, digits, "-" or "_", at most 64',
    ],
    [
      '{ constructor: { type: "string" } }',
      'options.constructor cannot be an option: write a letter, then letters, digits, "-" or "_", at most 64',
    ],
    [
      '{ a: { type: "string", positional: true }, b: { type: "string", positional: true, required: true } }',
      "options.b is a required positional after one that is not",
    ],
    [
      '{ a: { type: "string", positional: true, multiple: true }, b: { type: "string", positional: true } }',
      "options.b comes after a positional that takes all the rest",
    ],
  ])("%s", (options, fault) => {
    expect(withOptions(options)).toEqual({
      file: "tea.mjs",
      tools: [],
      diagnostics: [{ level: "error", code: "bad_option", message: `No tool: ${fault}.` }],
      unknown: [],
    });
  });

  test("a key that says nothing is named, with what may have been meant", () => {
    expect(withOptions('{ n: { type: "string", requierd: true } }').diagnostics).toEqual([
      {
        level: "warning",
        code: "unknown_key",
        message: 'options.n has the key "requierd" (did you mean "required"?), which says nothing.',
      },
    ]);
  });
});

describe("scripts without options", () => {
  test("one that reads process.argv takes words", () => {
    for (const source of [
      "#!/usr/bin/env node\n// Makes tea.\n// Quickly.\n\n// Another.\nconsole.log(process.argv.slice(2));",
      '/**\n * Makes tea.\n * Quickly.\n *\n * More.\n */\nimport { argv } from "node:process";',
      '// eslint-disable no-console\n\n// Makes tea. Quickly.\nconst p = require("x");\nreturn process["argv"];',
    ]) {
      const reading = read(source);
      expect(reading.diagnostics.map(({ level, code }) => [level, code])).toEqual([
        ["warning", "arguments_unclear"],
      ]);
      expect(reading.tools).toEqual([
        {
          command: [],
          description: "Makes tea. Quickly.",
          effect: "write",
          exclusive: [],
          schema: {
            type: "object",
            properties: {
              args: {
                type: "array",
                items: { type: "string" },
                description: "The words of the command line, one an item.",
              },
            },
            required: [],
            additionalProperties: false,
          },
          arguments: [{ name: "args", flag: null, form: "rest" }],
        },
      ]);
    }
  });

  test.each([
    ["a library", "export function makeTea() {}"],
    ["an empty file", ""],
    ["options that may change", 'export let options = { n: { type: "string" } };'],
    ["arguments of another object", "console.log(other.argv)"],
  ])("%s is no tool", (_what, source) => {
    expect(read(source)).toMatchObject({
      tools: [],
      diagnostics: [{ level: "warning", code: "no_command_line" }],
    });
  });
});

test.each([
  [
    "export const options = {",
    "No tool: line 1, column 25 is not valid JavaScript (Unexpected token). Correct it.",
  ],
  [
    "const a = 1;\n  let let = 2;\n",
    "No tool: line 2, column 7 is not valid JavaScript (Unexpected token). Correct it.",
  ],
  [
    "export const options: Options = {};",
    "No tool: line 1, column 21 is not valid JavaScript (Unexpected token). Correct it.",
  ],
])("%j does not parse, and the message says where", (source, message) => {
  const [remark] = read(source).diagnostics;
  expect(remark).toMatchObject({ level: "error", code: "syntax_error" });
  if (source.startsWith("export")) expect(remark?.message).toBe(message);
});

test.each([
  ['"read"', "read", []],
  ['"destructiv"', "destructive", ["bad_effect"]],
  ["pick()", "destructive", ["bad_effect"]],
  ["3", "destructive", ["bad_effect"]],
])("effect %s is taken as %s", (effect, taken, remarks) => {
  const source = `export const description = "x"; export const options = {}; export const effect = ${effect};`;
  expect(read(source).tools[0]?.effect).toBe(taken);
  expect(codes(source)).toEqual(remarks);
});

test("a script that says nothing about itself is remarked on", () => {
  expect(codes("/* Copyright 2024 */\nexport const options = {};")).toEqual(["no_description"]);
  expect(
    read("/* Copyright 2024 */\n/* Makes tea. */\nexport const options = {};").tools[0]
      ?.description,
  ).toBe("Makes tea.");
});

describe("on any text", () => {
  property.prop([
    fc.oneof(
      fc.string({ unit: "binary" }),
      fc
        .array(
          fc.constantFrom(
            "export const options = ",
            "{",
            "}",
            "n: ",
            "[",
            "]",
            '"a"',
            "`${",
            "}`",
            "type: ",
            '"string"',
            ",",
            ";",
            "\n",
            "...",
            "//",
            "/*",
            "-",
            "+",
            "process.argv",
            "=>",
            "class ",
            "#!",
          ),
          { maxLength: 40 },
        )
        .map((all) => all.join("")),
    ),
  ])("reading never throws", (source) => {
    expect(readNodeScript("a.mjs", source).file).toBe("a.mjs");
  });

  test.each([
    ["brackets", "[".repeat(200_000)],
    ["names", `let ${Array.from({ length: 40_000 }, (_, index) => `a${index}`).join(",")};`],
    ["sums", `export const description = ${'"a"+'.repeat(2_000)}"a"; export const options = {};`],
    ["comments", "// a\n".repeat(40_000)],
    ["blank lines", `${"\n".repeat(200_000)}(`],
    ["arrows", "a=>".repeat(60_000)],
  ])("200 kB of %s are read in a moment", (_what, source) => {
    expect(readNodeScript("a.mjs", source).file).toBe("a.mjs");
  });
});
