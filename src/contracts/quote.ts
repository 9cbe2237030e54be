const QUOTED_CHARS_MAX = 80;

// Chat templates give these meaning wherever they stand; written as \u003c they are only text.
const TEMPLATE_TOKEN = /<(?=\||\/?s>|eos>|bos>|(?:start|end)_of_turn>)/g;
const INVISIBLE = /[\u007f-\u009f\u2028\u2029]/g;

/** At most `max` characters of `text`; a longer one ends in "…". No surrogate pair is cut in two. */
export function clip(text: string, max: number = QUOTED_CHARS_MAX): string {
  if (text.length <= max) return text;
  const head = text.slice(0, max - 1);
  return `${/[\ud800-\udbff]$/.test(head) ? head.slice(0, -1) : head}…`;
}

/** The same JSON, with chat-template tokens inside its strings escaped, so that no prompt can be broken by them. */
export function inert(json: string): string {
  return json.replace(TEMPLATE_TOKEN, String.raw`\u003c`);
}

/** A text that a model wrote, as it may stand in a prompt or a message: clipped, on one line, in double quotes. */
export function quoted(text: string, max?: number): string {
  return inert(JSON.stringify(clip(text, max))).replace(INVISIBLE, escaped);
}

function escaped(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
}
