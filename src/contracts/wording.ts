import type { Problem, ProblemCode } from "./problem.ts";
import { clip, inert, quoted } from "./quote.ts";

/** What is said of one problem. Sentences without the form that follows them. */
export interface Words {
  /** For a person, the ledger and the second attempt: a clause without a full stop. */
  summary: string;
  /** For the first attempt: what was wrong, and where. */
  fault: string;
  /** What did not happen because of it; when absent, nothing ran at all. Only said where the form follows. */
  effect?: string;
  /** What to do about it. */
  fix: string;
  /**
   * What follows: "call", the form with the example in it; "end", the form without calls, as the way on to the answer;
   * "words", nothing, because plain text for the user is wanted; "news", nothing, because the model is not at fault.
   */
  shows: "call" | "end" | "words" | "news";
}

/** The words for some codes, one entry each: a code without its entry does not compile. */
export type WordsFor<Codes extends ProblemCode> = {
  [Code in Codes]: (problem: Extract<Problem, { code: Code }>) => Words;
};

const NAMES_MAX = 12;
const NAME_CHARS_MAX = 60;

/** "a, b, c and 4 more"; "none" for an empty list. */
export function nameList(names: readonly string[]): string {
  const shown = names
    .slice(0, NAMES_MAX)
    .map((name) => (/^[\w./-]{1,60}$/.test(name) ? name : quoted(name, NAME_CHARS_MAX)));
  const more = names.length > shown.length ? ` and ${names.length - shown.length} more` : "";
  return names.length === 0 ? "none" : `${shown.join(", ")}${more}`;
}

/** A sentence from outside (a service's message, an expectation of a schema): on one line, and not too long. */
export function oneLine(text: string, max: number): string {
  const start = text.slice(0, 2 * max).replace(/[\s\p{Cc}]+/gu, " ");
  return inert(clip(start.trim(), max)).replace(/[.:]$/, "");
}
