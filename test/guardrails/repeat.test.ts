import { describe, expect, test } from "vitest";
import { type Call, signature } from "../../src/contracts/call.ts";
import { isGoingRound, isRepeat, type Ran } from "../../src/guardrails/repeat.ts";

const call = (name: string): Call => ({ name, input: { title: "plan", tags: ["a", "b"] } });
const ran = (name: string, effect: Ran["effect"] = "read"): Ran => ({
  signature: signature(call(name)),
  effect,
});
const reads = (names: string) => names.split("").map((name) => ran(name));

describe("a repeat", () => {
  test("is a call that ran already", () => {
    expect(isRepeat(call("a"), [ran("a")])).toBe(true);
    expect(isRepeat(call("a"), [ran("a"), ran("b")])).toBe(true);
    expect(isRepeat(call("a"), [ran("b")])).toBe(false);
    expect(isRepeat(call("a"), [])).toBe(false);
  });

  test("is the same with its arguments in another order, and not with other arguments", () => {
    expect(isRepeat({ name: "a", input: { tags: ["a", "b"], title: "plan" } }, [ran("a")])).toBe(
      true,
    );
    expect(isRepeat({ name: "a", input: { tags: ["b", "a"], title: "plan" } }, [ran("a")])).toBe(
      false,
    );
    expect(isRepeat({ name: "a", input: {} }, [ran("a")])).toBe(false);
  });

  test("is none when another call has changed something since", () => {
    expect(isRepeat(call("a"), [ran("a"), ran("w", "write")])).toBe(false);
    expect(isRepeat(call("a"), [ran("a"), ran("w", "destructive"), ran("b")])).toBe(false);
    expect(isRepeat(call("a"), [ran("a"), ran("w", "write"), ran("a")])).toBe(true);
    expect(isRepeat(call("a"), [ran("w", "write"), ran("a")])).toBe(true);
  });

  test("is one for the whole turn when the user said no to it", () => {
    expect(isRepeat(call("a"), [ran("a", "denied"), ran("w", "write")])).toBe(true);
    expect(isRepeat(call("a"), [ran("a"), ran("b", "denied")])).toBe(true);
    expect(isRepeat(call("a"), [ran("b", "denied")])).toBe(false);
  });

  test("of a write is one, as its own effect does not make it new", () => {
    expect(isRepeat(call("w"), [ran("w", "write")])).toBe(true);
    expect(isRepeat(call("w"), [ran("w", "destructive"), ran("a")])).toBe(true);
    expect(isRepeat(call("w"), [ran("w", "write"), ran("v", "write")])).toBe(false);
  });
});

describe("going round", () => {
  test.each([
    ["a", "b", "aba", "b"],
    ["a", "b", "xyaba", "b"],
    ["three", "calls", "abcab", "c"],
    ["four", "calls", "abcdabc", "d"],
    ["five", "calls", "abcdeabcd", "e"],
    ["three calls, two of them", "equal", "aabaa", "b"],
  ])("is a cycle gone through twice: %s %s", (_what, _else, before, next) => {
    expect(isGoingRound(call(next), reads(before))).toBe(true);
  });

  test.each([
    ["only once", "ab", "c"],
    ["one and a half times", "ab", "a"],
    ["not at the end", "abab", "c"],
    ["with another call in between", "abxa", "b"],
    ["six calls long", "abcdefabcde", "f"],
    ["the same call again, which is a repeat", "aaa", "a"],
    ["the same call again and again, which is a repeat", "aaaaaaaaa", "a"],
  ])("is not a cycle that is %s", (_what, before, next) => {
    expect(isGoingRound(call(next), reads(before))).toBe(false);
  });

  test("does not depend on the effects", () => {
    expect(
      isGoingRound(call("b"), [ran("a", "write"), ran("b", "destructive"), ran("a", "write")]),
    ).toBe(true);
  });

  test("with nothing before is none", () => {
    expect(isGoingRound(call("a"), [])).toBe(false);
  });
});
