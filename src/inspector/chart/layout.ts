import type { ELK, ElkExtendedEdge, ElkNode } from "elkjs";
import { cardsOf, insideArcs, textWidth, sizes, type Card, type View } from "./card.ts";
import type { Chart, ChartNode } from "./chart.ts";

export interface Point {
  x: number;
  y: number;
}

export interface Box extends Point {
  width: number;
  height: number;
}

/** A chart with places: everything absolute, in pixels at scale 1. */
export interface Layout {
  width: number;
  height: number;
  /** By the id of the state. */
  boxes: Map<string, Box>;
  lines: Line[];
  cards: Map<string, Card>;
}

/** All arcs between two states share one line. */
export interface Line {
  /** Indexes in `chart.arcs`. */
  arcs: number[];
  from: string;
  to: string;
  /** From border to border, at least two. */
  points: Point[];
}

const OPTIONS = {
  "elk.algorithm": "layered",
  "elk.direction": "DOWN",
  "elk.hierarchyHandling": "INCLUDE_CHILDREN",
  "elk.edgeRouting": "ORTHOGONAL",
  "elk.layered.nodePlacement.strategy": "NETWORK_SIMPLEX",
  "elk.spacing.edgeEdge": "12",
  "elk.spacing.edgeNode": "18",
  "elk.spacing.nodeNode": "44",
  "elk.layered.spacing.nodeNodeBetweenLayers": "40",
  "elk.layered.spacing.edgeEdgeBetweenLayers": "12",
  "elk.layered.spacing.edgeNodeBetweenLayers": "16",
};
const IN_ORDER = { "elk.layered.considerModelOrder.strategy": "NODES_AND_EDGES" };

/** ELK breaks on some charts when it has to keep their order, and on a few with nested lines: then with fewer wishes. */
const ATTEMPTS: Record<string, string>[] = [
  { ...OPTIONS, ...IN_ORDER, "elk.layered.cycleBreaking.strategy": "MODEL_ORDER" },
  { ...OPTIONS, ...IN_ORDER },
  OPTIONS,
  { ...OPTIONS, "elk.edgeRouting": "POLYLINE" },
];

/** Places a chart. The same chart gets the same places each time. */
export async function layoutOf(chart: Chart, view: View): Promise<Layout> {
  const cards = cardsOf(chart, view);
  const lines = linesOf(chart);
  const elk = await loadElk();
  let fault: unknown;
  for (const layoutOptions of ATTEMPTS) {
    try {
      const graph = graphOf(chart, cards, lines);
      return placed(await elk.layout({ id: "", layoutOptions, ...graph }), lines, cards);
    } catch (error) {
      fault = error;
    }
  }
  throw new Error(`the chart ${chart.id} cannot be laid out`, { cause: fault });
}

/** Large, and needed by nobody who looks at no chart. */
async function loadElk(): Promise<ELK> {
  const { default: Elk } = await import("elkjs/lib/elk.bundled.js");
  return new Elk.default();
}

function linesOf(chart: Chart): Omit<Line, "points">[] {
  const isInside = insideArcs(chart);
  const lines = new Map<string, Omit<Line, "points">>();
  for (const [index, arc] of chart.arcs.entries()) {
    if (isInside(arc)) continue;
    for (const to of arc.to) {
      const key = `${arc.from} ${to}`;
      const line = lines.get(key) ?? { arcs: [], from: arc.from, to };
      line.arcs.push(index);
      lines.set(key, line);
    }
  }
  return [...lines.values()];
}

function graphOf(
  { nodes }: Chart,
  cards: ReadonlyMap<string, Card>,
  lines: readonly Omit<Line, "points">[],
): Pick<ElkNode, "children" | "edges"> {
  const build = (node: ChartNode): ElkNode => {
    const { width = 0, height = 0, name = "" } = cards.get(node.id) ?? {};
    const children = nodes.filter(({ parent }) => parent === node.id).map(build);
    const least = Math.max(width, textWidth(name, sizes.name) + 2 * sizes.side + 8);
    if (children.length === 0) return { id: node.id, width: least, height };
    const padding = `[top=${height + 22},left=24,right=24,bottom=24]`;
    return {
      id: node.id,
      children,
      layoutOptions: {
        "elk.padding": padding,
        "elk.nodeSize.constraints": "MINIMUM_SIZE",
        "elk.nodeSize.minimum": `(${least}, ${height})`,
      },
    };
  };
  return {
    children: nodes.filter(({ parent }) => parent === null).map(build),
    edges: lines.map(({ from, to }, index): ElkExtendedEdge => {
      return { id: String(index), sources: [from], targets: [to] };
    }),
  };
}

function placed(
  root: ElkNode,
  lines: readonly Omit<Line, "points">[],
  cards: Map<string, Card>,
): Layout {
  const boxes: Layout["boxes"] = new Map();
  const place = (
    { id, x = 0, y = 0, width = 0, height = 0, children = [] }: ElkNode,
    at: Point,
  ) => {
    const corner = { x: at.x + x, y: at.y + y };
    if (id !== "") boxes.set(id, { ...corner, width, height });
    for (const child of children) place(child, corner);
  };
  place(root, { x: 0, y: 0 });
  const drawn = (root.edges ?? []).flatMap((edge): Line[] => {
    const line = lines[Number(edge.id)];
    // Lines are placed from the corner of the state that holds both their ends.
    const { x, y } = boxes.get(containerOf(edge)) ?? { x: 0, y: 0 };
    const points = (edge.sections ?? []).flatMap(({ startPoint, bendPoints = [], endPoint }) =>
      [startPoint, ...bendPoints, endPoint].map((point) => ({ x: point.x + x, y: point.y + y })),
    );
    return line && points.length > 1 ? [{ ...line, points }] : [];
  });
  return { width: root.width ?? 0, height: root.height ?? 0, boxes, lines: drawn, cards };
}

const containerOf = (edge: ElkExtendedEdge): string =>
  "container" in edge && typeof edge.container === "string" ? edge.container : "";
