import type { Chart } from "../src/inspector/chart/chart.ts";
import { controlled } from "./control.ts";
import { el, fill } from "./dom.ts";
import type { Panel } from "./panel.ts";
import { stoppableStates } from "./step-text.ts";
import type { Store } from "./store.ts";

const GENERAL: [value: string, label: string][] = [
  ["every", "every transition"],
  ["error", "an error"],
  ["tool", "a tool"],
];

/** Where a turn at work stops by itself, to choose from. */
export function createBreakOn(store: Store): Panel {
  const summary = el("summary", { class: "button" });
  const choices = el("div", { class: "popover" });
  const element = el("details", { class: "break-on" }, summary, choices);
  let chart: Chart | null = null;
  let boxes: HTMLInputElement[] = [];

  const send = (): void =>
    store.ask({
      type: "breakpoints",
      run: store.run,
      breakpoints: boxes.filter(({ checked }) => checked).map(({ value }) => value),
    });
  choices.addEventListener("change", send);
  element.addEventListener("keydown", (event) => {
    if (event.key !== "Escape" || !element.open) return;
    element.open = false;
    summary.focus();
  });
  document.addEventListener("pointerdown", ({ target }) => {
    if (target instanceof Node && !element.contains(target)) element.open = false;
  });

  const update = (): void => {
    const chosen = controlled(store)?.breakpoints ?? [];
    if (chart !== store.recording.chart) {
      ({ chart } = store.recording);
      const states = stoppableStates(chart).map((name): [string, string] => [name, name]);
      boxes = [...GENERAL, ...states].map(([value]) => el("input", { type: "checkbox", value }));
      fill(
        choices,
        group("Hold before", GENERAL, boxes),
        group("Hold in", states, boxes.slice(GENERAL.length)),
      );
    }
    for (const box of boxes) box.checked = chosen.includes(box.value);
    const text = chosen.length === 0 ? "Break on…" : `Break on ${chosen.length}`;
    if (summary.textContent !== text) summary.textContent = text;
  };
  return { element, update };
}

function group(
  title: string,
  choices: readonly [value: string, label: string][],
  boxes: readonly HTMLInputElement[],
): HTMLFieldSetElement {
  return el(
    "fieldset",
    { class: "break-choices" },
    el("legend", {}, title),
    ...choices.map(([value, label], index) =>
      el("label", { class: "break-choice", "data-breakpoint": value }, boxes[index] ?? null, label),
    ),
  );
}
