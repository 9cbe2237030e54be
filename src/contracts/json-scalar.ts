import { refuse, type JsonText } from "./json-text.ts";
import { quoted } from "./quote.ts";

const ESCAPES: Record<string, string> = {
  '"': '"',
  "\\": "\\",
  "/": "/",
  b: "\b",
  f: "\f",
  n: "\n",
  r: "\r",
  t: "\t",
};
const LITERALS: Record<string, boolean | null> = { true: true, false: false, null: null };
const MEANT: Record<string, string> = {
  True: "true",
  False: "false",
  None: "null",
  undefined: "null",
  TRUE: "true",
  FALSE: "false",
  NULL: "null",
};

/** Reads the string whose opening quote stands at `json.at`. */
export function readString(json: JsonText): string | undefined {
  const { text } = json;
  const opening = json.at;
  const parts: string[] = [];
  let from = opening + 1;
  for (let at = from; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === 0x22) {
      json.at = at + 1;
      parts.push(text.slice(from, at));
      return parts.join("");
    }
    if (code < 0x20) return refuse(json, controlReason(code), at);
    if (code !== 0x5c) continue;
    parts.push(text.slice(from, at));
    const escaped = readEscape(json, at);
    if (escaped === undefined) return undefined;
    parts.push(escaped);
    at += text.charAt(at + 1) === "u" ? 5 : 1;
    from = at + 1;
  }
  return refuse(json, "this string has no closing double quote", opening);
}

function controlReason(code: number): string {
  if (code === 0x0a || code === 0x0d)
    return String.raw`a line break inside a string; write \n instead`;
  if (code === 0x09) return String.raw`a tab inside a string; write \t instead`;
  return `a control character inside a string; write \\u${code.toString(16).padStart(4, "0")} instead`;
}

function readEscape(json: JsonText, at: number): string | undefined {
  const letter = json.text.charAt(at + 1);
  if (letter === "") return refuse(json, "the text ends inside a string", at);
  if (letter === "u") {
    const digits = json.text.slice(at + 2, at + 6);
    if (/^[0-9a-fA-F]{4}$/.test(digits)) return String.fromCharCode(Number.parseInt(digits, 16));
    return refuse(json, String.raw`\u needs four hexadecimal digits after it`, at);
  }
  if (Object.hasOwn(ESCAPES, letter)) return ESCAPES[letter];
  if (letter < " ")
    return refuse(
      json,
      String.raw`a lone backslash at the end of a line; write \n for a line break`,
      at,
    );
  if (letter === "'")
    return refuse(json, String.raw`\' is not an escape; write ' without a backslash`, at);
  const shown = /^[!-~]$/.test(letter) ? letter : "";
  const fix = shown
    ? `\\${shown} is not an escape; write \\\\${shown}`
    : String.raw`a lone backslash; write \\ for one`;
  return refuse(json, fix, at);
}

/** Reads the number that starts at `json.at`. */
export function readNumber(json: JsonText): number | undefined {
  const start = json.at;
  const shape = /-?(?:0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?/y;
  shape.lastIndex = start;
  const match = shape.exec(json.text);
  if (!match) return refuse(json, 'a "-" without a number after it', start);
  const literal = match[0];
  json.at = start + literal.length;
  if (/[\w.+]/.test(json.text.charAt(json.at))) {
    return refuse(
      json,
      "this is not a number in JSON; write digits like 10 or 0.5, or put it in double quotes",
      start,
    );
  }
  const value = Number(literal);
  const isWhole = match[1] === undefined && match[2] === undefined;
  if (!Number.isFinite(value) || (isWhole && !isKept(literal, value))) {
    return refuse(
      json,
      "this number is too large to be kept exactly; put it in double quotes",
      start,
    );
  }
  return value;
}

// 9007199254740993 would silently become …992: an identifier with the wrong last digit.
function isKept(literal: string, value: number): boolean {
  return (
    Number.isSafeInteger(value) ||
    JSON.stringify(value) === literal ||
    BigInt(literal) === BigInt(value)
  );
}

/** Reads true, false or null; says what to write for what other languages call them. */
export function readWord(json: JsonText): boolean | null | undefined {
  const word = wordAt(json.text, json.at);
  const value = LITERALS[word];
  if (Object.hasOwn(LITERALS, word) && value !== undefined) {
    json.at += word.length;
    return value;
  }
  return refuse(json, unexpected(json.text, json.at));
}

function wordAt(text: string, at: number): string {
  return /^\w*/.exec(text.slice(at, at + 40))?.[0] ?? "";
}

function unexpected(text: string, at: number): string {
  const character = text.charAt(at);
  const word = wordAt(text, at);
  if (character === "") return "the JSON ends where a value is missing";
  if (/['‘’`“”„‟″«»]/.test(character)) return 'strings stand in straight double quotes (")';
  if (/[/#]/.test(character)) return "a comment; JSON has no comments";
  if (/[,}\]]/.test(character)) return `${quoted(character)} where a value is missing`;
  if (Object.hasOwn(MEANT, word)) return `${word} is not JSON; write ${MEANT[word] ?? "null"}`;
  if (/^[+.]/.test(character)) return "a number starts with a digit or -";
  return `a value expected, found ${quoted(word === "" ? firstCharacter(text, at) : word, 20)}; text stands in double quotes`;
}

/** The whole character at an offset, surrogate pairs together. */
export function firstCharacter(text: string, at: number): string {
  const code = text.codePointAt(at);
  return code === undefined ? "" : String.fromCodePoint(code);
}
