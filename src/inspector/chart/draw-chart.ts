import type { AnyStateMachine } from "xstate";
import { rowHeight, sizes, textWidth, type Card, type View } from "./card.ts";
import type { Chart, ChartNode } from "./chart.ts";
import { chartOf } from "./chart-of.ts";
import { layoutOf, type Box, type Layout, type Line, type Point } from "./layout.ts";

/** A machine as data and as a drawing: an SVG for each view, with no colours but those of the page. */
export async function drawChart(machine: AnyStateMachine): Promise<{ chart: Chart; svg: string }> {
  const chart = chartOf(machine);
  const views = ["map", "detail"] as const;
  const drawn = await Promise.all(
    views.map(async (view) => svgOf(chart, await layoutOf(chart, view), view)),
  );
  return { chart, svg: drawn.join("\n") };
}

const MARGIN = 20;

/**
 * What the page finds its way by: `data-state` is the id of a state, `data-arc` the number of one of the chart's arcs,
 * `data-line` the numbers of all arcs that share a line, `data-at` where its label goes ("end": where it ends).
 */
function svgOf(chart: Chart, layout: Layout, view: View): string {
  const box = [-MARGIN, -MARGIN, layout.width + 2 * MARGIN, layout.height + 2 * MARGIN];
  const isParent = (id: string) => chart.nodes.some(({ parent }) => parent === id);
  const [outer, inner] = [chart.nodes.filter(({ id }) => isParent(id)), chart.nodes];
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" data-view="${view}" viewBox="${box.map(round).join(" ")}" role="img" aria-label="${escaped(`Statechart ${chart.id}, ${view}`)}">`,
    ...outer.map((node) => stateOf(node, layout, true)),
    ...layout.lines.map((line) => lineOf(line, chart, leafBoxes(chart, layout))),
    ...inner.filter(({ id }) => !isParent(id)).map((node) => stateOf(node, layout, false)),
    "</svg>",
  ].join("\n");
}

function stateOf(node: ChartNode, { boxes, cards }: Layout, isParent: boolean): string {
  const [box, card] = [boxes.get(node.id), cards.get(node.id)];
  if (!box || !card) return "";
  const { x, y, width, height } = box;
  const rect = (inset: number, name: string) =>
    `<rect class="${name}" x="${round(x + inset)}" y="${round(y + inset)}" width="${round(width - 2 * inset)}" height="${round(height - 2 * inset)}" rx="${10 - inset}"/>`;
  return [
    `<g class="state ${node.kind}" data-state="${escaped(node.id)}">`,
    node.description === "" ? "" : `<title>${escaped(node.description)}</title>`,
    rect(0, "box"),
    node.kind === "final" ? rect(3.5, "inner") : "",
    node.initial ? initialMark(x, y) : "",
    ...textsOf(node, card, box, isParent),
    "</g>",
  ].join("");
}

const initialMark = (x: number, y: number): string =>
  `<circle class="initial" cx="${round(x - 14)}" cy="${round(y + 19)}" r="3.5"/><path class="initial-line" d="M${round(x - 10)} ${round(y + 19)}h9"/>`;

function textsOf(
  { kind }: ChartNode,
  card: Card,
  { x, y, width }: Point & { width: number },
  isParent: boolean,
): string[] {
  const left = x + sizes.side;
  const isBare = card.lines.length + card.rows.length === 0 && !isParent;
  const nameAt = { x: isBare ? x + width / 2 : left, y: y + sizes.nameBase };
  const name = kind === "history" ? "H" : card.name;
  const texts = [textElement("name", nameAt, name, isBare ? ' text-anchor="middle"' : "")];
  let down = y + sizes.head;
  for (const line of card.lines) {
    texts.push(textElement("line-text", { x: left, y: down + 10 }, line));
    down += sizes.line;
  }
  for (const row of card.rows) {
    const at = { x: left + sizes.eventColumn, y: down + 14 };
    texts.push(
      `<g class="row" data-arc="${row.arc}"><rect class="row-box" x="${round(x + 5)}" y="${round(down)}" width="${round(width - 10)}" height="${rowHeight(row)}" rx="5"/>`,
      row.event === "" ? "" : textElement("event", { x: left, y: at.y }, row.event),
      textElement("way", at, row.way),
      row.actions === "" ? "" : textElement("actions", { x: at.x, y: at.y + 14 }, row.actions),
      "</g>",
    );
    down += rowHeight(row);
  }
  return texts;
}

const textElement = (name: string, { x, y }: Point, content: string, anchor = "") =>
  `<text class="${name}" x="${round(x)}" y="${round(y)}"${anchor}>${escaped(content)}</text>`;

const leafBoxes = ({ nodes }: Chart, { boxes }: Layout): Box[] =>
  [...boxes].flatMap(([id, box]) => (nodes.some(({ parent }) => parent === id) ? [] : [box]));

/** A line with its arrow, and where its label goes. */
function lineOf({ arcs, from, to, points }: Line, chart: Chart, states: readonly Box[]): string {
  const [tip, before] = [points.at(-1), points.at(-2)];
  const guards = arcs.map((arc) => textWidth(chart.arcs[arc]?.guard ?? "", sizes.text));
  const label = from === to ? besideLoop(points) : labelPlace(points, states, Math.max(...guards));
  return [
    `<g class="line" data-line="${arcs.join(" ")}" data-at="${round(label.x)} ${round(label.y)}${from === to ? " end" : ""}">`,
    `<title>${escaped(`${from} → ${to}`)}</title>`,
    `<path class="stroke" d="${pathOf(points)}"/>`,
    tip && before ? `<path class="arrow" d="${arrowOf(before, tip)}"/>` : "",
    "</g>",
  ].join("");
}

const CORNER = 7;
/** Between a label and a state. */
const LABEL_ROOM = 3;

/** Straight parts with rounded corners. */
function pathOf(points: readonly Point[]): string {
  const [first, ...rest] = points;
  if (!first) return "";
  const parts = rest.map((point, index) => {
    const [before, after] = [points[index] ?? point, rest[index + 1]];
    if (!after) return `L${at(point)}`;
    const radius = Math.min(CORNER, distance(before, point) / 2, distance(point, after) / 2);
    return `L${at(towards(point, before, radius))}Q${at(point)} ${at(towards(point, after, radius))}`;
  });
  return `M${at(first)}${parts.join("")}`;
}

const at = ({ x, y }: Point) => `${round(x)} ${round(y)}`;
const round = (value: number) => Math.round(value * 10) / 10;
const distance = (a: Point, b: Point) => Math.hypot(b.x - a.x, b.y - a.y);

function towards(from: Point, to: Point, by: number): Point {
  const part = by / (distance(from, to) || 1);
  return { x: from.x + (to.x - from.x) * part, y: from.y + (to.y - from.y) * part };
}

function arrowOf(before: Point, tip: Point): string {
  const back = towards(tip, before, 8);
  const [dx, dy] = [(tip.y - back.y) / 2, (back.x - tip.x) / 2];
  return `M${at(tip)}L${at({ x: back.x + dx, y: back.y + dy })}L${at({ x: back.x - dx, y: back.y - dy })}Z`;
}

/** Left of a line that comes back to its own state: its middle would lie on the state. */
const besideLoop = (points: readonly Point[]): Point => ({
  x: Math.min(...points.map(({ x }) => x)) - 8,
  y: points.reduce((sum, { y }) => sum + y, 0) / points.length,
});

/** The middle of the longest part of a line where a label of this width lies on no state; else of the longest. */
function labelPlace(points: readonly Point[], states: readonly Box[], width: number): Point {
  const parts = points
    .slice(1)
    .map((end, index) => ({ start: points[index] ?? end, end }))
    .toSorted((a, b) => distance(b.start, b.end) - distance(a.start, a.end));
  const places = parts.flatMap(({ start, end }) =>
    [0.5, 0.3, 0.7].map((part) => towards(start, end, part * distance(start, end))),
  );
  const isFree = ({ x, y }: Point) =>
    states.every(
      (box) =>
        Math.abs(x - box.x - box.width / 2) > (width + box.width) / 2 + LABEL_ROOM ||
        Math.abs(y - box.y - box.height / 2) > (sizes.text + box.height) / 2 + LABEL_ROOM,
    );
  return places.find(isFree) ?? places[0] ?? { x: 0, y: 0 };
}

const ENTITIES: Record<string, string> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

/** A name may be anything that a person's module says. Control characters have no place in XML. */
const escaped = (text: string): string =>
  text
    .replaceAll(/[&<>"']/g, (letter) => ENTITIES[letter] ?? "")
    .replaceAll(/(?![\t\n])\p{Cc}|\p{Surrogate}/gu, "\uFFFD");
