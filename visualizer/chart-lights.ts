import type { Chart, ChartArc } from "../src/inspector/chart/chart.ts";
import type { StepView } from "../src/inspector/protocol.ts";

/** What is lit in a drawing of the chart: which of its parts carry which class. */
const CLASSES = ["is-active", "was-active", "is-taken", "is-refused", "is-next"] as const;
type Light = (typeof CLASSES)[number];

/** How many guards a line's label names before it only counts. */
const GUARDS_NAMED_MAX = 2;

/** The lights of one drawing. A step changes only what was lit before and what is lit now. */
export class ChartLights {
  readonly #states = new Map<string, Element>();
  readonly #rows = new Map<number, Element>();
  readonly #lines = new Map<number, SVGGElement>();
  readonly #labels: SVGGElement;
  readonly #indexes: Map<string, number>;
  readonly #chart: Chart;
  #lit: Element[] = [];

  constructor(svg: SVGSVGElement, chart: Chart) {
    this.#chart = chart;
    this.#indexes = new Map(chart.arcs.map(({ id }, index) => [id, index]));
    for (const state of svg.querySelectorAll("[data-state]"))
      this.#states.set(state.getAttribute("data-state") ?? "", state);
    for (const row of svg.querySelectorAll("[data-arc]"))
      this.#rows.set(Number(row.getAttribute("data-arc")), row);
    for (const line of svg.querySelectorAll<SVGGElement>("[data-line]"))
      for (const arc of arcsOf(line)) this.#lines.set(arc, line);
    this.#labels = document.createElementNS("http://www.w3.org/2000/svg", "g");
    this.#labels.setAttribute("class", "labels");
    svg.append(this.#labels);
  }

  /** Shows a step; or, where the one after it is held and not taken yet, what that one is about to do. */
  show(step: StepView | null, next: StepView | null): void {
    for (const element of this.#lit) element.classList.remove(...CLASSES);
    this.#lit = [];
    this.#labels.replaceChildren();
    for (const id of step?.to ?? []) this.#light(this.#states.get(id), "is-active");
    if (next) return this.#showArcs(next, "is-next");
    for (const id of step?.from ?? []) this.#light(this.#states.get(id), "was-active");
    this.#showArcs(step, "is-taken");
  }

  #showArcs(step: StepView | null, taken: Light): void {
    const refused = new Map<SVGGElement, string[]>();
    for (const { id, allowed } of step?.arcs ?? []) {
      const index = this.#indexes.get(id) ?? -1;
      const arc = this.#chart.arcs[index];
      const line = this.#lines.get(index);
      this.#light(this.#rows.get(index), allowed ? taken : "is-refused");
      if (!arc || !line) continue;
      if (allowed) this.#showTaken(line, arc, taken);
      else refused.set(line, [...(refused.get(line) ?? []), arc.guard]);
    }
    for (const [line, guards] of refused) {
      if (line.classList.contains(taken)) continue;
      this.#light(line, "is-refused");
      this.#label(line, guardsText(guards), "is-refused");
    }
  }

  #showTaken(line: SVGGElement, { guard, label }: ChartArc, taken: Light): void {
    this.#light(line, taken);
    line.parentNode?.insertBefore(line, firstState(line));
    this.#label(line, guard === "" ? label : guard, taken);
  }

  #light(element: Element | undefined, light: Light): void {
    if (!element) return;
    element.classList.add(light);
    this.#lit.push(element);
  }

  #label(line: SVGGElement, words: string, light: Light): void {
    const [x = "0", y = "0", end = ""] = (line.getAttribute("data-at") ?? "").split(" ");
    const text = document.createElementNS("http://www.w3.org/2000/svg", "text");
    text.setAttribute("x", x);
    text.setAttribute("y", y);
    text.setAttribute("class", `label ${light} ${end}`);
    text.textContent = words;
    this.#labels.append(text);
  }
}

export const arcsOf = (line: Element): number[] =>
  (line.getAttribute("data-line") ?? "").split(" ").map(Number);

/** Lit lines lie above the other lines and below the states. */
const firstState = (line: SVGGElement): Element | null =>
  line.parentElement?.querySelector(":scope > [data-line] ~ [data-state]") ?? null;

export function guardsText(guards: readonly string[]): string {
  const more = guards.length - GUARDS_NAMED_MAX;
  const named = guards.slice(0, GUARDS_NAMED_MAX).join(", ");
  return more > 0 ? `${named} +${more}` : named;
}
