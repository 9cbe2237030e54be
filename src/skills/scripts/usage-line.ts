import {
  aliasesOf,
  argumentsIn,
  mergedPlaces,
  plainSwitch,
  positionalOf,
  type Token,
  tokensOf,
  type UsageArgument,
} from "./usage-words.ts";

/** What a usage line says. */
export interface Usage {
  /** In the order of the line. */
  arguments: UsageArgument[];
  /** Arguments of which at most one, or exactly one, is given. */
  exclusive: { arguments: UsageArgument[]; required: boolean }[];
  /** Whether it only says that there are options: "[options]". */
  moreOptions: boolean;
  /** Whether an option stands behind a positional. */
  optionsLast: boolean;
}

/** Whether a flag takes a value, where the script's code shows it; undefined where it does not. */
export type TakesValue = (flag: string) => boolean | undefined;

const ARGUMENTS_MAX = 64;
const DEEP_MAX = 8;
const OPTIONS_WORD = /^(?:options?|opts?|flags?)$/i;
/** How many words of prose may look like positionals before they are taken for prose. */
const BARE_IN_A_ROW_MAX = 3;

/**
 * Reads "backup.sh [-n] [--level N] <source> <target...>" or only its arguments; null unless every word is understood.
 * `program` is a name that the line may begin with besides `$0` and names that end in ".sh".
 */
export function readUsageLine(
  line: string,
  program: string,
  takesValue: TakesValue = () => undefined,
): Usage | null {
  const words = argumentsIn(line, program);
  return words === null ? null : readArguments(words, takesValue);
}

/** Reads the arguments of a usage line; null unless every word is understood. Never throws. */
export function readArguments(text: string, takesValue: TakesValue): Usage | null {
  const tokens = tokensOf(text);
  if (tokens === null) return null;
  const reader = new Reader(tokens, takesValue);
  const read = reader.sequence(null, 0);
  if (read === null || !reader.atEnd() || read.length > ARGUMENTS_MAX) return null;
  const firstPlace = read.findIndex(({ flags }) => flags.length === 0);
  return {
    arguments: read,
    exclusive: reader.exclusive,
    moreOptions: reader.moreOptions,
    optionsLast:
      firstPlace >= 0 &&
      (reader.optionsAfter > firstPlace ||
        read.slice(firstPlace).some(({ flags }) => flags.length > 0)),
  };
}

const CLOSERS: Record<string, string> = { "[": "]", "(": ")", "{": "}" };

class Reader {
  readonly exclusive: Usage["exclusive"] = [];
  moreOptions = false;
  /** How many arguments stood before "[options]"; -1 where it does not occur. */
  optionsAfter = -1;
  private place = 0;
  private bareInARow = 0;
  private readonly tokens: readonly Token[];
  private readonly takesValue: TakesValue;

  constructor(tokens: readonly Token[], takesValue: TakesValue) {
    this.tokens = tokens;
    this.takesValue = takesValue;
  }

  atEnd(): boolean {
    return this.place >= this.tokens.length;
  }

  /** Arguments one after the other, up to a closing bracket; null where something is not understood. */
  sequence(closer: string | null, depth: number): UsageArgument[] | null {
    const all: UsageArgument[] = [];
    while (!this.atEnd() && this.peek() !== closer) {
      const before = this.place;
      const some = this.alternatives(closer, depth, all.length);
      if (some === null || this.place === before) return null;
      all.push(...some);
    }
    return all;
  }

  private peek(ahead = 0): string {
    return this.tokens[this.place + ahead]?.text ?? "";
  }

  private take(text: string): boolean {
    if (this.peek() !== text) return false;
    this.place += 1;
    return true;
  }

  private takeDots(): boolean {
    return this.take("...") || this.take("…");
  }

  /** One argument, or several that stand for each other. */
  private alternatives(closer: string | null, depth: number, at: number): UsageArgument[] | null {
    const first = this.atom(depth, at);
    if (first === null) return null;
    const all = [first];
    while (this.isBar(closer)) {
      this.place += 1;
      const next = this.atom(depth, at);
      if (next === null) return null;
      all.push(next);
    }
    if (all.length === 1) return first;
    // "[a b | c d]": which of them belong together cannot be told.
    if (all.some((one) => one.length !== 1)) return null;
    return this.merged(all.flat());
  }

  /** Between brackets "|" may stand alone; elsewhere it is a pipe unless it is glued to both sides. */
  private isBar(closer: string | null): boolean {
    const bar = this.peek() === "|" || (this.peek() === "," && this.peek(1).startsWith("-"));
    if (!bar) return false;
    const glued = this.tokens[this.place]?.glued === true;
    return closer !== null || this.peek() === "," || glued;
  }

  private atom(depth: number, at: number): UsageArgument[] | null {
    const text = this.peek();
    const closer = CLOSERS[text];
    if (closer !== undefined) return this.group(text, closer, depth, at);
    if (text === "" || text === "--") return this.take("--") ? [] : null;
    this.place += 1;
    if (/^--?[\w?]/.test(text)) {
      this.bareInARow = 0;
      return this.option(text, depth);
    }
    const positional = positionalOf(text);
    if (positional === null) return null;
    if (this.takeDots()) positional.many = true;
    this.bareInARow = positional.bare ? this.bareInARow + 1 : 0;
    return this.bareInARow > BARE_IN_A_ROW_MAX ? null : [positional];
  }

  private group(opener: string, closer: string, depth: number, at: number): UsageArgument[] | null {
    if (depth >= DEEP_MAX) return null;
    this.place += 1;
    if (opener === "[" && OPTIONS_WORD.test(this.peek().replace(/\.{3}$/, "")))
      return this.optionsWord(at);
    const from = this.exclusive.length;
    const inside = this.sequence(closer, depth + 1);
    if (inside === null || !this.take(closer)) return null;
    const many = this.takeDots();
    if (many && inside.length !== 1) return null;
    if (many) for (const argument of inside) argument.many = true;
    return opener === "[" ? optional(inside, this.exclusive.slice(from)) : inside;
  }

  /** "[options]", "[flags...]". */
  private optionsWord(at: number): UsageArgument[] | null {
    const rest = this.peek(1) === "..." ? 2 : 1;
    if (this.peek(rest) !== "]") return null;
    this.place += rest + 1;
    this.takeDots();
    this.moreOptions = true;
    this.optionsAfter = at;
    return [];
  }

  private option(flag: string, depth: number): UsageArgument[] | null {
    const option = { ...plainSwitch, flags: [flag] };
    if (this.take("=")) {
      const value = this.value(depth);
      return value && [{ ...option, ...value, equals: true }];
    }
    if (this.peek() === "[" && this.peek(1) === "=") {
      this.place += 2;
      const value = this.value(depth);
      return value && this.take("]") ? [{ ...option, ...value, equals: true }] : null;
    }
    const known = this.takesValue(flag);
    if (known === false || !this.isValueNext(known === true)) {
      if (this.takeDots()) option.many = true;
      return [option];
    }
    const value = this.value(depth);
    return value && [{ ...option, ...value }];
  }

  private isValueNext(isCertain: boolean): boolean {
    const next = this.peek();
    if (next === "" || /^[-\])}|,=]|^\.{3}$|^…$/.test(next)) return false;
    return next === "[" || next === "(" ? isCertain && next === "(" : true;
  }

  private value(depth: number): Pick<UsageArgument, "value" | "choices" | "many"> | null {
    const values = this.alternativesOfValue(depth);
    if (values === null || values.length !== 1) return null;
    const [one] = values;
    return one?.value ? { value: one.value, choices: one.choices, many: one.many } : null;
  }

  /** "-l N", "-l <N>", "-l a|b", "-l {a|b}". */
  private alternativesOfValue(depth: number): UsageArgument[] | null {
    const first = this.atom(depth + 1, 0);
    if (first?.length !== 1 || first.some(({ flags }) => flags.length > 0)) return null;
    const all = [...first];
    while (this.peek() === "|" && /^[\w<"']/.test(this.peek(1))) {
      this.place += 1;
      const next = this.atom(depth + 1, 0);
      if (next?.length !== 1) return null;
      all.push(...next);
    }
    return all.length === 1 ? all : this.merged(all);
  }

  /** Several that stand for each other, as one argument or as a group of which one is given. */
  private merged(all: UsageArgument[]): UsageArgument[] | null {
    const places = all.filter(({ flags }) => flags.length === 0);
    if (places.length === all.length) return mergedPlaces(all);
    const aliases = places.length === 0 ? aliasesOf(all) : null;
    if (aliases !== null) return [aliases];
    this.exclusive.push({ arguments: all, required: true });
    for (const one of all) one.required = false;
    return all;
  }
}

/** What stands in brackets; null for "[any extra words]", which is a sentence and not three arguments. */
function optional(inside: UsageArgument[], groups: Usage["exclusive"]): UsageArgument[] | null {
  if (inside.filter(({ bare }) => bare).length > 1) return null;
  for (const one of [...inside, ...groups]) one.required = false;
  return inside;
}
