/** One argument as a usage line writes it. */
export interface UsageArgument {
  /** Every spelling of the flag: ["-l", "--level"]; [] for a positional. */
  flags: string[];
  /** What stands for the value: "N", "source file"; null for a switch. */
  value: string | null;
  /** The values there are, where the line lists them. */
  choices: string[];
  required: boolean;
  many: boolean;
  /** Whether the value is written behind "=". */
  equals: boolean;
  /** A positional that is written as a plain word, which may be the word itself and not what stands for it. */
  bare: boolean;
}

const LENGTH_MAX = 1_000;
const PROGRAM = /^(?:\.?\/?[\w./-]*\/)?(?:[\w.-]+\.(?:sh|bash|zsh)|\$\{?[A-Za-z0-9_]+\}?)$|^\$0$/;
const TOKEN =
  /\.{3}|…|<[^<>]*>|"[^"]*"|'[^']*'|[[\](){}|=]|,(?=\s)|--?[\w?][\w-]*|[^\s[\](){}|<>="']+/g;
// Words of sentences; with one of them it is no list of arguments.
const PROSE = /^(?:the|a|an|to|this|is|with|in|and|or|of|from|by|it|see|run|then|as|via)$|[.,;:!]$/;

/** The line after the name of the program; null for a line that does not begin with one. */
export function argumentsIn(line: string, program: string): string | null {
  if (line.length > LENGTH_MAX) return null;
  const plain = line
    .replace(/\\(["'$`])/g, "$1")
    .replace(/"?(?:\$\(\s*basename\b[^)]*\)|`basename\b[^`]*`|\$\{0##\*\/\}|\$\{0\})"?/g, "$0")
    .trim()
    .replace(/^(?:(?:sudo|bash|sh|zsh)\s+)+/, "");
  const [first = ""] = plain.split(/\s/, 1);
  const name = first.replace(/^["'`]|["'`]$/g, "");
  if (!PROGRAM.test(name) && name.split("/").at(-1) !== program) return null;
  return plain
    .slice(first.length)
    .replace(/\s(?:#|[-–—]{1,2}\s|:\s|>|2>).*$/, "")
    .trim();
}

/** A piece of a usage line. */
export interface Token {
  text: string;
  /** No white space stands before it. */
  glued: boolean;
}

/** The pieces of a usage line; null where it holds something else than words and brackets. */
export function tokensOf(text: string): Token[] | null {
  const tokens: Token[] = [];
  let end = 0;
  for (const match of text.matchAll(TOKEN)) {
    // What no token holds, but white space, is nothing that this reader knows.
    const between = text.slice(end, match.index);
    if (between.trim() !== "") return null;
    tokens.push({ text: match[0], glued: between === "" && match.index > 0 });
    end = match.index + match[0].length;
  }
  return text.slice(end).trim() === "" ? tokens : null;
}

/** An argument of which nothing is known but that it must be given. */
export const plainSwitch: UsageArgument = {
  flags: [],
  value: null,
  choices: [],
  required: true,
  many: false,
  equals: false,
  bare: false,
};

/** A word that stands for a value; null for a word of a sentence. */
export function positionalOf(word: string): UsageArgument | null {
  const isHeld = /^[<"']/.test(word);
  const inner = (isHeld ? word.slice(1, -1) : word).trim();
  const many = /(?:\.{3}|…)$/.test(inner);
  const value = inner.replace(/\s*(?:\.{3}|…)$/, "").replace(/^\$\{?(\w+)\}?$/, "$1");
  if (!/[\p{L}\p{N}]/u.test(value) || /[$`\\]/.test(value)) return null;
  if (!isHeld && PROSE.test(value)) return null;
  const listed = isHeld && value.includes("|") ? value.split("|").map((one) => one.trim()) : [];
  const choices = listed.every((one) => /^[\w.:+@/-]+$/.test(one)) ? listed : [];
  return { ...plainSwitch, value, choices, many, bare: !isHeld && !isPlaceholder(value) };
}

/** "FILE" stands for something in every usage line; "file" may be the word itself. */
function isPlaceholder(word: string): boolean {
  return /[A-Z]/.test(word) && !/[a-z]/.test(word);
}

/** "start|stop" is a choice, "<file>|<url>" one thing of two kinds. A mix of both is left alone. */
export function mergedPlaces(all: readonly UsageArgument[]): UsageArgument[] | null {
  const values = all.map(({ value }) => value ?? "");
  const bare = all.filter((one) => one.bare).length;
  if (bare > 0 && bare < all.length) return null;
  const many = all.some((one) => one.many);
  if (bare === 0) return [{ ...plainSwitch, value: values.join(" or "), many }];
  const choices = [...new Set(values)];
  return [{ ...plainSwitch, value: "choice", choices, many }];
}

/** "-v|--verbose" is one option; "-a|-b" are two. */
export function aliasesOf(all: readonly UsageArgument[]): UsageArgument | null {
  const flags = all.flatMap((one) => one.flags);
  const long = flags.filter((flag) => flag.startsWith("--"));
  if (flags.length !== 2 || long.length !== 1) return null;
  const valued = all.find(({ value }) => value !== null);
  return { ...plainSwitch, ...(valued ?? all[0]), flags };
}
