/** A part of a text between fence lines. Offsets are into that text; lines count from 1. */
export interface Fenced {
  /** The opening line as written. */
  fence: string;
  /** The opening line is exactly "```json": such a block ends at a fence line outside its JSON strings. */
  isBlock: boolean;
  line: number;
  start: number;
  bodyStart: number;
  bodyEnd: number;
  end: number;
  /** What ends it: a line "```", nothing, or another fence line where the closing one should stand. */
  closing: "closed" | "missing" | "wrong";
  closingLine: number;
  /** A line break inside a JSON string: where such a block ends is not certain. */
  hasBrokenString: boolean;
}

/** A text taken apart at its fence lines. `prose` is what lies outside, each fenced part replaced by an empty line. */
export interface Layout {
  fenced: Fenced[];
  prose: string;
}

const OPENING = /(`{3,}|~{3,})([^\n]*)/y;

/** Finds the fenced parts. A fence is recognised at the start of a line only. One pass. */
export function layoutOf(text: string): Layout {
  const fenced: Fenced[] = [];
  const prose: string[] = [];
  let line = 1;
  for (let at = 0; at < text.length;) {
    const part = fencedAt(text, at, line);
    if (part) {
      fenced.push(part);
      prose.push("");
      at = part.end;
      line = part.closing === "missing" ? line : part.closingLine;
      if (text.charAt(at - 1) === "\n") line += part.closing === "wrong" ? 0 : 1;
    } else {
      const end = lineEnd(text, at);
      prose.push(text.slice(at, end));
      at = end + 1;
      line += 1;
    }
  }
  return { fenced, prose: prose.join("\n") };
}

function fencedAt(text: string, at: number, line: number): Fenced | undefined {
  OPENING.lastIndex = at;
  const match = OPENING.exec(text);
  if (!match) return undefined;
  const marks = match[1] ?? "";
  const info = (match[2] ?? "").trim();
  const bodyStart = Math.min(lineEnd(text, at) + 1, text.length);
  const opening = { fence: match[0].trimEnd(), isBlock: false, line, start: at, bodyStart };
  if (marks === "```" && info === "json" && match[2]?.startsWith("json") === true) {
    return { ...opening, isBlock: true, ...blockBody(text, bodyStart, line) };
  }
  if (marks.startsWith("`") && info.includes("`")) return oneLine(text, opening);
  return { ...opening, ...otherBody(text, bodyStart, line, marks) };
}

type Opening = Pick<Fenced, "fence" | "isBlock" | "line" | "start" | "bodyStart">;
type Body = Omit<Fenced, keyof Opening>;

/** "```json {…}```": everything on the opening line. */
function oneLine(text: string, opening: Opening): Fenced {
  const end = opening.bodyStart;
  const closing = { closing: "closed", closingLine: opening.line, hasBrokenString: false } as const;
  return {
    ...opening,
    bodyStart: opening.start,
    bodyEnd: lineEnd(text, opening.start),
    end,
    ...closing,
  };
}

function otherBody(text: string, bodyStart: number, openingLine: number, marks: string): Body {
  let line = openingLine + 1;
  for (let at = bodyStart; at < text.length; line += 1) {
    const end = lineEnd(text, at);
    if (text.startsWith(marks, at) && isRestOfFence(text.slice(at, end), marks.charAt(0))) {
      const next = Math.min(end + 1, text.length);
      return {
        bodyEnd: at,
        end: next,
        closing: "closed",
        closingLine: line,
        hasBrokenString: false,
      };
    }
    at = end + 1;
  }
  return {
    bodyEnd: text.length,
    end: text.length,
    closing: "missing",
    closingLine: line,
    hasBrokenString: false,
  };
}

function isRestOfFence(line: string, mark: string): boolean {
  let at = 0;
  while (line.charAt(at) === mark) at += 1;
  return line.slice(at).trim() === "";
}

/** Looks for the fence line that ends a json block, over its strings: back-ticks inside them are content. */
function blockBody(text: string, bodyStart: number, openingLine: number): Body {
  let line = openingLine + 1;
  let inString = false;
  let hasBrokenString = false;
  for (let at = bodyStart - 1; at < text.length; at += 1) {
    const character = at < bodyStart ? "\n" : text.charAt(at);
    if (character === "\\" && inString && text.charAt(at + 1) !== "\n") at += 1;
    else if (character === '"') inString = !inString;
    else if (character === "\n") {
      if (at >= bodyStart) line += 1;
      if (inString) hasBrokenString = true;
      else if (text.startsWith("```", at + 1)) {
        return { ...closingAt(text, at + 1), closingLine: line, hasBrokenString };
      }
    }
  }
  return {
    bodyEnd: text.length,
    end: text.length,
    closing: "missing",
    closingLine: line,
    hasBrokenString,
  };
}

function closingAt(text: string, at: number): Pick<Body, "bodyEnd" | "end" | "closing"> {
  const end = lineEnd(text, at);
  const rest = text.slice(at + 3, end);
  if (rest.trim() === "")
    return { bodyEnd: at, end: Math.min(end + 1, text.length), closing: "closed" };
  // "```json" or "````" opens something; words after the fence are text outside the block.
  const isOpening = rest.startsWith("`") || /^[\w-]+\s*$/.test(rest);
  return { bodyEnd: at, end: isOpening ? at : at + 3, closing: isOpening ? "wrong" : "closed" };
}

function lineEnd(text: string, from: number): number {
  const newline = text.indexOf("\n", from);
  return newline < 0 ? text.length : newline;
}
