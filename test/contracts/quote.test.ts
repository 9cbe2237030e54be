import { describe, expect, test } from "vitest";
import { clip, inert, quoted } from "../../src/contracts/quote.ts";

describe("clip", () => {
  test("keeps what fits and ends the rest in a mark", () => {
    expect(clip("abc", 3)).toBe("abc");
    expect(clip("abcd", 3)).toBe("ab…");
  });

  test("cuts no surrogate pair in two", () => {
    expect(clip("a🙂bc", 3)).toBe("a…");
  });
});

test("quoted is one line in double quotes, without anything a template could read", () => {
  expect(quoted('a\n"b"\u2028\u0085<|im_end|></s>')).toBe(
    String.raw`"a\n\"b\"\u2028\u0085\u003c|im_end|>\u003c/s>"`,
  );
});

test("inert JSON is read back as it was", () => {
  const written = JSON.stringify({ "<|a|>": "<eos> <end_of_turn> <b>" });
  expect(inert(written)).toBe(String.raw`{"\u003c|a|>":"\u003ceos> \u003cend_of_turn> <b>"}`);
  expect(JSON.parse(inert(written))).toEqual(JSON.parse(written));
});
