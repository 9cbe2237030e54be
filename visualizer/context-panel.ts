import type { Json, JsonObject } from "../src/contracts/call.ts";
import type { Patch } from "../src/inspector/patch.ts";
import { changedRows, type ChangedRow } from "./changed-rows.ts";
import { el, fill } from "./dom.ts";
import { jsonEntry, jsonView } from "./json-view.ts";
import type { Panel } from "./panel.ts";
import type { Store } from "./store.ts";
import { counted } from "./figures.ts";
import { createWatch } from "./watch.ts";

/** More rows than this at one step are told by their number. */
const ROWS_MAX = 100;

/** The machine's context after the shown step: first what changed, then all of it. */
export function createContextPanel(store: Store): Panel {
  const changed = el("div", { class: "detail-body" });
  const whole = createWhole();
  const element = el(
    "section",
    { class: "detail context-panel", "aria-label": "Context" },
    changed,
    whole.element,
  );
  const isOther = createWatch();
  const update = (): void => {
    const step = store.shownStep;
    if (!isOther(store.run, store.step, step?.patch)) return;
    const patch = step?.patch ?? {};
    const isFirst = !step || store.step === 0;
    const before = isFirst ? {} : store.contextAt(store.run, store.step - 1);
    fill(changed, isFirst ? null : changedView(changedRows(patch, before)));
    whole.show(store.contextAt(store.run, store.step), isFirst ? {} : patch);
  };
  return { element, update };
}

function changedView(rows: readonly ChangedRow[]): HTMLElement {
  const shown = rows.slice(0, ROWS_MAX).map((row) => changedRow(row));
  const left = rows.length - shown.length;
  return el(
    "section",
    { class: "part" },
    el("h2", {}, "Changed at this step"),
    rows.length === 0
      ? el("p", { class: "quiet" }, "Nothing.")
      : el("dl", { class: "changes" }, ...shown),
    left > 0 ? el("p", { class: "quiet" }, `and ${counted(left, "more place")}`) : null,
  );
}

function changedRow({ path, was, now, added }: ChangedRow): HTMLElement {
  const name = el("dt", { class: "json-key" }, path);
  if (added) {
    const items = added.items.map((item, at) => jsonEntry(String(added.after + at), item, true));
    return el("div", {}, name, el("dd", {}, side("added"), el("div", {}, ...items)));
  }
  if (isSmall(was) && isSmall(now))
    return el("div", { class: "in-one-line" }, name, inOneLine(was, now));
  return el("div", {}, name, ...sideOf("was", was), ...sideOf("is", now));
}

const isSmall = (value: Json | undefined): value is number | boolean | null =>
  value === null || typeof value === "number" || typeof value === "boolean";

const inOneLine = (was: Json, now: Json): HTMLElement =>
  el("dd", {}, el("span", { class: "side-was" }, jsonView(was)), " → ", jsonView(now));

/** Nothing for a value that was not there before; "gone" for one that is not there now. */
function sideOf(name: "was" | "is", value: Json | undefined): HTMLElement[] {
  if (value !== undefined)
    return [el("dd", { class: `side-${name}` }, side(name), jsonView(value, name === "is"))];
  return name === "is" ? [el("dd", { class: "side-is" }, side("gone"))] : [];
}

const side = (text: string): HTMLElement => el("span", { class: "side-mark" }, text);

/** All keys in order. What did not change is left as it stands, opened where it was opened. */
function createWhole(): {
  element: HTMLElement;
  show: (context: JsonObject, patch: Patch) => void;
} {
  const root = el("div", { class: "json-root" });
  const none = el("p", { class: "quiet" }, "There is none.");
  const element = el(
    "section",
    { class: "part" },
    el("h2", {}, "Context after this step"),
    none,
    root,
  );
  let entries = new Map<string, { value: Json; element: HTMLElement }>();
  const show = (context: JsonObject, patch: Patch): void => {
    const before = entries;
    entries = new Map(
      Object.entries(context).map(([key, value]) => {
        const known = before.get(key);
        if (known?.value === value) return [key, known];
        const isOpen = known?.element.hasAttribute("open");
        return [key, { value, element: jsonEntry(key, value, isOpen) }];
      }),
    );
    none.hidden = entries.size > 0;
    for (const [key, entry] of entries) mark(entry.element, Object.hasOwn(patch, key));
    replaceEntries(
      root,
      [...entries.values()].map((entry) => entry.element),
    );
  };
  return { element, show };
}

function mark(entry: HTMLElement, isChanged: boolean): void {
  if (entry.classList.contains("is-changed") === isChanged) return;
  entry.classList.toggle("is-changed", isChanged);
  const said = entry.querySelector(".changed-said");
  if (said) said.remove();
  else
    entry
      .querySelector(".json-key")
      ?.append(el("span", { class: "changed-said visually-hidden" }, " (changed)"));
}

/** Touches only the places where another element stands now, so that focus and open branches stay. */
function replaceEntries(root: HTMLElement, entries: readonly HTMLElement[]): void {
  for (const [at, entry] of entries.entries()) {
    const place = root.children[at];
    if (place === entry) continue;
    if (place) place.replaceWith(entry);
    else root.append(entry);
  }
  while (root.children.length > entries.length) root.lastElementChild?.remove();
}
