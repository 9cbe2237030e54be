/** One sentence of a text, without the Markdown around it. */
export interface Sentence {
  text: string;
  /** prose · an item of a list, a row of a table or an option on a line of its own · a quoted line · a code block. */
  kind: "prose" | "item" | "quote" | "code";
}

interface Block {
  kind: Sentence["kind"];
  text: string;
}

/** Splits a text into its sentences, in order. Linear; code blocks are one empty sentence of kind "code". */
export function sentences(text: string): Sentence[] {
  const result: Sentence[] = [];
  for (const { kind, text: block } of blocks(text)) {
    if (kind === "code") {
      result.push({ kind, text: "" });
      continue;
    }
    for (const part of cut(block)) {
      const last = result.at(-1);
      // What has no letter or digit (an emoji, a lone bracket) belongs to the sentence before it.
      if (/[\p{L}\p{N}]/u.test(part)) result.push({ kind, text: part });
      else if (last?.kind === kind) last.text += ` ${part}`;
    }
  }
  return result;
}

const fence = /^ {0,3}(?:```|~~~)/u;
const rule = /^\s*(?:-[-\s]+|\*[*\s]+|_[_\s]+|=[=\s]+)$/u;
const item =
  /^\s*(?:[-*+•‣◦]\s+|\(?(?:\d{1,3}|[a-zA-Z])(?:\.\s+|\)\s*)|\d\uFE0F?\u20E3\s*|\|\s*)(?=\S)/u;
const quote = /^\s*>\s?/u;
const heading = /^\s{0,3}#{1,6}\s+/u;
/** Nobody wraps text by hand at fewer characters than this. */
const wrapColumnMin = 50;

function blocks(text: string): Block[] {
  const result: Block[] = [];
  let isOpen = false;
  let inCode = false;
  let lastLine = "";
  for (const line of text.split(/\r\n|[\n\r\u2028]/u)) {
    const isFence = fence.test(line);
    if (isFence && !inCode) result.push({ kind: "code", text: "" });
    if (isFence) inCode = !inCode;
    if (isFence || inCode || isBorder(line)) {
      isOpen = false;
      continue;
    }
    const open = isOpen ? result.at(-1) : undefined;
    const [kind, bare] = classified(line, open);
    if (open?.kind === kind && !startsBlock(line, bare, lastLine, kind)) open.text += `\n${bare}`;
    else result.push({ kind, text: bare });
    isOpen = !heading.test(line);
    lastLine = line;
  }
  return withOptions(result);
}

const isBorder = (line: string) => line.trim() === "" || rule.test(line);

function classified(line: string, open: Block | undefined): [Block["kind"], string] {
  if (quote.test(line)) return ["quote", line.replace(quote, "")];
  if (item.test(line)) return ["item", line.replace(item, "")];
  if (heading.test(line)) return ["prose", line.replace(heading, "")];
  if (open?.kind === "item" && /^\s{2}/u.test(line)) return ["item", line.trim()];
  return ["prose", line.trim()];
}

/** Whether a line begins something new, or goes on with a paragraph that was wrapped. */
function startsBlock(line: string, bare: string, lastLine: string, kind: Block["kind"]): boolean {
  if (kind === "item") return item.test(line);
  if (kind === "quote") return false;
  return heading.test(line) || (lastLine.length < wrapColumnMin && !/^\p{Ll}/u.test(bare));
}

/** Short lines at the end, under a question and without end marks of their own, are its options. */
function withOptions(found: Block[]): Block[] {
  const lines = found
    .slice(-20)
    .flatMap(({ kind, text }) => text.split("\n").map((line) => ({ kind, text: line })));
  const isOption = ({ kind, text }: Block) =>
    kind === "prose" && text.length <= 60 && !/[.?!:…]["')*_`]*$/u.test(text);
  const first = lines.findLastIndex((line) => !isOption(line)) + 1;
  const above = lines[first - 1];
  if (lines.length - first < 2 || above?.kind !== "prose" || !/\?["')*_`:]*$/u.test(above.text))
    return found;
  const options: Block[] = lines.slice(first).map(({ text }) => ({ kind: "item", text }));
  return [...found.slice(0, -20), ...lines.slice(0, first), ...options];
}

const closers = `"'”’»)]}*_\`~`;
/** After these a dot never ends a sentence. */
const abbreviations = new Set(
  "mr|mrs|ms|dr|prof|st|e.g|i.e|eg|ie|vs|cf|fig|approx|ca|resp|incl|esp|max|min".split("|"),
);
/** After these it does when a capital follows. */
const finalAbbreviations = new Set("etc|a.m|p.m|inc|ltd|co|jr|sr|al|u.s|no|vol|p".split("|"));

function cut(text: string): string[] {
  const quoted = insideQuotes(text);
  const result: string[] = [];
  let start = 0;
  for (let at = 0; at < text.length; at++) {
    if (!isEndMark(text, at)) continue;
    let end = at + 1;
    while (end < text.length && (isEndMark(text, end) || closers.includes(text.charAt(end)))) end++;
    const isEnd =
      /[。？！]/u.test(text.charAt(at)) || end === text.length || /\s/u.test(text.charAt(end));
    if (isEnd && quoted[end - 1] !== 1 && endsSentence(text, start, at, end)) {
      result.push(text.slice(start, end).trim());
      start = end;
    }
    at = end - 1;
  }
  result.push(text.slice(start).trim());
  return result.filter((part) => part !== "");
}

const isEndMark = (text: string, at: number) => ".!?…。？！".includes(text.charAt(at));

/** Marks every place within a pair of quotes or back-ticks; a quote that is never closed opens nothing. */
function insideQuotes(text: string): Uint8Array {
  const inside = new Uint8Array(text.length);
  const closing = new Map([
    ['"', '"'],
    ["“", "”"],
    ["«", "»"],
    ["`", "`"],
  ]);
  let open = -1;
  let wanted = "";
  for (let at = 0; at < text.length; at++) {
    const character = text.charAt(at);
    if (open >= 0 && character === wanted) {
      inside.fill(1, open, at);
      open = -1;
    } else if (open < 0 && closing.has(character)) {
      open = at;
      wanted = closing.get(character) ?? "";
    }
  }
  return inside;
}

/** Whether the end mark at `at`, closed by `end`, ends the sentence that began at `start`. */
function endsSentence(text: string, start: number, at: number, end: number): boolean {
  const next = /\S/u.exec(text.slice(end, end + 20))?.[0] ?? "";
  const marks = text.slice(at, end);
  // `"Who are you?" asked Ann.` and `wait… what` go on.
  if (/^\p{Ll}/u.test(next) && (/["”»)]$/u.test(marks) || /^(?:…|\.\.)/u.test(marks))) return false;
  if (!marks.startsWith(".") || next === "") return true;
  return dotEndsSentence(
    text.slice(start, start + 20),
    text.slice(Math.max(start, at - 20), at),
    next,
  );
}

function dotEndsSentence(beginning: string, before: string, next: string): boolean {
  const word = /[^\s("“]*$/u.exec(before)?.[0]?.toLowerCase() ?? "";
  if (abbreviations.has(word)) return false;
  if (finalAbbreviations.has(word)) return !/^[\p{Ll}\d]/u.test(next);
  if (/^\p{L}$/u.test(word)) return word === "i";
  // "1. a.txt 2. b.txt": the numbers count, they do not end.
  return !/^\d{1,2}$/u.test(word) || !/^\s*\(?\d{1,2}(?:[.)]|$)/u.test(beginning.slice(0, 6));
}
