import { Ajv2020 } from "ajv/dist/2020.js";
import { fc, test } from "@fast-check/vitest";
import { describe, expect } from "vitest";
import type { Json, JsonObject } from "../../src/contracts/call.ts";
import type { OfferedTool, PropertySchema } from "../../src/session/offer.ts";
import { correctForm, type CheckedTool } from "../../src/skills/correct-form.ts";
import { metaTools } from "../../src/skills/meta-tools.ts";

const tool = (
  properties: Record<string, PropertySchema>,
  required: string[] = [],
): OfferedTool => ({
  name: "t",
  description: "",
  schema: { type: "object", properties, required, additionalProperties: false },
});
const text: PropertySchema = { type: "string" };
const shown = (input: JsonObject, offered: CheckedTool, known?: JsonObject) =>
  correctForm({ input }, offered, known)?.input;

describe("a correct form", () => {
  const list = tool({
    folder: text,
    limit: { type: "integer", minimum: 1, maximum: 50 },
    all: { type: "boolean" },
  });

  test.each<[string, JsonObject, JsonObject]>([
    ["keeps what fits", { folder: "work", limit: 3 }, { folder: "work", limit: 3 }],
    ["writes a number without its quotes", { limit: "10" }, { limit: 10 }],
    ["writes a whole number", { limit: 2.6 }, { limit: 3 }],
    ["stays within the limits", { limit: 5000 }, { limit: 50 }],
    [
      "does not guess a number from something else",
      { folder: "work", limit: "0x10" },
      { folder: "work", limit: 1 },
    ],
    ["writes a truth value without its quotes", { all: "True" }, { all: true }],
    ["writes text in quotes", { folder: 7 }, { folder: "7" }],
    ["puts a misspelt name right", { foldr: "work" }, { folder: "work" }],
    ["leaves out what is not known", { folder: "work", colour: "red" }, { folder: "work" }],
    ["leaves out what is null", { folder: null, limit: 2 }, { limit: 2 }],
    ["makes up nothing that need not be there", { colour: "red" }, {}],
  ])("%s", (_name, given, expected) => {
    expect(shown(given, list)).toEqual(expected);
  });

  test("fills what has to be there", () => {
    expect(shown({ title: "plan" }, tool({ title: text, text }, ["title", "text"]))).toEqual({
      title: "plan",
      text: "Buy tea",
    });
  });

  test("takes the one stray argument for the one that is missing", () => {
    expect(shown({ name: "notes" }, metaTools.load_skill)).toEqual({ skill_name: "notes" });
    expect(shown({ name: "notes" }, metaTools.load_skill, { skill_name: "x" })).toEqual({
      skill_name: "notes",
    });
  });

  test("uses values that are known to exist where the model gave none", () => {
    expect(shown({}, metaTools.load_skill, { skill_name: "notes" })).toEqual({
      skill_name: "notes",
    });
  });

  test("chooses the nearest of the allowed values, or the first one", () => {
    const colours = tool({ colour: { type: "string", enum: ["red", "green"] } }, ["colour"]);
    expect(shown({ colour: "gren" }, colours)).toEqual({ colour: "green" });
    expect(shown({ colour: "x" }, colours)).toEqual({ colour: "red" });
  });

  test("shortens a text that is too long, at a whole letter", () => {
    expect(shown({ label: "😀😀😀" }, tool({ label: { type: "string", maxLength: 2 } }))).toEqual({
      label: "😀😀",
    });
  });

  test("shows a very long text cut: it stands in the conversation already", () => {
    const given = shown(
      { text: "x".repeat(100_000), n: "1" },
      tool({ text, n: { type: "integer" } }),
    );
    expect(given?.["text"]).toHaveLength(2000);
  });

  test("gives one of the properties that exclude each other", () => {
    const either: CheckedTool = {
      ...tool({ a: text, b: text }),
      exclusive: [{ names: ["a", "b"], required: true }],
    };
    expect(shown({ a: "1", b: "2" }, either)).toEqual({ a: "1" });
    expect(shown({ b: "2" }, either)).toEqual({ b: "2" });
    expect(shown({}, either)).toEqual({ a: "tea" });
  });
});

const property: fc.Arbitrary<PropertySchema> = fc.oneof(
  fc.constant<PropertySchema>({}),
  fc.record({
    type: fc.constant("string" as const),
    minLength: fc.nat(3),
    maxLength: fc.integer({ min: 3, max: 9 }),
  }),
  fc.record({
    type: fc.constantFrom("integer" as const, "number" as const),
    minimum: fc.integer({ min: -5, max: 5 }),
    maximum: fc.integer({ min: 5, max: 9 }),
  }),
  fc.constant<PropertySchema>({ type: "boolean" }),
  fc.constant<PropertySchema>({
    type: "array",
    items: { type: "integer" },
    minItems: 1,
    maxItems: 2,
  }),
  fc.constant<PropertySchema>({ type: "string", enum: ["red", "green"] }),
);

test.prop([
  fc.dictionary(fc.constantFrom("a", "b", "c", "label", "limit"), property),
  fc.array(fc.constantFrom("a", "b", "c", "label", "limit")),
  fc.dictionary(
    fc.constantFrom("a", "b", "c", "lable", "limit", "x"),
    fc.jsonValue() as fc.Arbitrary<Json>,
  ),
])("whatever was given, what is shown is what the schema takes", (properties, wanted, given) => {
  const required = [...new Set(wanted)].filter((name) => name in properties);
  const offered = tool(properties, required);
  const call = correctForm({ input: given }, offered);
  expect(call).not.toBeNull();
  const validate = new Ajv2020({ strict: false }).compile(offered.schema);
  expect([validate(call?.input), validate.errors]).toEqual([true, null]);
});
