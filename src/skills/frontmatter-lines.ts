import type { Diagnostic } from "./skill.ts";

/** A remark about one file; whoever knows the path makes a Diagnostic of it. */
export type Remark = Pick<Diagnostic, "level" | "code" | "message">;

/** A SKILL.md cut into lines that belong to the frontmatter and lines that do not. */
export interface CutText {
  /** What stands between the two `---`; null where there is no frontmatter. */
  front: string | null;
  /** The word after the opening `---`, lower case; "" for none. */
  language: string;
  body: string;
  /** Number of the opening line in the file, counted from 1. */
  openingLine: number;
  remarks: Remark[];
}

interface Opening {
  index: number;
  fenced: boolean;
}
interface Closing {
  index: number;
  closed: boolean;
}

const KEY = /^([A-Za-z_][\w.-]*)[ \t]*:(?:[ \t]+(.*)|)$/;
// A key that some editor has indented with a tab; deeper keys of other tools are indented with spaces.
const TABBED_KEY = /^\t[ \t]*(name|description|version|tags|status|default)[ \t]*:(?:[ \t]+(.*)|)$/;
const OPENING = /^---[ \t]*(?:([^\s#-]\S*)|#.*)?$/;
const WRAPPING_FENCE = /^```(?:markdown|md|yaml|yml)?$/i;
const HEADING = /^#{1,6} /;
const BARE_LINES_MAX = 20; // how far down `description:` may stand in a file that forgot its opening line
// gray-matter looks for comments with `^\s*#`, which is quadratic in a run of blank lines.
const BLANK_LINES_MAX = 100;
const BLOCKS_PARSED_MAX = 256;

const warning = (code: string, message: string): Remark => ({ level: "warning", code, message });

/** Finds the frontmatter of a text as people really write them. Never throws; every liberty it takes is a remark. */
export function cutFrontmatter(source: string): CutText {
  const { text, remarks } = plainText(source);
  const lines = text.split("\n");
  const start = openingIndex(lines);
  const opening = OPENING.exec(lines[start.index]?.trimEnd() ?? "");
  if (!opening) return cutBare(lines, remarks);
  const end = closingIndex(lines, start.index + 1);
  const front = lines.slice(start.index + 1, end.index);
  // Without a closing line and without a key, the `---` is a rule across the page.
  if (!end.closed && !front.some((line) => KEY.test(line))) return cutBare(lines, remarks);
  remarks.push(...layoutRemarks(start, end));
  return {
    front: calm(front),
    language: (opening[1] ?? "").toLowerCase(),
    body: bodyAfter(lines, end, start.fenced),
    openingLine: start.index + 1,
    remarks,
  };
}

function layoutRemarks(start: Opening, end: Closing): Remark[] {
  const remarks: Remark[] = [];
  if (start.index > (start.fenced ? 1 : 0)) {
    remarks.push(
      warning(
        "leading_lines",
        `the frontmatter begins on line ${start.index + 1}; move it to line 1`,
      ),
    );
  }
  if (start.fenced) {
    remarks.push(
      warning(
        "fenced_file",
        "the whole file is wrapped in a code fence; remove its first and last line",
      ),
    );
  }
  if (!end.closed) {
    remarks.push(
      warning(
        "unclosed_frontmatter",
        `no closing "---" was found; the frontmatter is taken to end after line ${end.index}`,
      ),
    );
  }
  return remarks;
}

function bodyAfter(lines: readonly string[], end: Closing, fenced: boolean): string {
  const rest = lines.slice(end.closed ? end.index + 1 : end.index);
  const tail = end.closed ? (lines[end.index] ?? "").replace(/^(?:-+|\.\.\.)/, "").trim() : "";
  const last = rest.findLastIndex((line) => line.trim() !== "");
  if (fenced && rest[last]?.trim() === "```") rest.splice(last, 1);
  return [...(tail === "" ? [] : [tail]), ...rest].join("\n");
}

function plainText(source: string): { text: string; remarks: Remark[] } {
  const remarks: Remark[] = [];
  let text = source;
  if (text.startsWith("\uFEFF")) {
    remarks.push(
      warning(
        "byte_order_mark",
        "the file begins with a byte order mark; save it as UTF-8 without one",
      ),
    );
    text = text.slice(1);
  }
  if (text.includes("\r")) {
    remarks.push(warning("carriage_returns", "lines end in CR LF; they are read as LF"));
    text = text.replace(/\r\n?/g, "\n");
  }
  if (text.includes("\0")) {
    remarks.push(warning("nul_bytes", "the file holds NUL bytes; they are left out"));
    text = text.replaceAll("\0", "");
  }
  return { text, remarks };
}

/** Where the opening line would be: behind blank lines, HTML comments and a fence that wraps the whole file. */
function openingIndex(lines: readonly string[]): Opening {
  let index = 0;
  while (index < lines.length) {
    const line = lines[index]?.trim() ?? "";
    if (line.startsWith("<!--")) {
      while (index < lines.length && !lines[index]?.includes("-->")) index += 1;
    } else if (line !== "") break;
    index += 1;
  }
  const fenced = WRAPPING_FENCE.test(lines[index]?.trimEnd() ?? "");
  return { index: fenced ? index + 1 : index, fenced };
}

function closingIndex(lines: readonly string[], from: number): Closing {
  for (let index = from; index < lines.length; index += 1) {
    const line = lines[index] ?? "";
    if (line.startsWith("---") || line.trimEnd() === "...") return { index, closed: true };
  }
  return { index: endOfKeys(lines, from), closed: false };
}

/** The first line that cannot belong to a list of keys: a heading, or a blank line with something else behind it. */
function endOfKeys(lines: readonly string[], from: number): number {
  for (let index = from; index < lines.length; index += 1) {
    const line = lines[index] ?? "";
    if (HEADING.test(line) || line.startsWith("---")) return index;
    const next = lines[index + 1] ?? "";
    if (line.trim() === "" && index > from && !/^[ \t]+\S/.test(next) && !KEY.test(next))
      return index;
  }
  return lines.length;
}

/** A file without an opening line whose first lines are nevertheless `name:` and `description:`. */
function cutBare(lines: readonly string[], remarks: Remark[]): CutText {
  const first = lines.findIndex((line) => line.trim() !== "");
  const none = { front: null, language: "", body: lines.join("\n"), openingLine: 1, remarks };
  if (!lines[first]?.startsWith("name:")) return none;
  const end = endOfKeys(lines, first);
  const head = lines.slice(first, Math.min(end, first + BARE_LINES_MAX));
  if (!head.some((line) => line.startsWith("description:"))) return none;
  remarks.push(
    warning("no_opening_line", 'the frontmatter has no opening "---"; write one before it'),
  );
  const closed = lines[end]?.startsWith("---") ?? false;
  return {
    ...none,
    front: calm(lines.slice(first, end)),
    body: lines.slice(closed ? end + 1 : end).join("\n"),
    openingLine: first, // the line before the first key, where the fence would be
  };
}

/** Keeps what follows cheap: at most BLANK_LINES_MAX blank lines in a row, and no line ends but line feeds. */
function calm(lines: readonly string[]): string {
  let blank = 0;
  const kept = lines.filter((line) => {
    blank = line.trim() === "" ? blank + 1 : 0;
    return blank <= BLANK_LINES_MAX;
  });
  return kept.join("\n").replace(/[\u2028\u2029]/g, " ");
}

/**
 * Reads frontmatter that is not YAML, key by key: each block that `parse` can read alone keeps its meaning, of the
 * others the text is taken. A key that comes twice counts as written last, as in YAML.
 */
export function readKeyLines(
  front: string,
  parse: (block: string) => unknown,
): Record<string, unknown> {
  const fields = new Map<string, unknown>();
  for (const [index, block] of blocksOf(front).entries()) {
    const text = [`${block.key}: ${block.value}`, ...block.rest].join("\n");
    const parsed = index < BLOCKS_PARSED_MAX ? parse(text) : undefined;
    const value = isMapping(parsed) ? parsed[block.key] : undefined;
    const wantsText = block.key === "name" || block.key === "description";
    const usable = wantsText ? typeof value === "string" : value !== undefined;
    fields.set(block.key, usable ? value : textOf(block));
  }
  return Object.fromEntries(fields);
}

interface Block {
  key: string;
  value: string;
  rest: string[];
}

function blocksOf(front: string): Block[] {
  const blocks: Block[] = [];
  for (const raw of front.split("\n")) {
    const line = raw.replace(/^\t+/, (tabs) => "  ".repeat(tabs.length));
    // Below a key without a value of its own, an indented key is part of that value.
    const inside = blocks.at(-1)?.value === "";
    const key = KEY.exec(line) ?? (inside ? null : TABBED_KEY.exec(raw));
    if (key) blocks.push({ key: key[1] ?? "", value: key[2] ?? "", rest: [] });
    else blocks.at(-1)?.rest.push(line);
  }
  return blocks;
}

function textOf({ value, rest }: Block): string {
  const style = /^([|>])[+-]?\d?[+-]?$/.exec(value.trim());
  const joint = style?.[1] === "|" ? "\n" : " ";
  const text = [style ? "" : value, ...rest]
    .map((line) => line.trim())
    .join(joint)
    .trim();
  const quoted = /^(["'])(.*)\1$/s.exec(text);
  if (quoted?.[1] === '"') return (quoted[2] ?? "").replaceAll('\\"', '"').replaceAll("\\n", "\n");
  if (quoted) return (quoted[2] ?? "").replaceAll("''", "'");
  return text.replace(/^"([^"]*)"|^'([^']*)'/, "$1$2");
}

/** Whether a value is an object with keys, not a list. */
export function isMapping(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
