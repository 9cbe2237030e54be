import { describe, expect, test } from "vitest";
import { nearest } from "../../src/contracts/nearest.ts";

describe("nearest", () => {
  test.each([
    ["plam", ["plan", "shop"], "plan"],
    ["wether", ["notes", "weather"], "weather"],
    ["READ_NOTE", ["read_note"], "read_note"],
    ["read-note", ["read_note", "save_note"], "read_note"],
    ["a", ["b"], "b"],
  ])("%s is nearest to one of %j", (word, candidates, expected) => {
    expect(nearest(word, candidates)).toBe(expected);
  });

  test.each([
    ["calendar", ["tell-joke", "weather"]],
    ["x", []],
    ["str_replace_editor", ["list_notes", "read_note"]],
    ["y".repeat(100_000), ["z".repeat(100_000)]],
  ])("nothing is near enough", (word, candidates) => {
    expect(nearest(word, candidates)).toBeUndefined();
  });
});
