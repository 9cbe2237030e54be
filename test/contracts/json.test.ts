import { fc } from "@fast-check/vitest";
import { describe, expect, test } from "vitest";
import { parseJson } from "../../src/contracts/json.ts";

const faultOf = (text: string) => {
  const json = parseJson(text);
  return json.ok ? null : json.fault;
};

test("what is JSON is read", () => {
  expect(
    parseJson(' {"a": [1, -0.5e2, true, false, null, "x\\n\\u0041\\/"], "b": {}}\r\n\t'),
  ).toEqual({
    ok: true,
    value: { a: [1, -50, true, false, null, "x\nA/"], b: {} },
  });
});

test("objects are plain, and no key reaches their prototype", () => {
  const json = parseJson('{"constructor": 1, "toString": 2, "hasOwnProperty": 3}');
  expect(json).toEqual({ ok: true, value: { constructor: 1, toString: 2, hasOwnProperty: 3 } });
  expect(faultOf('{"a": {"__proto__": {"polluted": true}}}')).toEqual({
    code: "forbidden_key",
    key: "__proto__",
    line: 1,
    column: 8,
  });
  expect(Object.hasOwn(Object.prototype, "polluted")).toBe(false);
});

describe("what is wrong is said in our own words, with its place", () => {
  test.each([
    ["", "the JSON ends where a value is missing", 1, 1],
    ["{", 'the JSON ends too early; "}" is missing', 1, 2],
    ['{"a":1', 'the JSON ends too early; "}" is missing', 1, 7],
    ["[1", 'the JSON ends too early; "]" is missing', 1, 3],
    ['{"a"', 'a colon expected after the key "a"', 1, 5],
    ['{"a":}', '"}" where a value is missing', 1, 6],
    ['{"a":1,}', 'a comma before "}"; remove it', 1, 7],
    ["[1,\n2,\n]", 'a comma before "]"; remove it', 2, 2],
    ["[1 2]", '"," or "]" expected, found "2"', 1, 4],
    [
      '{"a":"he said "hi""}',
      String.raw`"," or "}" expected, found "h"; a double quote inside a string is written \"`,
      1,
      16,
    ],
    ["{a:1}", 'a key in double quotes expected, found "a"', 1, 2],
    ["{'a':1}", `a key in double quotes expected, found "'"`, 1, 2],
    ["{\"a\":'b'}", 'strings stand in straight double quotes (")', 1, 6],
    ['{"a":“b”}', 'strings stand in straight double quotes (")', 1, 6],
    ['{"a":True}', "True is not JSON; write true", 1, 6],
    ["None", "None is not JSON; write null", 1, 1],
    ["[yes]", 'a value expected, found "yes"; text stands in double quotes', 1, 2],
    ["[🙂]", 'a value expected, found "🙂"; text stands in double quotes', 1, 2],
    ["// note\n1", "a comment; JSON has no comments", 1, 1],
    ['{"a":1, // note\n"b":2}', "a comment; JSON has no comments", 1, 9],
    ["1 2", "something stands after the end of the JSON", 1, 3],
    ["\uFEFF1", 'a value expected, found "\uFEFF"; text stands in double quotes', 1, 1],
    ['"abc', "this string has no closing double quote", 1, 1],
    ['"abc\\', "the text ends inside a string", 1, 5],
    ['"a\nb"', String.raw`a line break inside a string; write \n instead`, 1, 3],
    ['"a\tb"', String.raw`a tab inside a string; write \t instead`, 1, 3],
    ['"a\u0001b"', String.raw`a control character inside a string; write \u0001 instead`, 1, 3],
    [String.raw`"\d"`, String.raw`\d is not an escape; write \\d`, 1, 2],
    [String.raw`"it\'s"`, String.raw`\' is not an escape; write ' without a backslash`, 1, 4],
    [String.raw`"C:\ x"`, String.raw`a lone backslash; write \\ for one`, 1, 4],
    [
      '"a\\\nb"',
      String.raw`a lone backslash at the end of a line; write \n for a line break`,
      1,
      3,
    ],
    [String.raw`"\u12g4"`, String.raw`\u needs four hexadecimal digits after it`, 1, 2],
    ["-", 'a "-" without a number after it', 1, 1],
    ["+1", "a number starts with a digit or -", 1, 1],
    [".5", "a number starts with a digit or -", 1, 1],
    [
      "01",
      "this is not a number in JSON; write digits like 10 or 0.5, or put it in double quotes",
      1,
      1,
    ],
    [
      "[0x10]",
      "this is not a number in JSON; write digits like 10 or 0.5, or put it in double quotes",
      1,
      2,
    ],
    [
      "1.",
      "this is not a number in JSON; write digits like 10 or 0.5, or put it in double quotes",
      1,
      1,
    ],
    ["1e999", "this number is too large to be kept exactly; put it in double quotes", 1, 1],
    [
      "9007199254740993",
      "this number is too large to be kept exactly; put it in double quotes",
      1,
      1,
    ],
    ["[".repeat(65), "more than 64 levels of brackets", 1, 65],
  ])("%j", (text, reason, line, column) => {
    expect(faultOf(text)).toEqual({ code: "bad_json", reason, line, column });
  });

  test("a key that comes twice, at any depth and however it is written", () => {
    expect(faultOf('{"a":[\r\n{"x":1,\r\n"\\u0078":2}]}')).toEqual({
      code: "duplicate_key",
      key: "x",
      line: 3,
      column: 1,
    });
    expect(faultOf('{"toString":1,"toString":2}')).toEqual({
      code: "duplicate_key",
      key: "toString",
      line: 1,
      column: 15,
    });
  });
});

test.each([
  "9007199254740991",
  "-9007199254740992",
  "1e20",
  "100000000000000000000",
  "0.1",
  "-0",
  "1E+2",
])("the number %s is kept", (literal) => {
  expect(parseJson(literal)).toEqual({ ok: true, value: JSON.parse(literal) });
});

test("it accepts exactly what JSON.parse accepts, but for what would be lost or changed", () => {
  const piece = fc.oneof(
    fc.constantFrom(
      "{",
      "}",
      "[",
      "]",
      ",",
      ":",
      '"a"',
      '"b"',
      '"',
      "\\",
      "\\n",
      "\\u00e9",
      "\\x",
      " ",
      "\n",
      "\t",
    ),
    fc.constantFrom(
      "1",
      "-",
      "0",
      ".5",
      "e3",
      "true",
      "null",
      "nul",
      "/*",
      "'",
      "\u2028",
      "\uFEFF",
      '{"a":1}',
      "[1,2]",
    ),
    fc.string({ unit: "binary", maxLength: 3 }),
  );
  const text = fc.oneof(
    fc.array(piece, { maxLength: 12 }).map((parts) => parts.join("")),
    fc.json({ stringUnit: "binary" }),
    fc.tuple(fc.json(), fc.nat(), piece).map(([json, at, part]) => {
      const place = at % (json.length + 1);
      return json.slice(0, place) + part + json.slice(place);
    }),
  );
  fc.assert(
    fc.property(text, (written) => {
      const ours = parseJson(written);
      const reason = ours.ok || ours.fault.code !== "bad_json" ? "" : ours.fault.reason;
      const isOurRule = !ours.ok && (reason === "" || /too large|levels/.test(reason));
      expect(isOurRule ? null : ours.ok ? ours.value : undefined).toEqual(
        isOurRule ? null : parsed(written),
      );
      expect(reason).not.toMatch(/[\n\r]|Unexpected|position/);
    }),
    { numRuns: 5000 },
  );
});

/** The host's reading; undefined where it refuses. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
