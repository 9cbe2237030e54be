import { fileTypes } from "./words.ts";

/** One piece of a request. `text` is as written, without the marks around it. */
export type Token =
  /** `isLed`: an article or the like stood before it and was left out. */
  | { kind: "word"; text: string; word: string; isLed?: true }
  | { kind: "quoted"; text: string }
  | { kind: "path"; text: string; form: "file" | "folder" | "either" }
  | { kind: "glob"; text: string }
  | { kind: "number"; text: string; value: number }
  /** Nothing explains it, so a request with one is never acted on. */
  | { kind: "unclear"; text: string };

const closingQuotes: ReadonlyMap<string, string> = new Map([
  ['"', '"'],
  ["“", "”"],
  ["”", "”"],
  ["„", "“”"],
  ["«", "»"],
  ["`", "`"],
  ["'", "'"],
  ["‘", "’"],
]);
/** These may stand inside a word ("what's"), so they open a quote only at the start of one. */
const apostrophes = "'‘’";

/** Takes a request apart. Linear in practice: the caller bounds its length. */
export function tokensOf(text: string): Token[] {
  const tokens: Token[] = [];
  for (let at = 0; at < text.length;) {
    if (/\s/u.test(text.charAt(at))) {
      at += 1;
      continue;
    }
    const piece = closingQuotes.has(text.charAt(at)) ? quotedAt(text, at) : bareAt(text, at);
    tokens.push(...piece.tokens);
    at = piece.end;
  }
  return withFileTypes(tokens);
}

interface Piece {
  tokens: Token[];
  end: number;
}

const isBoundary = (character: string) => character === "" || /[\s?!.,;:)\]}…]/u.test(character);

function quotedAt(text: string, start: number): Piece {
  const closers = closingQuotes.get(text.charAt(start)) ?? "";
  for (let end = start + 1; end < text.length; end += 1) {
    if (!closers.includes(text.charAt(end))) continue;
    if (isBoundary(text.charAt(end + 1)))
      return {
        tokens: [{ kind: "quoted", text: text.slice(start + 1, end) }],
        end: skipMarks(text, end + 1),
      };
    // An apostrophe inside a quoted text is part of it; any other quote here is two quotes grown together.
    if (!apostrophes.includes(text.charAt(end))) break;
  }
  return { tokens: [{ kind: "unclear", text: text.slice(start) }], end: text.length };
}

function skipMarks(text: string, from: number): number {
  let at = from;
  while (at < text.length && /[?!.,;:)\]}…]/u.test(text.charAt(at))) at += 1;
  return at;
}

function bareAt(text: string, start: number): Piece {
  let end = start;
  while (end < text.length && !isEndOfBare(text.charAt(end))) end += 1;
  const chunk = text.slice(start, end);
  const isGlued = end < text.length && !/\s/u.test(text.charAt(end)) && !/[:(=]$/u.test(chunk);
  return { tokens: isGlued ? [{ kind: "unclear", text: chunk }] : bareTokens(chunk), end };
}

const isEndOfBare = (character: string) =>
  /\s/u.test(character) || (closingQuotes.has(character) && !apostrophes.includes(character));

const contraction = /^(what|where|how|who|when|that|there|here|it)'s$/u;
const wordLike = /^[\p{L}\p{M}\p{N}'-]+$/u;

function bareTokens(chunk: string): Token[] {
  const text = /^\.{1,2}$/u.test(chunk)
    ? chunk
    : chunk.replace(/^[([{<]+/u, "").replace(/[?!.,;:)\]}>…]+$/u, "");
  if (text === "") return [];
  const special = specialToken(text);
  if (special) return [special];
  const word = text.toLowerCase().replaceAll("’", "'");
  if (!wordLike.test(word)) return [{ kind: "unclear", text }];
  const short = contraction.exec(word)?.[1];
  return short === undefined
    ? [{ kind: "word", text, word }]
    : [
        { kind: "word", text: short, word: short },
        { kind: "word", text: "is", word: "is" },
      ];
}

const notPaths = new Set(
  "and/or either/or he/she his/her yes/no true/false on/off input/output w/o n/a e.g i.e a.m p.m u.s".split(
    " ",
  ),
);
const pathLike = /^[\p{L}\p{M}\p{N}_.~+@#%=$/\\-]+$/u;
const webAddress = /:\/\/|^www\.|@[\w-]+\.|^[^/\\]+\.(?:com|org|net|edu|gov)$/iu;
const extension = /[^./\\]\.(?=[^.]*\p{L})[\p{L}\p{M}\p{N}_-]{1,12}$/u;
const hidden = /(?:^|[/\\])\.\p{L}[\p{L}\p{N}_-]*$/u;
const filesWithoutExtension = new Set(
  "README LICENSE CHANGELOG Makefile Dockerfile Gemfile Procfile".split(" "),
);

/** Whether the end of a text, which may hold spaces, reads as the name of a file. */
export const looksLikeFile = (text: string): boolean =>
  extension.test(text) || hidden.test(text) || filesWithoutExtension.has(text);

function specialToken(text: string): Token | undefined {
  if (/^\d{1,9}(?:\.\d{1,6})?$/u.test(text)) return { kind: "number", text, value: Number(text) };
  if (webAddress.test(text)) return { kind: "unclear", text };
  if (text.includes("*"))
    return /^[\p{L}\p{M}\p{N}_./*?[\]{}-]+$/u.test(text)
      ? { kind: "glob", text }
      : { kind: "unclear", text };
  if (!pathLike.test(text) || notPaths.has(text.toLowerCase())) return undefined;
  if (/^\.{1,2}$|[/\\]\.{0,2}$/u.test(text)) return { kind: "path", text, form: "folder" };
  if (looksLikeFile(text)) return { kind: "path", text, form: "file" };
  return /[/\\]/u.test(text) ? { kind: "path", text, form: "either" } : undefined;
}

/** ".md files", "md files" and "markdown files" are a pattern of names; ".env" alone is a file. */
function withFileTypes(tokens: readonly Token[]): Token[] {
  return tokens.map((token, index) => {
    const next = tokens[index + 1];
    if (next?.kind !== "word" || next.word !== "files") return token;
    if (token.kind === "path" && /^\.[\w-]+$/u.test(token.text))
      return { kind: "glob", text: `*${token.text}` };
    const type = token.kind === "word" ? fileTypes.get(token.word) : undefined;
    return type === undefined ? token : { kind: "glob", text: `*.${type}` };
  });
}
