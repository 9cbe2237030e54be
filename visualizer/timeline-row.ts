import type { Chart } from "../src/inspector/chart/chart.ts";
import type { Run, StepView } from "../src/inspector/protocol.ts";
import { el, fill } from "./dom.ts";
import { sinceText, stateNames, stepWords, turnStart } from "./step-text.ts";

/** In CSS pixels; timeline.css says the same. */
export const ROW_HEIGHT = 32;

export interface TimelineRow {
  step: StepView;
  element: HTMLLIElement;
  button: HTMLButtonElement;
  setCurrent(isCurrent: boolean): void;
}

/** Undefined where the run has no such step. */
export function createRow(chart: Chart, run: Run, index: number): TimelineRow | undefined {
  const step = run.steps[index];
  if (!step) return undefined;
  const button = el(
    "button",
    { type: "button", class: "row-button", tabindex: -1, title: step.title },
    ...cells(chart, step, sinceTurn(run, index)),
  );
  const element = el(
    "li",
    {
      class: rowClass(step, run.fork?.step === index),
      "data-index": index,
      "aria-setsize": run.steps.length,
      "aria-posinset": index + 1,
    },
    button,
  );
  element.style.top = `${index * ROW_HEIGHT}px`;
  let wasCurrent = false;
  const setCurrent = (isCurrent: boolean): void => {
    if (isCurrent === wasCurrent) return;
    wasCurrent = isCurrent;
    if (isCurrent) button.setAttribute("aria-current", "step");
    else button.removeAttribute("aria-current");
  };
  return { step, element, button, setCurrent };
}

/** The row of a step that is not taken yet. */
export function createNextRow(): {
  element: HTMLLIElement;
  show(chart: Chart, step: StepView, index: number): void;
} {
  const element = el("li", {});
  let shown: StepView | null = null;
  return {
    element,
    show(chart, step, index) {
      element.style.top = `${index * ROW_HEIGHT}px`;
      if (step === shown) return;
      shown = step;
      element.className = `${rowClass(step, false)} is-next`;
      fill(
        element,
        el("div", { class: "row-button", title: step.title }, ...cells(chart, step, "next")),
      );
    },
  };
}

function rowClass({ kind, ok }: StepView, isFork: boolean): string {
  return [
    `row kind-${kind}`,
    ...(ok === false ? ["is-bad"] : []),
    ...(isFork ? ["is-fork"] : []),
  ].join(" ");
}

function cells(chart: Chart, step: StepView, time: string): HTMLElement[] {
  const isHead = step.kind === "turn";
  return [
    el("span", { class: "sign", "aria-hidden": "true" }, isHead ? String(step.turn) : ""),
    el("span", { class: "visually-hidden" }, stepWords(step)),
    el("span", { class: "row-title" }, step.title),
    el("span", { class: "row-by" }, step.by === null ? "" : `by ${step.by}`),
    el("span", { class: "row-state" }, stateNames(chart, step.to)),
    el("span", { class: "row-time" }, time),
  ];
}

/** Time since the turn began; of a turn's head, when that was. */
function sinceTurn({ steps }: Run, index: number): string {
  const step = steps[index];
  const first = steps[turnStart(steps, index)];
  if (!step || !first) return "";
  if (step !== first) return sinceText(step.at - first.at);
  const began = new Date(step.at);
  return [began.getHours(), began.getMinutes()].map(twoDigits).join(":");
}

const twoDigits = (part: number): string => String(part).padStart(2, "0");
