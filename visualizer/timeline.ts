import type { StepView } from "../src/inspector/protocol.ts";
import { el } from "./dom.ts";
import type { Panel } from "./panel.ts";
import type { Store } from "./store.ts";
import { rowsInWindow, topToShow } from "./timeline-window.ts";
import { createRow, createNextRow, ROW_HEIGHT, type TimelineRow } from "./timeline-row.ts";

/**
 * The events of the shown run, one row each; a turn's first step is its head. Only the rows that are seen are in the
 * page, so that a run of any length opens and scrolls.
 */
export function createTimeline(store: Store): Panel {
  const timeline = new Timeline(store);
  return { element: timeline.element, update: () => timeline.update() };
}

class Timeline {
  readonly element: HTMLElement;
  readonly #store: Store;
  readonly #list = el("ol", { class: "timeline-list", "aria-label": "Events" });
  readonly #scroller = el("div", { class: "timeline-scroller" }, this.#list);
  readonly #count = el("span", { class: "timeline-count" });
  readonly #empty = el("p", { class: "empty" }, "Waiting for the first event");
  readonly #next = createNextRow();
  /** By index, in the order of the list. */
  readonly #rows = new Map<number, TimelineRow>();
  /** What was shown last, to know what changed. */
  #shown: { run: number; step: number; next: StepView | null } = { run: -1, step: -1, next: null };
  #isOpen = true;
  /** Kept from the scroller's own events: to ask it in an update would lay the whole page out once more. */
  #top = 0;
  #height = 0;

  constructor(store: Store) {
    this.#store = store;
    const toggle = el(
      "button",
      { type: "button", class: "timeline-toggle", "aria-expanded": "true" },
      "Timeline",
    );
    toggle.addEventListener("click", () => {
      this.#isOpen = !this.#isOpen;
      toggle.setAttribute("aria-expanded", String(this.#isOpen));
      this.element.classList.toggle("is-closed", !this.#isOpen);
      this.update();
    });
    this.element = el(
      "section",
      { class: "timeline", "aria-label": "Timeline" },
      el("h2", { class: "panel-head" }, toggle, this.#count),
      this.#scroller,
      this.#empty,
    );
    this.#scroller.addEventListener("scroll", () => this.#measure(), { passive: true });
    this.#list.addEventListener("click", (event) => this.#choose(event.target));
    this.#list.addEventListener("keydown", (event) => this.#move(event));
    new ResizeObserver(() => this.#resized()).observe(this.#scroller);
  }

  update(): void {
    const { run, step, shownRun } = this.#store;
    const { length } = shownRun.steps;
    this.#count.textContent = length === 0 ? "" : `${step + 1} of ${length}`;
    this.#empty.hidden = length > 0;
    this.#scroller.hidden = length === 0 || !this.#isOpen;
    const height = `${this.#rowCount * ROW_HEIGHT}px`;
    if (this.#list.style.height !== height) this.#list.style.height = height;
    const next = this.#pending;
    const hasMoved = run !== this.#shown.run || step !== this.#shown.step;
    if (this.#isOpen && (hasMoved || next !== this.#shown.next)) this.#bringIntoView();
    const hadFocus = this.#rows.get(this.#shown.step)?.element.contains(document.activeElement);
    this.#shown = { run, step, next };
    this.#fillWindow();
    if (hadFocus && hasMoved) this.#rows.get(step)?.button.focus({ preventScroll: true });
  }

  /** A turn that is held shows what comes next as one row more. */
  get #rowCount(): number {
    const { length } = this.#store.shownRun.steps;
    return length + (this.#pending === null ? 0 : 1);
  }

  get #pending(): StepView | null {
    const status = this.#store.statusOf(this.#store.run);
    return status?.phase === "held" ? status.next : null;
  }

  get #geometry() {
    return {
      top: this.#top,
      height: this.#height,
      rowHeight: ROW_HEIGHT,
      count: this.#rowCount,
    };
  }

  #measure(): void {
    this.#top = this.#scroller.scrollTop;
    this.#height = this.#scroller.clientHeight;
    this.#fillWindow();
  }

  /** A place of another height still shows the step. */
  #resized(): void {
    if (this.#scroller.clientHeight === 0) return;
    this.#measure();
    this.#bringIntoView();
    this.#fillWindow();
  }

  #bringIntoView(): void {
    const geometry = this.#geometry;
    const top = topToShow(this.#store.step, geometry);
    if (top === geometry.top) return;
    this.#scroller.scrollTop = top;
    this.#top = top;
  }

  /** Takes rows away that went out of sight and makes those that came into it. The others keep their elements. */
  #fillWindow(): void {
    const { from, to } = rowsInWindow(this.#geometry);
    const { steps } = this.#store.shownRun;
    for (const [index, row] of this.#rows)
      if (index < from || index >= to || steps[index] !== row.step) this.#remove(index, row);
    let before: Element | null = this.#list.firstElementChild;
    for (let index = from; index < Math.min(to, steps.length); index++) {
      const row = this.#rows.get(index) ?? this.#add(index, before);
      row?.setCurrent(index === this.#store.step);
      before = row?.element.nextElementSibling ?? null;
    }
    this.#showNext(to);
    this.#makeReachable(from);
  }

  #add(index: number, before: Element | null): TimelineRow | undefined {
    const { shownRun, recording } = this.#store;
    const row = createRow(recording.chart, shownRun, index);
    if (!row) return undefined;
    this.#rows.set(index, row);
    this.#list.insertBefore(row.element, before);
    return row;
  }

  #remove(index: number, { element }: TimelineRow): void {
    element.remove();
    this.#rows.delete(index);
  }

  #showNext(to: number): void {
    const { length } = this.#store.shownRun.steps;
    const pending = this.#pending;
    if (pending === null || to <= length) this.#next.element.remove();
    else {
      this.#next.show(this.#store.recording.chart, pending, length);
      this.#list.append(this.#next.element);
    }
  }

  /** Tab comes to one row only: the shown one, or the first there is when that is out of sight. */
  #makeReachable(from: number): void {
    const reached = this.#rows.has(this.#store.step) ? this.#store.step : from;
    for (const [index, { button }] of this.#rows) button.tabIndex = index === reached ? 0 : -1;
  }

  #choose(target: EventTarget | null): void {
    const index = target instanceof Element ? target.closest("li")?.dataset["index"] : undefined;
    if (index !== undefined) this.#store.goTo(Number(index));
  }

  #move(event: KeyboardEvent): void {
    const by = event.key === "ArrowDown" ? 1 : event.key === "ArrowUp" ? -1 : 0;
    if (by === 0) return;
    event.preventDefault();
    this.#store.goTo(this.#store.step + by);
  }
}
