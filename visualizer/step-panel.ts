import { arcsView } from "./arcs-view.ts";
import { blockView } from "./block-view.ts";
import { budgetView, remainingText } from "./budget-view.ts";
import { el, fill } from "./dom.ts";
import type { Panel } from "./panel.ts";
import { stateNames, stepWords } from "./step-text.ts";
import type { StepView } from "../src/inspector/protocol.ts";
import type { Store } from "./store.ts";
import { createWatch } from "./watch.ts";
import { createWhatIfPanel } from "./what-if-panel.ts";

/** What happened at the shown step. The what-if form stands in its place while it is open. */
export function createStepPanel(store: Store): Panel {
  const body = el("div", { class: "detail-body" });
  const whatIf = createWhatIfPanel(store);
  const element = el(
    "section",
    { class: "detail step-panel", "aria-label": "Step" },
    whatIf.element,
    body,
  );
  const isOther = createWatch();
  const openForm = (): void => {
    whatIf.open();
    update();
    whatIf.focus();
  };

  const update = (): void => {
    whatIf.update();
    body.hidden = whatIf.isEditing();
    const step = store.shownStep;
    const canAsk = store.canFork && (step?.can_fork ?? false);
    const { chart } = store.recording;
    if (!isOther(step, step?.remaining, step?.ended, canAsk, store.isConnected, chart)) return;
    if (step) fill(body, ...stepParts(store, step, canAsk ? openForm : null));
    else fill(body, el("p", { class: "quiet" }, "Nothing has happened yet."));
  };
  return { element, update };
}

function stepParts(
  store: Store,
  step: StepView,
  openForm: (() => void) | null,
): (HTMLElement | null)[] {
  const { chart } = store.recording;
  return [
    headView(store, step, openForm),
    ...step.blocks.map((block) => blockView(block)),
    arcsView(chart, step),
    leftView(store, step),
  ];
}

function headView(store: Store, step: StepView, openForm: (() => void) | null): HTMLElement {
  const { chart } = store.recording;
  const from = stateNames(chart, step.from);
  const states = [...(from === "" ? [] : [from]), stateNames(chart, step.to)];
  const line = step.line === null ? "" : ` · line ${step.line}`;
  return el(
    "header",
    { class: "detail-head" },
    el(
      "div",
      { class: "detail-title" },
      el(
        "h2",
        { class: step.ok === false ? "is-bad" : "" },
        el("span", { class: "visually-hidden" }, stepWords(step)),
        step.title,
      ),
      openForm &&
        el(
          "button",
          { type: "button", class: "button what-if-button", onclick: openForm },
          "What if…",
        ),
    ),
    el(
      "p",
      { class: "detail-facts" },
      step.by === null ? null : el("span", { class: "badge" }, BY_WORDS[step.by]),
      step.ended === null ? null : el("span", { class: "badge" }, `ended: ${step.ended}`),
      el("span", { class: "states" }, from === "" ? "→ " : "", states.join(" → ")),
      el("span", {}, `turn ${step.turn}${line}`),
      el("span", { class: "event-type" }, step.type),
    ),
  );
}

const BY_WORDS: Record<NonNullable<StepView["by"]>, string> = {
  hand: "by hand",
  recording: "from the recording",
};

/** Budgets, and the worst case that remains. A machine has neither. */
function leftView(store: Store, step: StepView): HTMLElement | null {
  if (!step.budget) return null;
  // Nobody proves anything for a page without a process, and nothing remains of a turn that has ended.
  const isTold = step.ended === null && (step.remaining !== null || store.isConnected);
  return el(
    "section",
    { class: "part" },
    el("h3", {}, "Left in this turn"),
    budgetView(step.budget, store.contextAt(store.run, store.step)),
    isTold ? el("p", { class: "remaining" }, remainingText(step.remaining)) : null,
  );
}
