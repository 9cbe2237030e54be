import { expect, test } from "vitest";
import { counted, inFigures } from "../../visualizer/figures.ts";

test.each([
  [0, "0"],
  [999, "999"],
  [1000, "1,000"],
  [1234567, "1,234,567"],
])("%d is written %s", (count, text) => {
  expect(inFigures(count)).toBe(text);
});

test("one thing has no plural", () => {
  expect(counted(1, "model call")).toBe("1 model call");
  expect(counted(0, "model call")).toBe("0 model calls");
  expect(counted(4000, "character")).toBe("4,000 characters");
});
