import type { Run, StepView } from "../src/inspector/protocol.ts";
import { el, fill } from "./dom.ts";
import { firstDifference, isSameStep } from "./first-difference.ts";
import type { Panel } from "./panel.ts";
import { stateNames, stepWords } from "./step-text.ts";
import type { Store } from "./store.ts";
import { counted } from "./figures.ts";
import { createWatch } from "./watch.ts";

/** Rows drawn before and after the first difference. */
const ROWS_AROUND = 200;

/** The shown run and the one beside it, step by step, with the first difference marked. */
export function createComparePanel(store: Store): Panel {
  const element = el("section", { class: "detail compare-panel", "aria-label": "Compare" });
  const isOther = createWatch();
  let rows = new Map<number, HTMLElement>();
  let current: HTMLElement | undefined;

  const update = (): void => {
    const one = store.shownRun;
    const other = store.beside === null ? null : store.runOf(store.beside);
    // A step can be replaced by another one only at the end of a run.
    if (
      isOther(
        one,
        other,
        one.steps.length,
        one.steps.at(-1),
        other?.steps.length,
        other?.steps.at(-1),
      )
    ) {
      rows = new Map();
      if (!other || other === one) {
        fill(element, el("p", { class: "quiet" }, "There is no other run beside this one."));
      } else {
        fill(element, ...compareParts(store, one, other, rows));
        showDifference(element);
      }
    }
    const row = rows.get(store.step);
    if (row === current) return;
    current?.removeAttribute("aria-current");
    row?.setAttribute("aria-current", "step");
    current = row;
  };
  return { element, update };
}

/** Scrolls the panel, and nothing around it, to where the runs part. */
function showDifference(element: HTMLElement): void {
  const place = element.parentElement;
  const mark = element.querySelector(".first-difference");
  if (!place || !mark) return;
  const { top } = place.getBoundingClientRect();
  place.scrollTop += mark.getBoundingClientRect().top - top - place.clientHeight / 3;
}

function compareParts(
  store: Store,
  one: Run,
  other: Run,
  rows: Map<number, HTMLElement>,
): (HTMLElement | null)[] {
  const length = Math.max(one.steps.length, other.steps.length);
  const difference = firstDifference(one, other);
  const from = Math.max(0, (difference ?? length) - ROWS_AROUND);
  const to = Math.min(length, (difference ?? length) + ROWS_AROUND);
  const list = el("ol", { class: "pairs", start: from + 1 });
  for (let at = from; at < to; at++) {
    if (at === difference)
      list.append(el("li", { class: "first-difference" }, el("span", {}, "first difference")));
    const row = pairRow(store, at, one.steps[at], other.steps[at]);
    rows.set(at, row);
    list.append(el("li", {}, row));
  }
  return [
    el("div", { class: "pair-heads" }, el("h2", {}, one.name), el("h2", {}, other.name)),
    difference === null ? el("p", { class: "quiet" }, "Both runs are the same.") : null,
    leftOut(from, "before these, all of them the same"),
    list,
    leftOut(length - to, "after these"),
    el("div", { class: "pair-ends" }, endView(one), endView(other)),
  ];
}

const leftOut = (count: number, where: string): HTMLElement | null =>
  count === 0 ? null : el("p", { class: "quiet" }, `${counted(count, "more step")} ${where}.`);

function pairRow(
  store: Store,
  at: number,
  one: StepView | undefined,
  other: StepView | undefined,
): HTMLElement {
  const isSame = one !== undefined && other !== undefined && isSameStep(one, other);
  const goThere = (): void => store.goTo(at);
  return el(
    "button",
    { type: "button", class: isSame ? "pair is-same" : "pair", onclick: goThere },
    el("span", { class: "pair-number" }, String(at + 1)),
    ...(isSame ? [cellView(store, one)] : [cellView(store, one), cellView(store, other)]),
  );
}

function cellView({ recording: { chart } }: Store, step: StepView | undefined): HTMLElement {
  if (!step) return el("span", { class: "pair-cell is-none" }, "—");
  return el(
    "span",
    { class: `pair-cell kind-${step.kind}${step.ok === false ? " is-bad" : ""}` },
    el(
      "span",
      { class: "sign", "aria-hidden": "true" },
      step.kind === "turn" ? String(step.turn) : "",
    ),
    el("span", { class: "visually-hidden" }, stepWords(step)),
    el("span", { class: "pair-title" }, step.title),
    el("span", { class: "pair-state" }, stateNames(chart, step.to)),
  );
}

function endView({ steps }: Run): HTMLElement {
  const ended = steps.at(-1)?.ended ?? null;
  return el(
    "p",
    {},
    `${ended === null ? "goes on" : `ended: ${ended}`} · ${counted(steps.length, "step")}`,
  );
}
