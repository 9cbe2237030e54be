import { expect, test } from "vitest";
import { centred, fitted, moved, showing, zoomed } from "../../visualizer/chart-pan.ts";

const size = { width: 200, height: 100 };

test("all of a wide drawing in a place: as large as it fits, in the middle", () => {
  expect(fitted({ x: 0, y: 0, width: 400, height: 100 }, size, 2)).toStrictEqual({
    x: 0,
    y: -50,
    width: 400,
    height: 200,
  });
});

test("a small drawing is not blown up", () => {
  expect(fitted({ x: 0, y: 0, width: 10, height: 10 }, size, 2)).toStrictEqual({
    x: -45,
    y: -20,
    width: 100,
    height: 50,
  });
});

test("around a point, at a scale", () => {
  expect(centred({ x: 50, y: 50 }, size, 2)).toStrictEqual({ x: 0, y: 25, width: 100, height: 50 });
});

test("zooming keeps what is below the pointer, and stops at its limits", () => {
  const frame = { x: 0, y: 0, width: 200, height: 100 };
  expect(zoomed(frame, size, 2, { x: 200, y: 0 })).toStrictEqual({
    x: 100,
    y: 0,
    width: 100,
    height: 50,
  });
  expect(zoomed(frame, size, 1000, { x: 0, y: 0 }).width).toBe(50);
  expect(zoomed(frame, size, 0.0001, { x: 0, y: 0 }).width).toBe(2000);
});

test("dragging moves by what a pixel is in the drawing", () => {
  expect(moved({ x: 0, y: 0, width: 400, height: 200 }, size, { x: 10, y: -5 })).toStrictEqual({
    x: -20,
    y: 10,
    width: 400,
    height: 200,
  });
});

test.each([
  ["one that is seen stays", { x: 50, y: 30, width: 20, height: 20 }, 0, 0],
  ["one to the right", { x: 190, y: 30, width: 20, height: 20 }, 34, 0],
  ["one above and to the left", { x: -30, y: -50, width: 20, height: 20 }, -54, -74],
  ["one as wide as can be seen", { x: 10, y: 30, width: 200, height: 20 }, 10, 0],
  ["one that is too large, by its beginning", { x: 10, y: 30, width: 500, height: 300 }, 10, 30],
])("a box is brought into sight: %s", (_what, box, x, y) => {
  expect(showing({ x: 0, y: 0, width: 200, height: 100 }, box)).toStrictEqual({
    x,
    y,
    width: 200,
    height: 100,
  });
});
