import { expect, test } from "vitest";
import { guardsText } from "../../visualizer/chart-lights.ts";

test.each([
  [["a"], "a"],
  [["a", "b"], "a, b"],
  [["a", "b", "c", "d"], "a, b +2"],
])("the guards %j that said no share a label: %s", (guards, text) => {
  expect(guardsText(guards)).toBe(text);
});
