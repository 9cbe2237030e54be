import { isDeepStrictEqual } from "node:util";
import { fc, test as property } from "@fast-check/vitest";
import { describe, expect, test } from "vitest";
import { cappedOutput, shown } from "../../src/actors/capped-output.ts";

function capped(bytes: Uint8Array, bytesMax: number, pieceBytes = bytes.length || 1) {
  const output = cappedOutput(bytesMax);
  for (let at = 0; at < bytes.length; at += pieceBytes)
    output.write(bytes.subarray(at, at + pieceBytes));
  return output.end();
}
const utf8 = (text: string) => Buffer.from(text, "utf8");

describe("capped output", () => {
  test("nothing written is an empty text", () => {
    expect(cappedOutput(100).end()).toEqual({ text: "", missing_bytes: 0, missing_at: 0 });
  });

  test("output that just fits is kept whole, also with a character across the border of head and tail", () => {
    expect(capped(utf8("abcdefgh"), 8)).toEqual({
      text: "abcdefgh",
      missing_bytes: 0,
      missing_at: 8,
    });
    expect(capped(utf8("abcdeé12"), 8)).toEqual({
      text: "abcde12",
      missing_bytes: 2,
      missing_at: 5,
    });
    expect(capped(utf8("abcdeé1"), 8)).toEqual({
      text: "abcdeé1",
      missing_bytes: 0,
      missing_at: 7,
    });
  });

  test("three quarters of the head and one quarter of the tail are kept", () => {
    expect(capped(utf8("0123456789ABCDEF"), 8)).toEqual({
      text: "012345EF",
      missing_bytes: 8,
      missing_at: 6,
    });
  });

  test("characters are never cut in half", () => {
    // Four bytes each: six bytes of head hold one, two bytes of tail hold none.
    expect(capped(utf8("😀😀😀😀"), 8)).toEqual({ text: "😀", missing_bytes: 12, missing_at: 2 });
    expect(capped(utf8("€€€€€€€€"), 16)).toEqual({
      text: "€€€€€",
      missing_bytes: 9,
      missing_at: 4,
    });
  });

  test("bytes that are not UTF-8 become replacement characters", () => {
    expect(capped(Buffer.from("61ff62c3", "hex"), 8).text).toBe("a\uFFFDb\uFFFD");
    expect(capped(Buffer.alloc(100, 0x80), 8)).toEqual({
      text: "\uFFFD".repeat(6),
      missing_bytes: 94,
      missing_at: 6,
    });
  });

  test("a cap of no bytes keeps nothing and counts everything", () => {
    expect(capped(utf8("hello"), 0)).toEqual({ text: "", missing_bytes: 5, missing_at: 0 });
    expect(capped(utf8("hello"), 1)).toEqual({ text: "h", missing_bytes: 4, missing_at: 1 });
  });

  test("the notice stands where bytes are missing", () => {
    expect(shown(capped(utf8(`head${"x".repeat(12_340)}tail`), 16))).toBe(
      "headxxxxxxxx\n[… 12,332 bytes left out …]\ntail",
    );
    expect(shown(capped(utf8("hello"), 0))).toBe("[… 5 bytes left out …]");
    expect(shown(capped(utf8("hello"), 100))).toBe("hello");
  });

  property.prop([
    fc.string({ unit: "binary", maxLength: 60 }),
    fc.nat(80),
    fc.integer({ min: 1, max: 20 }),
  ])("how the bytes are split into chunks does not matter", (text, bytesMax, pieceBytes) => {
    return isDeepStrictEqual(
      capped(utf8(text), bytesMax, pieceBytes),
      capped(utf8(text), bytesMax),
    );
  });

  property.prop([fc.uint8Array({ maxLength: 100 }), fc.nat(80)])(
    "kept and missing bytes add up, and no more than the cap is kept",
    (bytes, bytesMax) => {
      const { missing_bytes } = capped(bytes, bytesMax);
      return (
        missing_bytes >= bytes.length - bytesMax &&
        (missing_bytes === 0) === bytes.length <= bytesMax
      );
    },
  );

  property.prop([fc.string({ unit: "grapheme", maxLength: 60 }), fc.nat(80)])(
    "well-formed text stays well-formed and is a prefix and a suffix of what was written",
    (text, bytesMax) => {
      const { text: kept, missing_at } = capped(utf8(text), bytesMax);
      return text.startsWith(kept.slice(0, missing_at)) && text.endsWith(kept.slice(missing_at));
    },
  );
});
