import { layoutOf, type Layout } from "./fences.ts";
import type { ForeignSyntax, Problem } from "./problem.ts";

const TOOL = "([A-Za-z_][\\w.-]{0,63})";
const LINE_HEAD_CHARS = 400; // enough to see a marker and the name behind it
const XML_CANDIDATES_MAX = 8; // each looks for its closing tag in the rest of the text

/** Markers that are calls at the start of a line, and inside one when a call's beginning follows. */
const MARKERS: readonly { syntax: ForeignSyntax; marker: RegExp; begins: RegExp }[] = [
  { syntax: "gemma", marker: /<\|tool_call>/g, begins: /^\s*call:/ },
  {
    syntax: "hermes",
    marker: /<(?:tool_calls?|function_call|\|tool_calls?\|)>|<｜tool[^>\n]{0,40}>/g,
    begins: /^\s*[{[<]/,
  },
  { syntax: "mistral", marker: /\[TOOL_CALLS\]/g, begins: /^\s*[{[A-Za-z_]/ },
  { syntax: "llama", marker: /<\|python_tag\|>/g, begins: /^\s*[\w{]/ },
  { syntax: "function_tag", marker: /<function(?==[A-Za-z_])/g, begins: /^=[\w.-]+>/ },
];

const NAMES_IN_CALLS = [
  new RegExp(`^\\s*(?:call:|=)${TOOL}`),
  new RegExp(`["'](?:name|tool|function)["']\\s*:\\s*["']${TOOL}["']`),
  new RegExp(`<function=${TOOL}`),
  new RegExp(`^\\s*${TOOL}(?:[.([{]|$)`),
];

const WRAPPER =
  /^<(?:invoke|tool|tool_use|function|function_calls|use_mcp_tool|tools)(?:\s+name\s*=\s*"([^"\n]{1,64})")?[^>\n]{0,80}>/;
const SELF_CLOSED = /^<([a-z][a-z0-9]*_[a-z0-9_]+)\s*\/>\s*$/;
const ELEMENT = /^<([a-z][\w.-]{0,63})>/;
const REACT = new RegExp(`^Action:[ \\t]*${TOOL}[ \\t]*$`);
const CALL_LINE = new RegExp(`^CALL[ \\t]+${TOOL}(?:[ \\t]+(.*))?$`);
const CALL_FENCE = /^`{3,}(?:tool_code|tool_calls?|tool_use)\b/;

// Elements that answers are written in; a tool is hardly ever called like one.
const HTML = new Set(
  (
    "a abbr article aside audio b blockquote body br button canvas caption center circle code col colgroup dd del details " +
    "div dl dt em figcaption figure font footer form g h1 h2 h3 h4 h5 h6 head header hr html i iframe img input ins kbd " +
    "label li line link main mark math meta nav ol option p path picture polygon pre q rect s samp script section select " +
    "small span strong style sub summary sup svg table tbody td textarea tfoot th thead time title tr u ul var video xml"
  ).split(" "),
);

/**
 * Finds a tool call in a notation that is not ours, to be named in a refusal. Only what the text does counts: markers in
 * code or quotes are being spoken of.
 */
export function foreignSyntax(
  text: string,
  layout: Layout = layoutOf(text),
): ForeignProblem | null {
  const lines = layout.prose.split("\n");
  let offset = 0;
  let xmlCandidates = 0;
  for (const [index, line] of lines.entries()) {
    const head = line.slice(0, LINE_HEAD_CHARS).trim();
    const found =
      markerIn(line) ??
      callLineIn(head, lines.length) ??
      reactIn(head, lines, index) ??
      wrapperIn(head);
    if (found) return found;
    if (ELEMENT.test(head) && xmlCandidates < XML_CANDIDATES_MAX) {
      xmlCandidates += 1;
      const element = elementAt(layout.prose, offset + line.indexOf("<"));
      if (element) return element;
    }
    offset += line.length + 1;
  }
  const fence = layout.fenced.find((part) => CALL_FENCE.test(part.fence));
  return fence
    ? foreign("gemma", text.slice(fence.bodyStart, fence.bodyEnd).slice(0, LINE_HEAD_CHARS))
    : null;
}

type ForeignProblem = Extract<Problem, { code: "foreign_syntax" }>;

function foreign(syntax: ForeignSyntax, call: string): ForeignProblem {
  for (const pattern of NAMES_IN_CALLS) {
    const tool = pattern.exec(call)?.[1];
    if (tool !== undefined) return { code: "foreign_syntax", syntax, tool };
  }
  return { code: "foreign_syntax", syntax };
}

function markerIn(line: string): ForeignProblem | undefined {
  if (!/[<[]/.test(line)) return undefined;
  for (const { syntax, marker, begins } of MARKERS) {
    for (const match of line.matchAll(marker)) {
      const rest = line.slice(match.index + match[0].length).slice(0, LINE_HEAD_CHARS);
      const isAtStart = line.slice(0, match.index).trim() === "";
      if (isAtStart || (begins.test(rest) && !isSpokenOf(line, match.index)))
        return foreign(syntax, rest);
      if (match.index > LINE_HEAD_CHARS) break;
    }
  }
  return undefined;
}

function isSpokenOf(line: string, at: number): boolean {
  if (/["'`]/.test(line.charAt(at - 1))) return true;
  return line.slice(0, at).split("`").length % 2 === 0;
}

function callLineIn(head: string, lineCount: number): ForeignProblem | undefined {
  const match = CALL_LINE.exec(head);
  const tool = match?.[1];
  if (tool === undefined) return undefined;
  // "CALL them back" is English; a key with a value, a tool-like name, or nothing beside it makes it a call.
  const rest = match?.[2] ?? "";
  const isCall =
    /^[A-Za-z_]\w*=/.test(rest) || tool.includes("_") || (rest === "" && lineCount === 1);
  return isCall ? { code: "foreign_syntax", syntax: "call_line", tool } : undefined;
}

function reactIn(
  head: string,
  lines: readonly string[],
  index: number,
): ForeignProblem | undefined {
  const tool = REACT.exec(head)?.[1];
  if (tool === undefined) return undefined;
  const next = lines.slice(index + 1, index + 4).find((line) => line.trim() !== "");
  return next?.trimStart().startsWith("Action Input:") === true
    ? { code: "foreign_syntax", syntax: "react", tool }
    : undefined;
}

function wrapperIn(head: string): ForeignProblem | undefined {
  const wrapper = WRAPPER.exec(head);
  const tool = wrapper?.[1] ?? SELF_CLOSED.exec(head)?.[1];
  if (tool !== undefined) return { code: "foreign_syntax", syntax: "xml_tag", tool };
  return wrapper && wrapper[0].includes("_")
    ? { code: "foreign_syntax", syntax: "xml_tag" }
    : undefined;
}

/** `<read_note><title>plan</title></read_note>`: an element that is no HTML, with elements or nothing inside. */
function elementAt(prose: string, at: number): ForeignProblem | undefined {
  const opening = ELEMENT.exec(prose.slice(at, at + LINE_HEAD_CHARS));
  const tool = opening?.[1];
  if (!opening || tool === undefined || HTML.has(tool)) return undefined;
  const closing = `</${tool}>`;
  const end = prose.indexOf(closing, at);
  const inside = prose.slice(at + opening[0].length, at + LINE_HEAD_CHARS).trimStart();
  if (end < 0 || !/^<(?:[a-z][\w.-]*>|\/)/.test(inside)) return undefined;
  // Markup inside an answer may look like this too; a name with an underscore, or nothing after it, decides.
  const isAct = tool.includes("_") || prose.slice(end + closing.length).trim() === "";
  return isAct ? { code: "foreign_syntax", syntax: "xml_tag", tool } : undefined;
}
