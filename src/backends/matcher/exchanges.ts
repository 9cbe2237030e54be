import type { Exchange, Item, Pattern } from "./pattern.ts";
import { isPivot, stem } from "./words.ts";

/** The properties a pattern fills, as one comparable text. */
export const fillsOf = (items: readonly Item[]): string =>
  items
    .flatMap((item) => (item.kind === "word" ? [] : [item.slot.name]))
    .toSorted()
    .join(" ");

/**
 * Two patterns that differ in one word show that either word will do: "count the words of a.txt", "count the lines of
 * a.txt". That holds for patterns that fill the same properties only: "the top 10 words" are no "top 10 lines". Words that
 * turn a meaning round are never exchanged.
 */
export function exchangesOf(patterns: readonly Pattern[]): Exchange[] {
  const exchanges: { words: Set<string>; fills: string }[] = [];
  for (const [index, left] of patterns.entries()) {
    for (const right of patterns.slice(index + 1)) {
      const words = onlyDifference(left.items, right.items);
      if (words && !words.some(isPivot)) remember(exchanges, words.map(stem), fillsOf(left.items));
    }
  }
  return exchanges;
}

function remember(
  exchanges: { words: Set<string>; fills: string }[],
  words: readonly string[],
  fills: string,
): void {
  const known = exchanges.find(
    (exchange) => exchange.fills === fills && words.some((word) => exchange.words.has(word)),
  );
  if (known) for (const word of words) known.words.add(word);
  else exchanges.push({ words: new Set(words), fills });
}

function onlyDifference(
  left: readonly Item[],
  right: readonly Item[],
): [string, string] | undefined {
  if (left.length !== right.length) return undefined;
  let found: [string, string] | undefined;
  for (const [index, item] of left.entries()) {
    const other = right[index];
    if (!other || isSameItem(item, other)) continue;
    if (found || item.kind !== "word" || other.kind !== "word") return undefined;
    found = [item.word, other.word];
  }
  return found;
}

function isSameItem(left: Item, right: Item): boolean {
  if (left.kind === "word" || right.kind === "word")
    return left.kind === "word" && right.kind === "word" && stem(left.word) === stem(right.word);
  return left.kind === right.kind && left.slot === right.slot;
}
