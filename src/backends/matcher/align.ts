import type { Json, JsonObject } from "../../contracts/call.ts";
import { fillsOf } from "./exchanges.ts";
import { isNamedAfter, isNamedBefore, nounsBefore, placeAt, takeInContext } from "./in-context.ts";
import type { Item, KnownTool, Pattern } from "./pattern.ts";
import { wordOf } from "./request.ts";
import { take, type Slot } from "./slots.ts";
import type { Token } from "./tokens.ts";
import { isSameWord, stem } from "./words.ts";

/** Steps of one alignment. Requests are short; this bounds one that is made to be hard. */
const STEPS_MAX = 2_000;

interface Step {
  length: number;
  filled: [Slot, Json][];
}

/** A request read as a pattern: the input it gives, if it fits; else how many tokens were explained, and what was to follow. */
export interface Alignment {
  input: JsonObject | undefined;
  explained: number;
  wanted: Item | undefined;
}

/**
 * Reads a request as a pattern. Every word of the pattern must be there, in order, from the first word on; every other
 * token of the request must be explained: a value for a property that the pattern leaves open, or a noun beside a value
 * ("the file a.txt"). One token that is not, and there is no call.
 */
export function align(
  { items, switches }: Pattern,
  tokens: readonly Token[],
  known: KnownTool,
): Alignment {
  let steps = 0;
  let explained = 0;
  let wanted: Item | undefined;
  const fills = fillsOf(items);
  const inItems = new Set(items.map((item) => (item.kind === "word" ? undefined : item.slot)));

  function from(at: number, next: number, filled: Filled): Filled | undefined {
    steps += 1;
    const item = items[next];
    if (at >= explained) [explained, wanted] = [at, item];
    if (steps > STEPS_MAX) return undefined;
    if (!item && at === tokens.length) return filled;
    const matched = item && matchItem(item, { tokens, at, known, fills });
    const onItem = matched && from(at + matched.length, next + 1, withFilled(filled, matched));
    if (onItem || at === 0 || at >= tokens.length) return onItem;
    const open = known.slots.filter((slot) => !filled.has(slot) && !inItems.has(slot));
    const extra = explainExtra({ tokens, at, open, known, nextItem: item });
    return extra && from(at + extra.length, next, withFilled(filled, extra));
  }

  const filled = from(0, 0, new Map());
  if (!filled) return { input: undefined, explained, wanted };
  const values = [...filled].map(([slot, value]): [string, Json] => [slot.name, value]);
  const input = Object.fromEntries([
    ...values,
    ...switches.map((name): [string, Json] => [name, true]),
  ]);
  return { input, explained, wanted };
}

type Filled = ReadonlyMap<Slot, Json>;

function withFilled(filled: ReadonlyMap<Slot, Json>, step: Step): ReadonlyMap<Slot, Json> {
  return step.filled.length === 0 ? filled : new Map([...filled, ...step.filled]);
}

interface Here {
  tokens: readonly Token[];
  at: number;
  known: KnownTool;
  /** What the whole pattern fills. */
  fills: string;
}

function matchItem(item: Item, here: Here): Step | undefined {
  const { tokens, at, known } = here;
  if (item.kind === "word")
    return isSame(item.word, wordOf(tokens[at]), here) ? { length: 1, filled: [] } : undefined;
  if (item.kind === "place") return placeStep(item.slot, tokens, at);
  const taken = takeInContext(item.slot, tokens, at, known.slots);
  return taken && { length: taken.length, filled: [[item.slot, taken.value]] };
}

/** The first word must be the very word ("deleted a.txt" tells, it does not ask), or its equal for a tool that reads. */
function isSame(wanted: string, word: string, { at, known, fills }: Here): boolean {
  if (word === "" || wanted === word) return word !== "";
  const [a, b] = [stem(wanted), stem(word)];
  if (at === 0 && a === b) return a === "what";
  const isExchanged = known.exchanges.some(
    ({ words, fills: theirs }) => theirs === fills && words.has(a) && words.has(b),
  );
  return isExchanged || isSameWord(a, b, known.isReadOnly);
}

function placeStep(slot: Slot, tokens: readonly Token[], at: number): Step | undefined {
  const place = placeAt(slot, tokens, at);
  return (
    place && {
      length: place.length,
      filled: place.folder === undefined ? [] : [[slot, place.folder]],
    }
  );
}

interface Extra {
  tokens: readonly Token[];
  at: number;
  /** Properties that neither the pattern nor an earlier token fills. */
  open: readonly Slot[];
  known: KnownTool;
  nextItem: Item | undefined;
}

/** What may stand in a request beside the pattern's own words. */
function explainExtra(extra: Extra): Step | undefined {
  return nounBesideValue(extra) ?? (extra.known.isReadOnly ? openProperty(extra) : undefined);
}

function nounBesideValue({ tokens, at, known, nextItem }: Extra): Step | undefined {
  const word = stem(wordOf(tokens[at]));
  const before =
    nextItem?.kind === "slot" ? nounsBefore(nextItem.slot, tokens, at, known.slots) : 0;
  if (before > 0) {
    const nouns = tokens.slice(at, at + before).map((token) => stem(wordOf(token)));
    return nouns.every((noun) => isNaming(noun) || known.vocabulary.has(noun))
      ? { length: before, filled: [] }
      : undefined;
  }
  const isNoun = known.slots.some(
    (slot) => slot.nouns.has(word) && takeInContext(slot, tokens, at - 1, known.slots),
  );
  return isNoun && known.vocabulary.has(word) ? { length: 1, filled: [] } : undefined;
}

const isNaming = (word: string) => word === stem("called") || word === stem("named");

function openProperty({ tokens, at, open, nextItem }: Extra): Step | undefined {
  for (const slot of open) {
    const step = stepFor(slot, tokens, at, nextItem);
    if (step) return step;
  }
  return undefined;
}

function stepFor(
  slot: Slot,
  tokens: readonly Token[],
  at: number,
  nextItem: Item | undefined,
): Step | undefined {
  if (slot.kind === "folder") return placeStep(slot, tokens, at);
  if (slot.kind === "number") return numberAt(slot, tokens, at);
  if (slot.kind === "boolean") return switchAt(slot, tokens, at);
  // "a dad joke", "the .md files": a kind stands before what it is a kind of.
  if ((slot.kind !== "enum" && slot.kind !== "glob") || nextItem?.kind !== "word") return undefined;
  const taken = take(slot, tokens, at);
  return taken && { length: taken.length, filled: [[slot, taken.value]] };
}

/** "depth 2", "with depth 2", "20 lines", "the first 20 lines of". */
function numberAt(slot: Slot, tokens: readonly Token[], at: number): Step | undefined {
  const lead = ["with", "first"].includes(wordOf(tokens[at])) ? 1 : 0;
  const before = at + lead + slot.words.length;
  const named = take(slot, tokens, before);
  if (named && wordOf(tokens[at]) !== "first" && isNamedBefore(slot, tokens, before))
    return { length: before + 1 - at, filled: [[slot, named.value]] };
  const first = take(slot, tokens, at + lead);
  if (!first || wordOf(tokens[at]) === "with" || !isNamedAfter(slot, tokens, at + lead))
    return undefined;
  const end = at + lead + 1 + slot.words.length;
  return {
    length: end - at + (stem(wordOf(tokens[end])) === "in" ? 1 : 0),
    filled: [[slot, first.value]],
  };
}

function switchAt(slot: Slot, tokens: readonly Token[], at: number): Step | undefined {
  const isNamed =
    slot.stems.length > 0 &&
    slot.stems.every((part, index) => stem(wordOf(tokens[at + index])) === part);
  return isNamed ? { length: slot.stems.length, filled: [[slot, true]] } : undefined;
}
