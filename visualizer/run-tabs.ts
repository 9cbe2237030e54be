import type { Run } from "../src/inspector/protocol.ts";
import { controlled } from "./control.ts";
import { el, fill } from "./dom.ts";
import type { Panel } from "./panel.ts";
import type { Store } from "./store.ts";

/** The runs beside each other, once there is more than one, and whether two of them are compared. */
export function createRunTabs(store: Store): Panel {
  const list = el("div", { class: "run-list" });
  const compare = el(
    "button",
    { type: "button", class: "toggle", onclick: () => store.compareWith(otherRun(store)) },
    "Compare",
  );
  const element = el("nav", { class: "runs", "aria-label": "Runs" }, list, compare);
  let buttons: HTMLButtonElement[] = [];
  let known: Run[] | null = null;

  const update = (): void => {
    const { runs } = store.recording;
    element.hidden = runs.length < 2;
    if (element.hidden) return;
    if (known !== runs || buttons.length !== runs.length) {
      known = runs;
      buttons = runs.map((run) => runButton(store, run));
      fill(list, ...buttons);
    }
    for (const [index, button] of buttons.entries()) {
      const id = runs[index]?.id;
      if (id === store.run && button.ariaCurrent !== "true")
        list.scrollTo({ left: button.offsetLeft - list.offsetLeft });
      button.setAttribute("aria-current", String(id === store.run));
      button.classList.toggle("is-beside", id === store.beside);
    }
    compare.setAttribute("aria-pressed", String(store.beside !== null));
  };
  return { element, update };
}

function runButton(store: Store, run: Run): HTMLButtonElement {
  return el(
    "button",
    { type: "button", class: "run-tab", onclick: () => showRun(store, run) },
    run.name,
  );
}

/** A fork is shown where it leaves the other; one at work, at its newest step. */
function showRun(store: Store, { id, fork, steps }: Run): void {
  if (store.beside === id) store.compareWith(store.run);
  store.choose(id, fork?.step ?? steps.length - 1);
  if (controlled(store)) store.goTo(store.lastStep);
}

/** The run to put beside the shown one: what it was made from, or the newest made since. Null takes it away again. */
function otherRun({ beside, shownRun, recording, run }: Store): number | null {
  if (beside !== null) return null;
  if (shownRun.fork) return shownRun.fork.run;
  return recording.runs.findLast(({ id }) => id !== run)?.id ?? null;
}
