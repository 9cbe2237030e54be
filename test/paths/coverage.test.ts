import { describe, expect, test } from "vitest";
import { turnMachine } from "../../src/machine/turn.machine.ts";
import { coveringPaths, told } from "./cover.ts";
import { chartArcs } from "./arcs.ts";
import { Graph, inputOf, type Path } from "./paths.ts";
import { replay } from "./replay.ts";
import { golden, read, retell } from "./words.ts";

/** The path of a written list, made from its words. */
function pathOf(words: string): Path {
  const { deck, limits, choices } = read(words);
  const graph = new Graph(inputOf(deck, limits));
  const edges: Path["edges"] = [];
  let at = graph.first;
  for (const name of choices) {
    const edge = graph.step(at, name);
    edges.push(edge);
    at = edge.after;
  }
  return { input: graph.input, first: graph.first, edges };
}

const covering = coveringPaths();
const taken = new Set<string>();

describe("paths that take every arc of the chart, on the real machine with real actors", () => {
  test.each(covering.map((covered) => [told(covered), covered.path] as const))(
    "%s",
    async (_words, path) => {
      const { snapshot, arcs, leaked } = await replay(path, true);
      for (const arc of arcs) taken.add(arc);
      expect(snapshot.status).toBe("done");
      expect(leaked).toStrictEqual([]);
    },
  );

  test("none of the 56 arcs is missing", () => {
    expect(chartArcs()).toHaveLength(56);
    expect(chartArcs().filter((arc) => !taken.has(arc))).toStrictEqual([]);
  });

  test("they are the golden list that was reviewed", () => {
    expect(covering.map(told)).toStrictEqual(golden("golden.txt"));
  });
});

describe("written paths beside the generated ones", () => {
  test.each(golden("more.txt"))("%s", async (words) => {
    const { snapshot, leaked } = await replay(pathOf(words));
    expect(snapshot.status).toBe("done");
    expect(leaked).toStrictEqual([]);
    expect(retell(turnMachine, read(words))).toBe(words);
  });
});
