import { expect, test } from "vitest";
import { signature } from "../../src/contracts/call.ts";

test("calls that differ only in the order of their keys have one signature", () => {
  const one = { name: "find", input: { b: [1, { y: null, x: "é" }], a: true } };
  const other = { name: "find", input: { a: true, b: [1, { x: "é", y: null }] } };
  expect(signature(one)).toBe('find {"a":true,"b":[1,{"x":"é","y":null}]}');
  expect(signature(other)).toBe(signature(one));
});

test.each([
  [
    { name: "find", input: { a: "1" } },
    { name: "find", input: { a: 1 } },
  ],
  [
    { name: "find", input: { a: [1, 2] } },
    { name: "find", input: { a: [2, 1] } },
  ],
  [
    { name: "find", input: {} },
    { name: "find {}", input: {} },
  ],
  [
    { name: "find", input: { a: {} } },
    { name: "find", input: { a: [] } },
  ],
])("calls that differ have different signatures", (one, other) => {
  expect(signature(one)).not.toBe(signature(other));
});
