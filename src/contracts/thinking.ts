/** One way in which models mark their thinking. Compared without regard to case. */
export interface ThinkingTag {
  open: string;
  close: string;
}

export const thinkingTags: readonly ThinkingTag[] = [
  ...["think", "thinking", "thought", "reasoning"].map((name) => ({
    open: `<${name}>`,
    close: `</${name}>`,
  })),
  { open: "[think]", close: "[/think]" },
  { open: "<|channel>thought", close: "<channel|>" },
];

const TAG =
  /(<|<\/)(?:think|thinking|thought|reasoning)>|\[(\/?)think\]|<\|channel>thought|(<channel\|>)/gi;
const OPENING_TAG_CHARS_MAX = 17;

/** A reply split in two. `isOpen`: the thinking never ended, so nothing is visible. */
export interface SplitReply {
  thinking: string;
  visible: string;
  isOpen: boolean;
}

/**
 * Splits off the thinking at the start of a reply: any number of tagged parts in a row, after white space. A closing
 * tag that nothing opened (the chat template wrote the opening one) makes everything before it thinking. Tags in code,
 * in quotes or in the middle of a sentence are text, and so is a tag after the visible part has begun. Thinking that a
 * backend delivers separately never gets here.
 */
export function splitThinking(reply: string): SplitReply {
  const thinking: string[] = [];
  let at = 0;
  for (;;) {
    at = skipSpace(reply, at);
    const tag = tagAt(reply, at);
    if (tag) {
      const start = at + tag.open.length;
      const end = closingTag(reply, start, tag);
      if (end < 0)
        return { thinking: joined([...thinking, reply.slice(start)]), visible: "", isOpen: true };
      thinking.push(reply.slice(start, end));
      at = end + tag.close.length;
      continue;
    }
    const orphan = orphanAt(reply, at);
    if (!orphan) return { thinking: joined(thinking), visible: reply.slice(at), isOpen: false };
    thinking.push(reply.slice(at, orphan.start));
    at = orphan.end;
  }
}

/** The tag that opens thinking exactly at the offset. */
export function tagAt(text: string, at: number): ThinkingTag | undefined {
  const head = text.slice(at, at + OPENING_TAG_CHARS_MAX).toLowerCase();
  return thinkingTags.find(({ open }) => head.startsWith(open));
}

/** The offset of the tag's end mark from `from` on, -1 if it is not there. */
export function closingTag(text: string, from: number, tag: ThinkingTag): number {
  const pattern = new RegExp(tag.close.replace(/[[\]|/]/g, String.raw`\$&`), "gi");
  pattern.lastIndex = from;
  return pattern.exec(text)?.index ?? -1;
}

function skipSpace(text: string, from: number): number {
  const pattern = /\S/g;
  pattern.lastIndex = from;
  return pattern.exec(text)?.index ?? text.length;
}

function joined(parts: readonly string[]): string {
  return parts
    .map((part) => part.trim())
    .filter((part) => part !== "")
    .join("\n");
}

function orphanAt(text: string, from: number): { start: number; end: number } | undefined {
  const scan = createOrphanScan();
  for (let at = from; at < text.length;) {
    const newline = text.indexOf("\n", at);
    const end = newline < 0 ? text.length : newline;
    const found = scan(text.slice(at, end));
    if (found === "none") return undefined;
    if (found) return { start: at + found.start, end: at + found.end };
    at = end + 1;
  }
  return undefined;
}

/**
 * Takes the visible part line by line, from its start, and finds the closing tag that nothing opened, outside code.
 * "none": there will be none, because an opening tag came first (then both are being spoken of) or the reply is JSON.
 */
export function createOrphanScan(): (
  line: string,
) => { start: number; end: number } | "none" | undefined {
  let inFence = false;
  let isFirst = true;
  let isOver = false;
  return (line) => {
    // A closing tag in a reply that starts as JSON stands in a string.
    if (isFirst && line.startsWith("{")) isOver = true;
    isFirst = false;
    if (isOver) return "none";
    if (line.startsWith("```")) inFence = !inFence;
    const found = inFence ? undefined : tagInLine(line);
    if (found !== "opening") return found;
    isOver = true;
    return "none";
  };
}

function tagInLine(line: string): { start: number; end: number } | "opening" | undefined {
  let ticks = 0;
  let counted = 0;
  for (const match of line.matchAll(TAG)) {
    const start = match.index;
    const end = start + match[0].length;
    for (; counted < start; counted += 1) if (line.charAt(counted) === "`") ticks += 1;
    if (ticks % 2 === 1 || /["'`]/.test(line.charAt(start - 1))) continue;
    const isClosing = match[1] === "</" || match[2] === "/" || match[3] !== undefined;
    if (!isClosing) return "opening";
    const isSpokenOf =
      /\s/.test(line.charAt(start - 1)) && /^[ \t]+\S/.test(line.slice(end, end + 40));
    if (!isSpokenOf || line.slice(0, start).trim() === "") return { start, end };
  }
  return undefined;
}
