import { el, fill } from "./dom.ts";
import { inFigures } from "./figures.ts";

const SHOWN_MAX = 4000;
const LINES_MAX = 40;

/** A text with all its spaces. Of a long one the beginning, and a button for the rest. */
export function textView(text: string, className: string): HTMLElement {
  const element = el("div", { class: `text-view ${className}` });
  showText(element, text, SHOWN_MAX);
  return element;
}

/** Puts a text into an element, cut after so many characters, or after a screen of lines. */
export function showText(element: HTMLElement, text: string, shownMax: number): void {
  const end = Math.min(shownMax, endOfLines(text, LINES_MAX));
  // A few characters less are not worth a button.
  if (text.length <= end * 1.1) return fill(element, text);
  const label = `show all ${inFigures(text.length)} characters`;
  const showAll = () => fill(element, text);
  const button = el("button", { type: "button", class: "more", onclick: showAll }, label);
  fill(element, `${wholeStart(text, end)}… `, button);
}

/** Where so many lines of a text end. */
function endOfLines(text: string, lines: number): number {
  let end = -1;
  for (let line = 0; line < lines; line++) {
    end = text.indexOf("\n", end + 1);
    if (end === -1) return text.length;
  }
  return end;
}

/** Never half a surrogate pair. */
function wholeStart(text: string, length: number): string {
  return text.slice(0, length).replace(/[\uD800-\uDBFF]$/, "");
}
