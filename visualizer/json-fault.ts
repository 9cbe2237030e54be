import type { Json } from "../src/contracts/call.ts";

/** What a person typed as JSON: its value, or in a few words where it is none. */
export type Typed = { value: Json } | { fault: string };

export function readTyped(text: string): Typed {
  try {
    return { value: JSON.parse(text) as Json };
  } catch {
    return { fault: text.trim() === "" ? "nothing is written yet" : faultIn(text) };
  }
}

const TOKEN =
  /[{}[\],:]|"[^"\\\p{Cc}]*(?:\\(?:["\\/bfnrt]|u[\da-fA-F]{4})[^"\\\p{Cc}]*)*"|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null/uy;
const SPACE = /[ \t\n\r]*/y;

/** At each place of a JSON text: the tokens that may come there, and what is said when another one does. */
const PLACES = {
  value: { may: ["{", "[", "text", "word"], else: "a value is missing" },
  "value or ]": { may: ["{", "[", "text", "word", "]"], else: "a value or ] is missing" },
  key: {
    may: ["text"],
    else: 'a name in "quotes" is missing, or the comma before is one too many',
  },
  "key or }": { may: ["text", "}"], else: 'a name in "quotes" or } is missing' },
  ":": { may: [":"], else: "a : is missing after the name" },
  ", or }": { may: [",", "}"], else: "a , or } is missing" },
  ", or ]": { may: [",", "]"], else: "a , or ] is missing" },
  end: { may: [] as string[], else: "nothing may come after the value" },
};
type Place = keyof typeof PLACES;

/** Browsers word faults in their own ways, some without a place: this reads the text token by token up to the fault. */
function faultIn(text: string): string {
  const open: string[] = [];
  let place: Place = "value";
  let at = skipSpace(text, 0);
  for (;;) {
    TOKEN.lastIndex = at;
    const token = TOKEN.exec(text)?.[0] ?? "";
    const kind = kindOf(token);
    if (!PLACES[place].may.includes(kind))
      return `${lineAndColumn(text, at)}: ${reason(text, at, place)}`;
    place = placeAfter(kind, place, open);
    at = skipSpace(text, at + token.length);
  }
}

function skipSpace(text: string, at: number): number {
  SPACE.lastIndex = at;
  return at + (SPACE.exec(text)?.[0].length ?? 0);
}

function kindOf(token: string): string {
  if (token === "" || "{}[],:".includes(token)) return token;
  return token.startsWith('"') ? "text" : "word";
}

/** `open` holds the brackets that are not closed, and is kept. */
function placeAfter(kind: string, place: Place, open: string[]): Place {
  if (kind === ":") return "value";
  if (kind === ",") return inObject(open) ? "key" : "value";
  if (kind === "text" && place.startsWith("key")) return ":";
  if (kind === "{" || kind === "[") {
    open.push(kind);
    return inObject(open) ? "key or }" : "value or ]";
  }
  if (kind === "}" || kind === "]") open.pop();
  return placeBehind(open);
}

function placeBehind(open: readonly string[]): Place {
  if (open.length === 0) return "end";
  return inObject(open) ? ", or }" : ", or ]";
}

const inObject = (open: readonly string[]): boolean => open.at(-1) === "{";

function reason(text: string, at: number, place: Place): string {
  if (text[at] === "'") return 'texts stand in "double quotes"';
  const isText = text[at] === '"' && PLACES[place].may.includes("text");
  return isText
    ? "this text is not closed, or holds a line break or a \\ that JSON has not"
    : PLACES[place].else;
}

function lineAndColumn(text: string, at: number): string {
  const before = text.slice(0, at).split("\n");
  return `line ${before.length}, column ${(before.at(-1)?.length ?? 0) + 1}`;
}
