import { fc, test as property } from "@fast-check/vitest";
import { describe, expect, test } from "vitest";
import type { Json, JsonObject } from "../../src/contracts/call.ts";
import { patchBetween, patched } from "../../src/inspector/patch.ts";

/** As it comes out of a file or a socket: no -0. */
const asJson = <Value>(value: Value): Value => JSON.parse(JSON.stringify(value)) as Value;
const json = fc.jsonValue().map((value) => asJson(value) as Json);
/** Few names, so that many keys are in both; one that a careless object takes for its prototype. */
const context: fc.Arbitrary<JsonObject> = fc
  .dictionary(fc.constantFrom("log", "queue", "budget", "__proto__", "0"), json, {
    noNullPrototype: true,
  })
  .map(asJson);
const list = fc.array(json, { maxLength: 8 });

describe("for any two contexts", () => {
  property.prop([context, context])("the patch makes the one out of the other", (before, after) => {
    expect(patched(before, patchBetween(before, after))).toStrictEqual(after);
  });

  property.prop([context, context])("it does so after a way as text, too", (before, after) => {
    expect(patched(before, asJson(patchBetween(before, after)))).toStrictEqual(after);
  });

  property.prop([context])("nothing changed is an empty patch, even in a copy", (before) => {
    expect(patchBetween(before, asJson(before))).toStrictEqual({});
  });

  property.prop([context, context])("what is patched is left as it was", (before, after) => {
    const copy = asJson(before);
    patched(before, patchBetween(before, after));
    expect(before).toStrictEqual(copy);
  });
});

property.prop([list.filter(({ length }) => length > 0), list])(
  "a list that grew costs what was added",
  (was, added) => {
    const patch = patchBetween({ log: was }, { log: [...asJson(was), ...added] });
    expect(patch).toStrictEqual(
      added.length === 0 ? {} : { log: { keep: was.length, append: added } },
    );
  },
);

test.each<[string, JsonObject, JsonObject, object]>([
  ["a new key", {}, { a: 1 }, { a: { set: 1 } }],
  ["a key that is no more", { a: 1, b: 2 }, { b: 2 }, { a: { gone: true } }],
  ["a list cut short", { a: [1, 2, 3] }, { a: [1] }, { a: { keep: 1, append: [] } }],
  ["a list with another end", { a: [1, 2] }, { a: [1, 3] }, { a: { keep: 1, append: [3] } }],
  ["a list with another beginning", { a: [1, 2] }, { a: [2] }, { a: { set: [2] } }],
  ["an emptied list", { a: [1] }, { a: [] }, { a: { set: [] } }],
  ["a list that became a record", { a: [1] }, { a: { 0: 1 } }, { a: { set: { 0: 1 } } }],
  ["a value below", { a: { b: 1, c: 2 } }, { a: { b: 1, c: 3 } }, { a: { set: { b: 1, c: 3 } } }],
  ["null for a record", { a: { b: 1 } }, { a: null }, { a: { set: null } }],
])("%s", (_what, before, after, patch) => {
  expect(patchBetween(before, after)).toStrictEqual(patch);
  expect(patched(before, patchBetween(before, after))).toStrictEqual(after);
});

test("what did not change is the very same value after it", () => {
  const before = { kept: [{ a: 1 }], budget: { steps: 2 } };
  const after = patched(before, patchBetween(before, { ...before, budget: { steps: 1 } }));
  expect(after["kept"]).toBe(before.kept);
});

test("an undefined value is as good as none, as it is in JSON", () => {
  const holed = { nonce: undefined, a: 1 } as unknown as JsonObject;
  expect(patchBetween({ nonce: "n" }, holed)).toStrictEqual({
    nonce: { gone: true },
    a: { set: 1 },
  });
  expect(patchBetween({}, holed)).toStrictEqual({ a: { set: 1 } });
});
