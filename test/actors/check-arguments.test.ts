import { describe, expect, test } from "vitest";
import { checkArguments } from "../../src/actors/check-arguments.ts";
import type { JsonObject } from "../../src/contracts/call.ts";
import type { ArgumentFault } from "../../src/contracts/problem.ts";
import type { CheckedTool } from "../../src/skills/correct-form.ts";

const tool: CheckedTool = {
  name: "list_notes",
  description: "",
  schema: {
    type: "object",
    properties: {
      folder: { type: "string", minLength: 1 },
      limit: { type: "integer", minimum: 1, maximum: 50 },
      order: { type: "string", enum: ["name", "date"] },
      tags: { type: "array", items: { type: "string" } },
      "a/b.c": { type: "string" },
    },
    required: ["folder"],
    additionalProperties: false,
  },
};
const check = (input: JsonObject, offered = tool) =>
  checkArguments({ name: offered.name, input }, offered);

test("nothing is said of what is in order", async () => {
  expect(await check({ folder: "work", limit: 3, order: "date", tags: ["a"] })).toBeNull();
});

describe("a fault says where it is, what is wanted and what came", () => {
  const rows: [string, JsonObject, ArgumentFault, JsonObject][] = [
    [
      "missing",
      { limit: 3 },
      { fault: "missing_arg", path: "folder", expected: "a text in quotes, not empty" },
      { folder: "notes", limit: 3 },
    ],
    [
      "unknown, near to a known one",
      { folder: "work", limt: 3 },
      {
        fault: "unknown_arg",
        path: "limt",
        expected: "one of folder, limit, order, tags, a/b.c",
        nearest: "limit",
      },
      { folder: "work", limit: 3 },
    ],
    [
      "another type",
      { folder: "work", limit: "3" },
      {
        fault: "bad_type",
        path: "limit",
        expected: "an integer from 1 to 50, written without quotes",
        found: "3",
      },
      { folder: "work", limit: 3 },
    ],
    [
      "over a limit",
      { folder: "work", limit: 99 },
      {
        fault: "over_limit",
        path: "limit",
        expected: "an integer from 1 to 50, written without quotes",
        found: 99,
      },
      { folder: "work", limit: 50 },
    ],
    [
      "not allowed",
      { folder: "work", order: "dates" },
      {
        fault: "bad_value",
        path: "order",
        expected: 'one of "name", "date"',
        found: "dates",
        nearest: "date",
      },
      { folder: "work", order: "date" },
    ],
    [
      "an item of a list",
      { folder: "work", tags: ["a", 1] },
      { fault: "bad_type", path: "tags.1", expected: "a text in quotes", found: 1 },
      { folder: "work", tags: ["a", "1"] },
    ],
    [
      "under a name with a slash",
      { folder: "work", "a/b.c": 1 },
      { fault: "bad_type", path: "a/b.c", expected: "a text in quotes", found: 1 },
      { folder: "work", "a/b.c": "1" },
    ],
    [
      "a NUL, which no script can be given",
      { folder: "a\0b" },
      { fault: "bad_value", path: "folder", expected: "text without NUL or half a surrogate pair" },
      { folder: "ab" },
    ],
    [
      "half a letter, which would arrive as another one",
      { folder: "work", tags: ["\ud83d"] },
      { fault: "bad_value", path: "tags", expected: "text without NUL or half a surrogate pair" },
      { folder: "work", tags: [""] },
    ],
  ];
  test.each(rows)("%s", async (_name, input, fault, example) => {
    expect(await check(input)).toEqual({
      code: "bad_argument",
      tool: "list_notes",
      faults: [fault],
      example: { name: "list_notes", input: example },
    });
  });
});

test("properties that exclude each other are told apart, and one is shown", async () => {
  const either: CheckedTool = {
    ...tool,
    schema: {
      type: "object",
      properties: { id: { type: "integer" }, title: { type: "string" } },
      required: [],
      additionalProperties: false,
    },
    exclusive: [{ names: ["id", "title"], required: true }],
  };
  expect(await check({ id: 1, title: "plan" }, either)).toMatchObject({
    faults: [{ path: "title", expected: "exactly one of id, title (id is given too)" }],
    example: { input: { id: 1 } },
  });
  expect(await check({}, either)).toMatchObject({
    faults: [{ fault: "missing_arg", path: "id", expected: "exactly one of id, title" }],
    example: { input: { id: 1 } },
  });
});

test("a thousand faults are not listed", async () => {
  const input = Object.fromEntries(Array.from({ length: 1000 }, (_, index) => [`x${index}`, 1]));
  expect((await check(input))?.faults).toHaveLength(20);
});
