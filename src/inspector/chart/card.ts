import type { Chart, ChartArc, ChartNode } from "./chart.ts";

/** How much of a chart is written out: names only, or every transition with its event, guard and actions. */
export type View = "map" | "detail";

/** One arc as a row of its state's card. */
export interface Row {
  /** Index in `chart.arcs`. */
  arc: number;
  /** The event; "" where it is that of the row above. */
  event: string;
  /** The guard, or "else"/"" without one, and where it leads. */
  way: string;
  actions: string;
}

/** What is written in a state's box, and how large that makes it. Units are those of the SVG: a pixel at scale 1. */
export interface Card {
  name: string;
  /** Under the name: what works in the state, and its own actions. */
  lines: string[];
  rows: Row[];
  width: number;
  /** Of name, lines and rows: of a compound state its children come below. */
  height: number;
}

export const sizes = {
  name: 14,
  text: 11.5,
  /** From the top of a card to the base line of its name. */
  nameBase: 24,
  head: 38,
  line: 16,
  row: 34,
  rowWithoutActions: 20,
  side: 14,
  eventColumn: 58,
  bottom: 10,
} as const;

const WIDTH_MIN = 112;
const TEXT_MAX = 64;

/** The cards of a chart, by the id of the state. */
export function cardsOf(chart: Chart, view: View): Map<string, Card> {
  const names = new Map(chart.nodes.map(({ id, name }) => [id, name]));
  const isInside = insideArcs(chart);
  return new Map(
    chart.nodes.map((node) => {
      const own = [...chart.arcs.entries()].filter(([, { from }]) => from === node.id);
      // In the map only what cannot be drawn as a line is written.
      const written = view === "detail" ? own : own.filter(([, arc]) => isInside(arc));
      return [node.id, cardOf(node, written, view === "detail", names)];
    }),
  );
}

function cardOf(
  node: ChartNode,
  written: readonly [index: number, arc: ChartArc][],
  isDetail: boolean,
  names: ReadonlyMap<string, string>,
): Card {
  const rows = written.map(([arc, { to, guard, actions, label }], index): Row => {
    const targets = to.map((id) => names.get(id) ?? id).join(", ");
    return {
      arc,
      event: written[index - 1]?.[1].label === label ? "" : clip(label, 24),
      way: clip([guard, targets && `→ ${targets}`].filter(Boolean).join(" ")) || "(stays)",
      actions: isDetail ? clip(actions.join(", ")) : "",
    };
  });
  const lines = isDetail ? linesOf(node) : [];
  const rowsHeight = rows.reduce((sum, row) => sum + rowHeight(row), 0);
  return {
    name: clip(node.name, 40),
    lines,
    rows,
    width: widthOf(node, lines, rows),
    height:
      sizes.head +
      lines.length * sizes.line +
      rowsHeight +
      (lines.length + rows.length > 0 ? sizes.bottom : 0),
  };
}

/** Whether an arc leads from a state nowhere but into its own inside: drawn as a line it would cross all of it. */
export function insideArcs({ nodes, arcs }: Chart): (arc: ChartArc) => boolean {
  const parents = new Map(nodes.map(({ id, parent }) => [id, parent]));
  const isWithin = (id: string, outer: string) => {
    for (let at = parents.get(id); at; at = parents.get(at)) if (at === outer) return true;
    return false;
  };
  const inside = new Set(arcs.filter(({ from, to }) => to.every((id) => isWithin(id, from))));
  return (arc) => inside.has(arc);
}

export const rowHeight = ({ actions }: Row): number =>
  actions === "" ? sizes.rowWithoutActions : sizes.row;

const linesOf = ({ invoke, entry, exit }: ChartNode): string[] =>
  [
    ...invoke.map(({ src }) => `runs ${src}`),
    ...(entry.length > 0 ? [`entry / ${entry.join(", ")}`] : []),
    ...(exit.length > 0 ? [`exit / ${exit.join(", ")}`] : []),
  ].map((line) => clip(line));

function widthOf({ kind }: ChartNode, lines: readonly string[], rows: readonly Row[]): number {
  if (kind === "history") return 34;
  const texts = [
    ...lines.map((line) => textWidth(line, sizes.text)),
    ...rows.flatMap(({ way, actions }) =>
      [way, actions].map((text) => sizes.eventColumn + textWidth(text, sizes.text)),
    ),
  ];
  return Math.ceil(Math.max(WIDTH_MIN, ...texts.map((width) => width + 2 * sizes.side)));
}

/** No font is at hand where the chart is laid out: letters are taken for as wide as a monospaced font has them. */
export function textWidth(text: string, size: number): number {
  let letters = 0;
  for (const letter of text) letters += (letter.codePointAt(0) ?? 0) > 0x2e7f ? 2 : 1;
  return letters * size * 0.61;
}

function clip(text: string, most = TEXT_MAX): string {
  const letters = Array.from(text);
  return letters.length > most ? `${letters.slice(0, most - 1).join("")}…` : text;
}
