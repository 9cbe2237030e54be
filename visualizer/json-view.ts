import type { Json, JsonObject } from "../src/contracts/call.ts";
import { el, fill } from "./dom.ts";
import { counted, inFigures } from "./figures.ts";
import { showText } from "./text-view.ts";

const STRING_MAX = 300;
const QUOTED_MAX = 40;
const ITEMS_MAX = 100;

/** A value as a tree. Lists and objects are drawn when they are opened; long ones in parts. */
export function jsonView(value: Json, open = false): HTMLElement {
  if (value === null || typeof value !== "object") return leaf(value);
  const size = Array.isArray(value) ? value.length : Object.keys(value).length;
  if (size === 0) return el("span", { class: "json-empty" }, Array.isArray(value) ? "[]" : "{}");
  const body = el("div", { class: "json-items" });
  return lazyDetails(previewOf(value), body, () => drawItems(body, value, 0), open);
}

/** One named value: on one line when it is small, else as a tree that opens. */
export function jsonEntry(name: string, value: Json, open = false): HTMLElement {
  const key = el("span", { class: "json-key" }, name);
  if (!isBranch(value)) return el("div", { class: "json-entry" }, key, " ", jsonView(value));
  const body = el("div", { class: "json-items" });
  const summary = [key, " ", previewOf(value)];
  return lazyDetails(summary, body, () => drawItems(body, value, 0), open);
}

const isBranch = (value: Json): value is Extract<Json, object> =>
  value !== null && typeof value === "object" && Object.keys(value).length > 0;

function lazyDetails(
  summary: Node | (Node | string)[],
  body: HTMLElement,
  draw: () => void,
  open: boolean,
): HTMLElement {
  let isDrawn = false;
  const details = el(
    "details",
    { class: "json-branch", open },
    el("summary", {}, ...[summary].flat()),
    body,
  );
  const drawOnce = () => {
    if (isDrawn || !details.open) return;
    isDrawn = true;
    draw();
  };
  details.addEventListener("toggle", drawOnce);
  drawOnce();
  return details;
}

function drawItems(body: HTMLElement, value: Extract<Json, object>, from: number): void {
  const entries = Object.entries(value);
  const shown = entries.slice(from, from + ITEMS_MAX);
  body.append(...shown.map(([key, item]) => jsonEntry(key, item)));
  const left = entries.length - from - shown.length;
  if (left === 0) return;
  const showMore = () => {
    more.remove();
    drawItems(body, value, from + ITEMS_MAX);
  };
  const label = `show ${inFigures(Math.min(left, ITEMS_MAX))} of ${inFigures(left)} more`;
  const more = el("button", { type: "button", class: "more", onclick: showMore }, label);
  body.append(more);
}

function leaf(value: string | number | boolean | null): HTMLElement {
  if (typeof value !== "string") return el("span", { class: "json-literal" }, String(value));
  const element = el("span", { class: "json-string" });
  // Quotes only where a short text would else not be seen: an empty one, spaces at its ends.
  const isUnseen = value.trim() !== value || value === "";
  if (isUnseen && value.length <= QUOTED_MAX) fill(element, JSON.stringify(value));
  else showText(element, value, STRING_MAX);
  return element;
}

const PREVIEW_MAX = 60;

/** What a closed list or object says of itself: how many items, what kind of thing it is, or its small values. */
function previewOf(value: Extract<Json, object>): HTMLElement {
  const text = Array.isArray(value) ? counted(value.length, "item") : objectPreview(value);
  return el("span", { class: "json-preview" }, text);
}

function objectPreview(value: JsonObject): string {
  const { kind, name, role, code } = value;
  const word = [kind, name, role, code].find((candidate) => typeof candidate === "string");
  if (typeof word === "string") return cut(word);
  const parts = Object.entries(value).map(([key, item]) =>
    typeof item === "number" || typeof item === "boolean" ? `${key} ${item}` : key,
  );
  return cut(parts.join(", "));
}

const cut = (text: string): string =>
  text.length > PREVIEW_MAX ? `${text.slice(0, PREVIEW_MAX)}…` : text;
