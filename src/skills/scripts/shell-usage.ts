/** What a shell script says of itself in its comments, in `echo` and in here-documents. */
import { cutAtWord, oneLine } from "../text.ts";
import { argumentsIn } from "./usage-words.ts";

/** One option or positional as a help text lists it: "-l, --level N    the level". */
export interface HelpLine {
  /** [] for a positional. */
  flags: string[];
  /** What stands for the value; null for a switch. For a positional, its name. */
  value: string | null;
  text: string;
}

/** The usage texts of a script. */
export interface UsageText {
  /** The lines of each text that says "usage", in the order of the source; a line begins with the program's name. */
  blocks: string[][];
  /** The first of these texts on one line, for a reader who has to understand it. */
  whole: string;
  help: HelpLine[];
}

const DESCRIPTION_LENGTH_MAX = 1_024;
const BLOCK_LINES_MAX = 30;
const HELP_LINES_MAX = 200;
const HELP =
  /^\s*(--?[\w?][\w-]*)(?:\s*[,|/]\s*|\s+)?(--?[\w][\w-]*)?(?:\s*=\s*|\s|\[=?)?(<[^<>]+>|\[[A-Za-z_-]+\]|[A-Z][A-Z0-9_:./-]*)?\]?(?:\s{2,}|\t+|\s+[-–—:]\s+|:\s+)(\S.*)$/;
const HELP_POSITIONAL =
  /^\s*(?:<([\w -]+)>|([A-Z][A-Z0-9_-]+))(?:\s{2,}|\t+|\s+[-–—:]\s+|:\s+)(\S.*)$/;
// Not about the script: for other programs, or only drawn.
const NO_PROSE = /^(?:!|shellcheck\b|-\*-|vim?:|SPDX|Copyright\b|effect:|[-=#*~_]{3,}\s*$)/i;
const LABEL =
  /^(?:usage|examples?|options?|arguments?|args|synopsis|requires?|environment)\b[^.]*:/i;

/** The lines as a person would see them: without "#", without `echo` and its quotes. */
export function shownLines(source: string): string[] {
  return source.split("\n").map(shownLine);
}

function shownLine(line: string): string {
  const comment = /^\s*#+ ?(.*)$/.exec(line);
  if (comment) return comment[1] ?? "";
  const said = /(?:^|[\s;{&|(])(?:echo|printf|print)\s+(?:-\w+\s+)*(["'])(.*)$/.exec(line);
  if (said) return untilQuote(said[2] ?? "", said[1] ?? '"');
  const quoted = /(["'])(\s*usage:.*)$/i.exec(line);
  return quoted ? untilQuote(quoted[2] ?? "", quoted[1] ?? '"') : line;
}

/** The text up to the quotation mark that ends it, without the line feed of `printf`. */
function untilQuote(text: string, mark: string): string {
  const end = mark === "'" ? /'/ : /(?<!\\)"/;
  return (text.split(end, 1)[0] ?? "").replace(/(?:\\n)+$/, "");
}

export function usageText(source: string, program: string): UsageText {
  const lines = shownLines(source);
  const blocks: string[][] = [];
  let whole = "";
  for (const [index, line] of lines.entries()) {
    const usage = /\busage:\s*(.*)$/i.exec(line);
    if (!usage) continue;
    const block = blockFrom(
      usage[1] ?? "",
      lines.slice(index + 1, index + BLOCK_LINES_MAX),
      program,
    );
    if (block.length === 0) continue;
    blocks.push(block);
    if (whole === "") whole = cutAtWord(oneLine(block.join("; ")), DESCRIPTION_LENGTH_MAX);
  }
  return { blocks, whole, help: lines.slice(0, 5_000).flatMap(helpIn).slice(0, HELP_LINES_MAX) };
}

/** The rest of the line that says "usage", and the lines below it that begin with the program too. */
function blockFrom(rest: string, below: readonly string[], program: string): string[] {
  const block = rest.trim() === "" ? [] : [rest.trim()];
  for (const line of below) {
    const text = withoutOpenQuote(line.trim());
    if (text === "" && block.length > 0) break;
    if (text === "") continue;
    const last = block.at(-1);
    if (argumentsIn(text, program) !== null) block.push(text);
    // A long line goes on below, deeper than it began.
    else if (last !== undefined && /^\s+[[<]/.test(line))
      block[block.length - 1] = `${last} ${text}`;
    else break;
  }
  return [...new Set(block)];
}

/** The last line of a quoted text of several lines ends with its mark. */
function withoutOpenQuote(text: string): string {
  const marks = text.match(/(?<!\\)"/g)?.length ?? 0;
  return marks % 2 === 1 ? text.slice(0, text.lastIndexOf('"')).trimEnd() : text;
}

function helpIn(line: string): HelpLine[] {
  const option = HELP.exec(line);
  if (option) {
    const [, first, second, value, text = ""] = option;
    const flags = [first, second].filter((flag) => flag !== undefined);
    const plain = value?.replace(/^[<[]|[>\]]$/g, "") ?? null;
    return [{ flags, value: plain, text: oneLine(text) }];
  }
  const positional = HELP_POSITIONAL.exec(line);
  const name = positional?.[1] ?? positional?.[2];
  return name === undefined
    ? []
    : [{ flags: [], value: name, text: oneLine(positional?.[3] ?? "") }];
}

/** The first paragraph of the comment that a script begins with; "" where there is none. */
export function firstComment(source: string, program: string): string {
  const paragraph: string[] = [];
  for (const line of source.split("\n").slice(0, 100)) {
    const comment = /^#+ ?(.*)$/.exec(line.trimEnd());
    if (/^\s*(?:set|shopt)\s/.test(line)) continue;
    if (!comment && line.trim() !== "") break;
    const text = (comment?.[1] ?? "").trim();
    if (NO_PROSE.test(text)) continue;
    if (text === "" || LABEL.test(text)) {
      if (paragraph.length > 0) break;
      continue;
    }
    const plain = withoutName(text, program);
    if (plain !== "") paragraph.push(plain);
  }
  return cutAtWord(oneLine(paragraph.join(" ")), DESCRIPTION_LENGTH_MAX);
}

/** "backup.sh - copies a folder" says only the second half about it. */
function withoutName(text: string, program: string): string {
  if (!text.startsWith(program)) return text;
  const rest = text.slice(program.length);
  return rest === "" || /^\s*[-–—:]/.test(rest) ? rest.replace(/^\s*[-–—:]+\s*/, "") : text;
}
