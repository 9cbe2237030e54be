import type { Recording } from "../src/inspector/protocol.ts";
import { createChartView } from "./chart-view.ts";
import { createComparePanel } from "./compare-panel.ts";
import { createContextPanel } from "./context-panel.ts";
import { el, fill } from "./dom.ts";
import { createEventPanel } from "./event-panel.ts";
import { createHeader } from "./header.ts";
import { createKeysDialog, listenToKeys } from "./keys.ts";
import type { Panel } from "./panel.ts";
import { Player } from "./player.ts";
import { createPromptPanel } from "./prompt-panel.ts";
import { createQuestionForm } from "./question-form.ts";
import { connect } from "./socket.ts";
import { createStepPanel } from "./step-panel.ts";
import { Store } from "./store.ts";
import { createTabs } from "./tabs.ts";
import { restoreTheme } from "./theme.ts";
import { createTimeline } from "./timeline.ts";
import { createTransport } from "./transport.ts";

/** Until a process has said what there is. */
const NOTHING_YET: Recording = {
  source: "live",
  title: "",
  version: "",
  chart: { id: "", nodes: [], arcs: [] },
  runs: [{ id: 0, name: "", session: null, fork: null, steps: [] }],
  prompts: null,
};

const always = (): boolean => true;

start();

/** Shows the recording in the page, or else what the process says that the page came from. */
function start(): void {
  restoreTheme();
  const place = el("div", { class: "page" });
  document.body.append(place);
  const embedded = document.getElementById("recording")?.textContent ?? "";
  if (embedded.trim() !== "") {
    const store = new Store(JSON.parse(embedded) as Recording);
    store.goTo(store.lastStep);
    show(store, place);
  } else if (location.protocol === "file:") {
    fill(place, waiting("There is no recording in this file."));
  } else {
    const store = new Store(NOTHING_YET);
    fill(place, waiting("Waiting for the process"));
    let isShown = false;
    store.subscribe(() => {
      if (!isShown && store.recording !== NOTHING_YET) {
        isShown = true;
        show(store, place);
      } else if (!isShown) fill(place, waiting(store.trouble || "Waiting for the process"));
    });
    connect(store, location.href);
  }
}

function waiting(text: string): HTMLElement {
  return el(
    "main",
    { class: "waiting" },
    el("h1", {}, "broharness"),
    el("p", { role: "status" }, text),
  );
}

/** Puts the panels in the page, and has them follow the store. */
function show(store: Store, place: HTMLElement): void {
  const player = new Player(store);
  const keys = createKeysDialog();
  const header = createHeader(store, () => keys.showModal());
  const chart = createChartView(store);
  const transport = createTransport(store, player);
  const timeline = createTimeline(store);
  const event = createEventPanel(store);
  const question = createQuestionForm(store);
  const tabs = createDetails(store);
  // The timeline first: it scrolls, and that lays out all that was changed before it.
  const panels = [timeline, header, chart, transport, event, question, tabs];
  fill(
    place,
    header.element,
    el(
      "main",
      { class: "main" },
      el("div", { class: "chart-place" }, chart.element),
      transport.element,
    ),
    el(
      "aside",
      { class: "side", "aria-label": "Events and details" },
      timeline.element,
      el("div", { class: "asks" }, event.element, question.element),
      tabs.element,
    ),
    keys,
  );
  const update = (): void => {
    for (const panel of panels) panel.update();
  };
  listenToKeys(store, player, keys);
  store.subscribe(update);
  update();
}

function createDetails(store: Store): Panel {
  return createTabs("Details", [
    { name: "Step", panels: [createStepPanel(store)], isOffered: always },
    { name: "Prompt", panels: [createPromptPanel(store)], isOffered: always },
    { name: "Context", panels: [createContextPanel(store)], isOffered: always },
    {
      name: "Compare",
      panels: [createComparePanel(store)],
      isOffered: () => store.beside !== null,
    },
  ]);
}
