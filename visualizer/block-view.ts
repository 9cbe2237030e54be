import type { Block } from "../src/inspector/protocol.ts";
import { el } from "./dom.ts";
import { counted } from "./figures.ts";
import { textView } from "./text-view.ts";

/** Thinking of more lines than this is closed at first. */
const OPEN_LINES_MAX = 12;

/** What an event brought: label, facts beside it, text. */
export function blockView({ label, tone, text, facts }: Block): HTMLElement {
  const head = [
    el("span", { class: "block-label" }, label),
    ...facts.map((fact) => el("span", { class: "block-fact" }, fact)),
  ];
  if (tone !== "thinking")
    return el(
      "div",
      { class: `block tone-${tone}` },
      el("p", { class: "block-head" }, ...head),
      textView(text, tone === "code" ? "is-code" : ""),
    );
  const lines = text.split("\n").length;
  return el(
    "details",
    { class: "block tone-thinking", open: lines <= OPEN_LINES_MAX },
    el(
      "summary",
      { class: "block-head" },
      ...head,
      el("span", { class: "block-fact" }, counted(lines, "line")),
    ),
    textView(text, ""),
  );
}
