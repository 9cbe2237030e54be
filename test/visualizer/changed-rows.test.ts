import { expect, test } from "vitest";
import { changedRows } from "../../visualizer/changed-rows.ts";

test("inside an object only the values that are others now", () => {
  const before = { budget: { retries: 3, steps: 12, asks: 3 } };
  const patch = { budget: { set: { retries: 3, steps: 11, asks: 3 } } };
  expect(changedRows(patch, before)).toEqual([
    { path: "budget.steps", was: 12, now: 11, added: null },
  ]);
});

test("a key that comes and a key that goes inside an object", () => {
  expect(changedRows({ a: { set: { new: 1 } } }, { a: { old: 2 } })).toEqual([
    { path: "a.old", was: 2, now: undefined, added: null },
    { path: "a.new", was: undefined, now: 1, added: null },
  ]);
});

test("a list that grew shows what it grew by", () => {
  expect(changedRows({ log: { keep: 2, append: ["c"] } }, { log: ["a", "b"] })).toEqual([
    { path: "log", was: undefined, now: undefined, added: { after: 2, items: ["c"] } },
  ]);
});

test("an empty list that is filled grew as well", () => {
  expect(changedRows({ log: { set: ["a"] } }, { log: [] })).toEqual([
    { path: "log", was: undefined, now: undefined, added: { after: 0, items: ["a"] } },
  ]);
});

test("a list that lost its end is shown whole on both sides", () => {
  expect(changedRows({ log: { keep: 1, append: ["c"] } }, { log: ["a", "b"] })).toEqual([
    { path: "log", was: ["a", "b"], now: ["a", "c"], added: null },
  ]);
});

test("a value of another kind, a new key and a key that is gone", () => {
  const before = { problem: { code: "backend" }, old: 1 };
  const patch = { problem: { set: null }, fresh: { set: "x" }, old: { gone: true as const } };
  expect(changedRows(patch, before)).toEqual([
    { path: "problem", was: { code: "backend" }, now: null, added: null },
    { path: "fresh", was: undefined, now: "x", added: null },
    { path: "old", was: 1, now: undefined, added: null },
  ]);
});
