import { createMachine } from "xstate";
import { expect, test } from "vitest";
import { chartOf } from "../../../src/inspector/chart/chart-of.ts";
import { drawChart } from "../../../src/inspector/chart/draw-chart.ts";
import { layoutOf, type Layout } from "../../../src/inspector/chart/layout.ts";
import { turnMachine } from "../../../src/machine/turn.machine.ts";

const numbersIn = (svg: string, name: string) =>
  [...svg.matchAll(new RegExp(`${name}="([\\d ]+)"`, "g"))]
    .flatMap(([, numbers = ""]) => numbers.split(" ").map(Number))
    .toSorted((a, b) => a - b);

const all = Array.from({ length: 56 }, (_, index) => index);

test("in the map every transition of the turn is on a line or written out; in detail all are written out", async () => {
  const { chart, svg } = await drawChart(turnMachine);
  const [map = "", detail = ""] = svg.split("</svg>");
  expect(
    [...numbersIn(map, "data-line"), ...numbersIn(map, "data-arc")].toSorted((a, b) => a - b),
  ).toStrictEqual(all);
  expect(numbersIn(detail, "data-arc")).toStrictEqual(all);
  for (const { guard, actions } of chart.arcs) {
    expect(detail).toContain(guard);
    expect(detail).toContain(actions.join(", "));
  }
  for (const { id } of chart.nodes) expect(map).toContain(`data-state="${id}"`);
});

test("the same chart is drawn the same each time", async () => {
  expect((await drawChart(turnMachine)).svg).toBe((await drawChart(turnMachine)).svg);
});

/** Pairs of states that lie over each other, though neither is inside the other. */
function overlaps({ boxes }: Layout, parents: Map<string, string | null>): string[] {
  const isWithin = (id: string, outer: string) => {
    for (let at = parents.get(id); at; at = parents.get(at)) if (at === outer) return true;
    return false;
  };
  return [...boxes].flatMap(([a, first]) =>
    [...boxes].flatMap(([b, second]) => {
      if (a >= b || isWithin(a, b) || isWithin(b, a)) return [];
      const apart =
        first.x + first.width <= second.x ||
        second.x + second.width <= first.x ||
        first.y + first.height <= second.y ||
        second.y + second.height <= first.y;
      return apart ? [] : [`${a} ${b}`];
    }),
  );
}

const nested = createMachine({
  id: "deep",
  type: "parallel",
  states: {
    left: {
      initial: "a",
      states: {
        a: { on: { GO: "b", OVER: "#far" } },
        b: { on: { GO: "a", SELF: { target: "b", reenter: true } } },
      },
    },
    right: {
      initial: "c",
      states: {
        c: { initial: "d", states: { d: { on: { DEEPER: "#e" } }, e: { id: "e" } } },
        far: { id: "far", on: { BACK: "#e" } },
      },
    },
  },
});

test.each([
  ["turn", turnMachine],
  ["nested", nested],
])(
  "%s: no state lies over another, and lines end at the borders of their states",
  async (_name, machine) => {
    const chart = chartOf(machine);
    const parents = new Map(chart.nodes.map(({ id, parent }) => [id, parent]));
    for (const view of ["map", "detail"] as const) {
      const layout = await layoutOf(chart, view);
      expect(overlaps(layout, parents)).toStrictEqual([]);
      expect(layout.boxes.size).toBe(chart.nodes.length);
      for (const { from, to, points } of layout.lines)
        for (const [id, point] of [
          [from, points[0]],
          [to, points.at(-1)],
        ] as const) {
          const { x, y, width, height } = layout.boxes.get(id) ?? {
            x: 0,
            y: 0,
            width: 0,
            height: 0,
          };
          const [px, py] = [point?.x ?? Number.NaN, point?.y ?? Number.NaN];
          const onSide = Math.min(
            Math.abs(px - x),
            Math.abs(px - x - width),
            Math.abs(py - y),
            Math.abs(py - y - height),
          );
          expect(`${from} → ${to} at ${id}: ${onSide < 1}`).toBe(`${from} → ${to} at ${id}: true`);
        }
    }
  },
);

test("names that look like markup, or are very long, are only text", async () => {
  const name = '<script>alert("1")</script>&\u0007';
  const machine = createMachine({
    id: "odd",
    initial: name,
    states: {
      [name]: {
        description: "<b>",
        on: { [`'"><img>`]: { actions: ["x".repeat(500)], target: "漢字" } },
      },
      漢字: {},
    },
  });
  const { svg } = await drawChart(machine);
  expect(svg).not.toContain("<script");
  expect(svg).not.toContain("<img");
  expect(svg).not.toContain("<b>");
  expect(svg).toContain("&lt;script&gt;alert(&quot;1&quot;)&lt;/script&gt;&amp;\uFFFD");
  expect(svg).not.toContain("x".repeat(65));
  expect(svg).toContain("漢字");
});
