import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import type { Recording } from "../protocol.ts";

/** An HTML text, and what a Content-Security-Policy lets run in it. */
export interface Page {
  html: string;
  /** `default-src`, `script-src`, `style-src` and the like: all but what only the server can say. */
  policy: string[];
}

export interface PageParts {
  title: string;
  /** The drawing of the chart: SVG from `drawChart`. */
  svg: string;
  /** What an exported page shows; null for a page that a process serves. */
  recording: Recording | null;
}

/**
 * The inspector's page in one text, with nothing to load. With a recording it may reach nothing at all; without one the
 * server says in a header what it may. Throws RangeError for a recording that no string can hold.
 */
export function pageWith({ title, svg, recording }: PageParts): Page {
  const { script, style } = assets();
  if (/<\/?(?:template|script)/i.test(svg)) throw new Error("the drawing would end its template");
  const policy = policyFor(script, style);
  const parts = [
    ...(recording
      ? [`<meta http-equiv="Content-Security-Policy" content="${policy.join("; ")}">`]
      : []),
    `<title>${escaped(title)}</title>`,
    // Else browsers ask for a favicon.
    `<link rel="icon" href="data:,">`,
    `<style>${style}</style>`,
    "</head>",
    "<body>",
    "<noscript><p>The inspector needs JavaScript: all of it is in this page.</p></noscript>",
    `<template id="chart-svg">${svg}</template>`,
    ...(recording
      ? [`<script type="application/json" id="recording">${inlineJson(recording)}</script>`]
      : []),
    `<script>${script}</script>`,
    "</body>",
    "</html>",
  ];
  return { html: `${HEAD}\n${parts.join("\n")}\n`, policy };
}

/** The first lines of every page: `charset` has to be among the first 1024 bytes. */
export const HEAD = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="referrer" content="no-referrer">`;

/** Nothing but this script and this style, and pictures that stand in the page. */
export const policyFor = (script: string, style: string): string[] => [
  "default-src 'none'",
  `script-src ${hashOf(script)}`,
  `style-src ${hashOf(style)}`,
  "img-src data:",
  "base-uri 'none'",
  "form-action 'none'",
];

const hashOf = (text: string): string =>
  `'sha256-${createHash("sha256").update(text).digest("base64")}'`;

interface Assets {
  script: string;
  style: string;
}

let known: Assets | null = null;

/** What build.mjs made of `visualizer/`. From source it is that of the last build. */
function assets(): Assets {
  if (known) return known;
  const folder = import.meta.url.endsWith(".ts")
    ? "../../../dist/visualizer/"
    : "../../visualizer/";
  const read = (name: string) => readFileSync(new URL(folder + name, import.meta.url), "utf8");
  known = inlinable({ script: read("page.js"), style: read("page.css") });
  return known;
}

/** Throws where a text would end its element, or be read as another than the one that was hashed. */
export function inlinable(given: Assets): Assets {
  if (/<\/script|<!--|[\r\0]/i.test(given.script))
    throw new Error("page.js cannot stand in a page");
  if (/<\/style|<!--|[\r\0]/i.test(given.style)) throw new Error("page.css cannot stand in a page");
  return given;
}

/** JSON in which nothing can end a script. */
const inlineJson = (value: object): string =>
  JSON.stringify(value).replace(
    /[<\u2028\u2029]/g,
    (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );

const entities: Record<string, string> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };
const escaped = (text: string): string =>
  text.replace(/[&<>"]/g, (letter) => entities[letter] ?? letter);
