import { expect, test } from "vitest";
import { readTyped } from "../../visualizer/json-fault.ts";

test("what is JSON is read", () => {
  expect(readTyped('{"a": [1, "b", null]}')).toEqual({ value: { a: [1, "b", null] } });
});

test.each([
  ["", "nothing is written yet"],
  ["  \n", "nothing is written yet"],
  [
    '{\n  "calls": [],\n}',
    'line 3, column 1: a name in "quotes" is missing, or the comma before is one too many',
  ],
  ["[1, ]", "line 1, column 5: a value is missing"],
  ["{a: 1}", 'line 1, column 2: a name in "quotes" or } is missing'],
  ['{"a" 1}', "line 1, column 6: a : is missing after the name"],
  ['{"a": 1 "b": 2}', "line 1, column 9: a , or } is missing"],
  ['[1\n "b"]', "line 2, column 2: a , or ] is missing"],
  ['{"a": [1, {"b": 2}', "line 1, column 19: a , or ] is missing"],
  ["[", "line 1, column 2: a value or ] is missing"],
  ["1 2", "line 1, column 3: nothing may come after the value"],
  ["{'a': 1}", 'line 1, column 2: texts stand in "double quotes"'],
  [
    '{"a": "b',
    "line 1, column 7: this text is not closed, or holds a line break or a \\ that JSON has not",
  ],
  [
    '["a\\x"]',
    "line 1, column 2: this text is not closed, or holds a line break or a \\ that JSON has not",
  ],
  ["[01]", "line 1, column 3: a , or ] is missing"],
  ["{]", 'line 1, column 2: a name in "quotes" or } is missing'],
])("%j: %s", (text, fault) => {
  expect(readTyped(text)).toEqual({ fault });
});

test("a long text that is not closed is judged in one pass", () => {
  const text = `["${"a\\n".repeat(200_000)}`;
  expect(readTyped(text)).toEqual({
    fault:
      "line 1, column 2: this text is not closed, or holds a line break or a \\ that JSON has not",
  });
});
