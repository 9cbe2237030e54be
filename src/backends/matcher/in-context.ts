import { wordOf } from "./request.ts";
import { take, takeBareFolder, takeProperName, type Slot, type Taken } from "./slots.ts";
import type { Token } from "./tokens.ts";
import { stem } from "./words.ts";

/** What fills a slot at its place in a request: as `take`, and a capitalised name after "in" or "for". */
export function takeInContext(
  slot: Slot,
  tokens: readonly Token[],
  at: number,
  slots: readonly Slot[],
): Taken | undefined {
  if (slot.kind === "number" && !isNumberOf(slot, tokens, at, slots)) return undefined;
  const isName = slot.kind === "text" && ["in", "for"].includes(stem(wordOf(tokens[at - 1])));
  return take(slot, tokens, at) ?? (isName ? takeProperName(tokens, at) : undefined);
}

/** Where a tool takes several numbers, the word beside one says which it is. */
function isNumberOf(
  slot: Slot,
  tokens: readonly Token[],
  at: number,
  slots: readonly Slot[],
): boolean {
  const numbers = slots.filter(({ kind }) => kind === "number");
  return numbers.length === 1 || isNamedBefore(slot, tokens, at) || isNamedAfter(slot, tokens, at);
}

const isPlural = ({ name }: Slot) => name.endsWith("s");

/** "depth 2", "from line 5". "lines 5" is no number of lines. */
export const isNamedBefore = (slot: Slot, tokens: readonly Token[], at: number): boolean =>
  !isPlural(slot) &&
  at >= slot.words.length &&
  slot.words.every((word, index) => wordOf(tokens[at - slot.words.length + index]) === word);

/** "20 lines". "20 line" is no number of lines. */
export const isNamedAfter = (slot: Slot, tokens: readonly Token[], at: number): boolean =>
  isPlural(slot) && slot.words.every((word, index) => wordOf(tokens[at + 1 + index]) === word);

/** Where a request says that something is; `folder` is undefined for "here". */
export interface Place {
  folder: string | undefined;
  length: number;
}

/** The place that the tokens from `at` on say: "here", "in docs", "in the docs folder", "in folder docs". */
export function placeAt(slot: Slot, tokens: readonly Token[], at: number): Place | undefined {
  if (wordOf(tokens[at]) === "here") return { folder: undefined, length: 1 };
  if (stem(wordOf(tokens[at])) !== "in") return undefined;
  const isNoun = (place: number) => stem(wordOf(tokens[place])) === "folder";
  const [behind, folder] = [folderAt(slot, tokens, at + 2), folderAt(slot, tokens, at + 1)];
  if (isNoun(at + 1) && behind !== undefined) return { folder: behind, length: 3 };
  return folder === undefined ? undefined : { folder, length: isNoun(at + 2) ? 3 : 2 };
}

/** The folder named by the token, written as a path, in quotes or as a bare word. */
function folderAt(slot: Slot, tokens: readonly Token[], at: number): string | undefined {
  const value = take(slot, tokens, at)?.value ?? takeBareFolder(tokens[at]);
  return typeof value === "string" ? value : undefined;
}

const NOUNS_MAX = 4;

/** How many tokens from `at` on do nothing but name the value behind them: "the new text file called a.txt". 0 if none. */
export function nounsBefore(
  slot: Slot,
  tokens: readonly Token[],
  at: number,
  slots: readonly Slot[],
): number {
  for (let count = 0; count <= NOUNS_MAX; count += 1) {
    if (takeInContext(slot, tokens, at + count, slots)) return count;
    const word = wordOf(tokens[at + count]);
    if (word !== "called" && word !== "named" && !slot.nouns.has(stem(word))) return 0;
  }
  return 0;
}
