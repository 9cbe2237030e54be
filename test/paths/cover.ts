import type { TurnSnapshot } from "../../src/machine/turn.machine.ts";
import { follow, Graph, inputOf, keyOf, type Edge, type Path, type Three } from "./paths.ts";
import { endOf, tell } from "./words.ts";

/** Small worlds that together show every arc; what each adds to those before it. */
const worlds: [deck: string, limits: Three][] = [
  ["tools at hand", [0, 3, 0]], // a circle needs three runs
  ["tools at hand", [2, 0, 0]], // three refusals in a row
  ["a skill to load", [1, 2, 2]],
  ["tools at hand, a skill to load", [1, 1, 1]],
  ["no skills", [1, 1, 1]],
];

export interface Covered {
  deck: string;
  limits: Three;
  path: Path;
}

/** Paths that take every arc they can. First those that find new ways, each then ending in a new way if it can. */
export function coveringPaths(): Covered[] {
  const taken = new Set<string>();
  const graphs = worlds.map(([deck, limits]) => ({
    deck,
    limits,
    graph: new Graph(inputOf(deck, limits)),
  }));
  return [true, false].flatMap((mustGoOn) =>
    graphs.flatMap(({ deck, limits, graph }) => {
      const found: Covered[] = [];
      for (let path = next(graph, taken, mustGoOn); path; path = next(graph, taken, mustGoOn))
        found.push({ deck, limits, path });
      return found;
    }),
  );
}

/** A path with at least one new arc, or null if this graph has no more of them. Its arcs are then taken. */
function next(graph: Graph, taken: Set<string>, mustGoOn: boolean): Path | null {
  const edges: Edge[] = [];
  const isNew = ({ arcs }: Edge) => arcs.some((arc) => !taken.has(arc));
  const goesOn = (edge: Edge) => isNew(edge) && edge.after.status === "active";
  const at = () => edges.at(-1)?.after ?? graph.first;
  const anyNew = () =>
    route(graph, at(), goesOn) ??
    (mustGoOn && edges.length === 0 ? null : route(graph, at(), isNew));
  if (anyNew() === null && graph.firstArcs.every((arc) => taken.has(arc))) return null;
  for (const arc of graph.firstArcs) taken.add(arc);
  while (at().status === "active")
    for (const found of anyNew() ?? route(graph, at(), endsWell) ?? []) {
      const edge = follow(graph, at(), found);
      edges.push(edge);
      for (const arc of edge.arcs) taken.add(arc);
    }
  return { input: graph.input, first: graph.first, edges };
}

const endsWell = ({ choice, after }: Edge) =>
  after.status !== "active" && !["abort", "crash"].includes(choice.name);

/** The shortest way to an edge like this, that edge included. */
function route(
  graph: Graph,
  start: TurnSnapshot,
  isWanted: (edge: Edge) => boolean,
): Edge[] | null {
  const ways: { at: TurnSnapshot; edges: Edge[] }[] = [{ at: start, edges: [] }];
  const seen = new Set([keyOf(start)]);
  for (const { at, edges } of ways)
    for (const edge of graph.edges(at)) {
      const way = [...edges, edge];
      if (isWanted(edge)) return way;
      const key = keyOf(edge.after);
      if (edge.after.status !== "active" || seen.has(key)) continue;
      seen.add(key);
      ways.push({ at: edge.after, edges: way });
    }
  return null;
}

/** A found path in words. */
export function told({ deck, limits, path: { first, edges } }: Covered): string {
  const all = [first, ...edges.map(({ after }) => after)];
  const choices = edges.map(({ choice }) => choice.name);
  const end = endOf(all.at(-1) ?? first);
  return tell({ deck, limits, states: all.map(({ value }) => value), choices, end });
}
