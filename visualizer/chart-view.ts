import { ChartLights } from "./chart-lights.ts";
import { centred, fitted, moved, showing, zoomed, type Frame, type Size } from "./chart-pan.ts";
import { el } from "./dom.ts";
import type { Panel } from "./panel.ts";
import type { Store } from "./store.ts";

const ZOOM = 1.25;
/** Above this a small chart would only look coarse. */
const SCALE_MAX = 1.3;
/** Of the buttons at the top and the room around them, in pixels. */
const TOOLS_HEIGHT = 34;
/** Below this a card's rows cannot be read. */
const SCALE_READABLE = 0.9;

/** The statechart: a map of its states, or every transition in detail; the shown step lit. */
export function createChartView(store: Store): Panel {
  const drawings = drawingsOf(store);
  const first = drawings[0];
  if (!first) return { element: el("div", { class: "chart" }, "No chart"), update: () => {} };
  let shown = first;
  let known: unknown[] = [];
  const choices = drawings.map((drawing) => {
    const attributes = { type: "button", onclick: () => choose(drawing) };
    return { drawing, button: el("button", attributes, drawing.name) };
  });
  const choose = (drawing: Drawing) => {
    shown = drawing;
    for (const { drawing: each, button } of choices) {
      each.svg.toggleAttribute("hidden", each !== drawing);
      button.setAttribute("aria-pressed", String(each === drawing));
    }
    drawing.frameAll();
  };
  const element = el(
    "section",
    { class: "chart", "aria-label": "Statechart" },
    el(
      "div",
      { class: "chart-views", role: "group", "aria-label": "View" },
      choices.map(({ button }) => button),
    ),
    el(
      "div",
      { class: "chart-tools", role: "group", "aria-label": "Zoom" },
      tool("Zoom out", "−", () => shown.zoom(1 / ZOOM)),
      tool("Zoom in", "+", () => shown.zoom(ZOOM)),
      tool("Fit", "Fit", () => shown.frameAll()),
    ),
  );
  for (const { svg } of drawings) element.append(svg);
  document.addEventListener("chart-fit", () => shown.frameAll());
  new ResizeObserver(() => shown.resized()).observe(element);
  choose(first);

  return {
    element,
    update() {
      const step = store.shownStep;
      const status = store.statusOf(store.run);
      const isLast = store.step === store.lastStep;
      const next = status?.phase === "held" && isLast ? status.next : null;
      if (known[0] === step && known[1] === next) return;
      known = [step, next];
      for (const drawing of drawings) {
        drawing.lights.show(step, next);
        drawing.follow(step?.to[0]);
      }
    },
  };
}

const tool = (name: string, sign: string, onclick: () => void) =>
  el("button", { type: "button", "aria-label": name, title: name, onclick }, sign);

function drawingsOf(store: Store): Drawing[] {
  const template = document.getElementById("chart-svg");
  if (!(template instanceof HTMLTemplateElement)) return [];
  const content = template.content.cloneNode(true) as DocumentFragment;
  return [...content.querySelectorAll("svg")].map(
    (svg) => new Drawing(svg, new ChartLights(svg, store.recording.chart)),
  );
}

/** One of the chart's drawings, and the part of it that is seen. */
class Drawing {
  readonly name: string;
  readonly svg: SVGSVGElement;
  readonly lights: ChartLights;
  readonly #all: Frame;
  #frame: Frame;
  #active = "";
  /** Until the person moves it, the drawing fits itself to its place. */
  #isMoved = false;

  constructor(svg: SVGSVGElement, lights: ChartLights) {
    this.svg = svg;
    this.lights = lights;
    this.name = svg.getAttribute("data-view") === "map" ? "Map" : "Detail";
    const { x, y, width, height } = svg.viewBox.baseVal;
    this.#all = { x, y, width, height };
    this.#frame = this.#all;
    listenForMoves(svg, {
      move: (by) => this.#set(moved(this.#frame, this.#size, by)),
      zoom: (by, at) => this.#set(zoomed(this.#frame, this.#size, by, at)),
    });
  }

  get #size(): Size {
    const { clientWidth, clientHeight } = this.svg.parentElement ?? this.svg;
    return { width: clientWidth || 1, height: clientHeight || 1 };
  }

  /** All of the map; of the details as much as can be read, around the active state. */
  frameAll(): void {
    const fits = belowTools(this.#all, this.#size);
    const isReadable = this.name === "Map" || this.#size.width / fits.width >= SCALE_READABLE;
    const box = this.#boxOf(this.#active) ?? this.#all;
    const middle = { x: box.x + box.width / 2, y: box.y + box.height / 2 };
    const wide = Math.min(1, Math.max(SCALE_READABLE, this.#size.width / this.#all.width));
    this.#set(isReadable ? fits : centred(middle, this.#size, wide));
    this.#isMoved = false;
  }

  resized(): void {
    if (!this.#isMoved) return this.frameAll();
    const scale = this.#size.width / this.#frame.width;
    this.#set({ ...this.#frame, height: this.#size.height / scale });
  }

  zoom(by: number): void {
    const { width, height } = this.#size;
    this.#set(zoomed(this.#frame, this.#size, by, { x: width / 2, y: height / 2 }));
  }

  /** Brings a state into sight. */
  follow(id = ""): void {
    this.#active = id;
    const box = this.#boxOf(id);
    if (!box) return;
    const wasMoved = this.#isMoved;
    this.#set(showing(this.#frame, box));
    this.#isMoved = wasMoved;
  }

  #boxOf(id: string): Frame | null {
    const rect = this.svg.querySelector(`[data-state="${CSS.escape(id)}"] > .box`);
    if (!(rect instanceof SVGRectElement)) return null;
    const [x, y, width, height] = [rect.x, rect.y, rect.width, rect.height].map(
      ({ baseVal }) => baseVal.value,
    );
    return { x: x ?? 0, y: y ?? 0, width: width ?? 0, height: height ?? 0 };
  }

  #set(frame: Frame): void {
    this.#frame = frame;
    this.#isMoved = true;
    this.svg.setAttribute("viewBox", [frame.x, frame.y, frame.width, frame.height].join(" "));
  }
}

/** All of a drawing, below the buttons that lie over its top. */
function belowTools(all: Frame, { width, height }: Size): Frame {
  const below = Math.max(1, height - TOOLS_HEIGHT);
  const fits = fitted(all, { width, height: below }, SCALE_MAX);
  const tools = (TOOLS_HEIGHT / below) * fits.height;
  return { ...fits, y: fits.y - tools, height: fits.height + tools };
}

type Place = { x: number; y: number };

/** Dragging and the wheel move; two fingers, or the wheel with Ctrl or Command, zoom. */
function listenForMoves(
  svg: SVGSVGElement,
  told: { move: (by: Place) => void; zoom: (by: number, at: Place) => void },
): void {
  const fingers = new Map<number, Place>();
  const placeOf = (event: MouseEvent): Place => {
    const { left, top } = svg.getBoundingClientRect();
    return { x: event.clientX - left, y: event.clientY - top };
  };
  svg.addEventListener("pointerdown", (event) => {
    svg.setPointerCapture(event.pointerId);
    fingers.set(event.pointerId, placeOf(event));
  });
  svg.addEventListener("pointermove", (event) => {
    const before = fingers.get(event.pointerId);
    if (!before) return;
    const now = placeOf(event);
    const [other] = [...fingers].flatMap(([id, at]) => (id === event.pointerId ? [] : [at]));
    fingers.set(event.pointerId, now);
    told.move({ x: (now.x - before.x) / fingers.size, y: (now.y - before.y) / fingers.size });
    if (other) told.zoom(apart(now, other) / (apart(before, other) || 1), now);
  });
  for (const end of ["pointerup", "pointercancel"] as const)
    svg.addEventListener(end, (event) => void fingers.delete(event.pointerId));
  svg.addEventListener(
    "wheel",
    (event) => {
      event.preventDefault();
      const by = { x: -event.deltaX, y: -event.deltaY };
      if (event.ctrlKey || event.metaKey) told.zoom(Math.exp(by.y / 200), placeOf(event));
      else told.move(by);
    },
    { passive: false },
  );
}

const apart = (a: Place, b: Place) => Math.hypot(a.x - b.x, a.y - b.y);
