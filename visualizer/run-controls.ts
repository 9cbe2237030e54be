import { createBreakOn } from "./break-on.ts";
import { command, controlled } from "./control.ts";
import { el, fill } from "./dom.ts";
import type { Panel } from "./panel.ts";
import { stoppableStates } from "./step-text.ts";
import type { Store } from "./store.ts";

/** Step, run, hold and stop a turn at work. Not there for a run that nobody is at work on. */
export function createRunControls(store: Store): Panel {
  const step = textButton("Step", "Take the next transition (Space)", () =>
    command(store, { type: "step", run: store.run }),
  );
  step.classList.add("is-main");
  const go = textButton("Run", "Go on (r)", () => command(store, { type: "go", run: store.run }));
  const pause = textButton("Pause", "Hold before the next transition (p)", () =>
    command(store, { type: "pause", run: store.run }),
  );
  const stop = textButton("Stop", "End the turn now", () =>
    store.ask({ type: "stop", run: store.run }),
  );
  stop.classList.add("is-stop");
  const runTo = createRunTo(store);
  const breakOn = createBreakOn(store);
  const element = el(
    "div",
    { class: "run-controls", role: "group", "aria-label": "The turn at work" },
    step,
    go,
    pause,
    runTo.element,
    breakOn.element,
    stop,
  );
  const update = (): void => {
    const status = controlled(store);
    element.hidden = status === null;
    if (!status) return;
    const isHeld = status.phase === "held";
    step.disabled = !isHeld;
    go.hidden = !isHeld;
    pause.hidden = isHeld;
    runTo.update();
    breakOn.update();
  };
  return { element, update };
}

/** A list and a button beside it: a list that acts by itself would run the turn at every arrow key. */
function createRunTo(store: Store): Panel {
  const states = el("select", { class: "select", "aria-label": "State to run to" });
  const button = textButton("Run to", "Go on, and hold in this state", () =>
    command(store, { type: "go_to", run: store.run, state: states.value }),
  );
  let chart = store.recording.chart;
  const list = (): void =>
    fill(states, ...stoppableStates(chart).map((name) => el("option", {}, name)));
  list();
  return {
    element: el("div", { class: "run-to" }, button, states),
    update: () => {
      if (chart === store.recording.chart) return;
      chart = store.recording.chart;
      list();
    },
  };
}

function textButton(label: string, title: string, onclick: () => void): HTMLButtonElement {
  return el("button", { type: "button", class: "button", title, onclick }, label);
}
