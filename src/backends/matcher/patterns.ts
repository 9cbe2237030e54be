import type { Skill, Tool } from "../../skills/skill.ts";
import { exchangesOf } from "./exchanges.ts";
import { nounsBefore, placeAt, takeInContext } from "./in-context.ts";
import type { Item, KnownTool, Pattern } from "./pattern.ts";
import { asReading, requestOf, wordOf } from "./request.ts";
import { slotsOf, type Slot } from "./slots.ts";
import type { Token } from "./tokens.ts";
import { stem, stemsOf } from "./words.ts";

const EXAMPLES_MAX = 60;
const EXAMPLE_CHARACTERS_MAX = 300;

export function knownTool(tool: Tool, skill: Skill): KnownTool {
  const slots = slotsOf(tool);
  const isReadOnly = tool.effect === "read";
  const requests = examplesOf(tool, skill);
  const fromExamples = requests.flatMap((request) => {
    const pattern = patternOf(request, slots, isReadOnly);
    return pattern ? [pattern] : [];
  });
  return {
    tool,
    slots,
    patterns: [...fromExamples, ...patternsOfName(tool, slots)].flatMap(withoutOptional),
    exchanges: isReadOnly ? exchangesOf(fromExamples) : [],
    vocabulary: vocabularyOf(tool, requests, slots),
    isReadOnly,
  };
}

/** The example requests for a tool; the frontmatter may name it by its script's stem. */
export function examplesOf(tool: Tool, skill: Skill): string[] {
  return skill.examples
    .filter(
      (example) =>
        example.tool !== null &&
        example.request.length <= EXAMPLE_CHARACTERS_MAX &&
        [example.tool, `${skill.name}__${example.tool}`].includes(tool.name),
    )
    .slice(0, EXAMPLES_MAX)
    .map(({ request }) => request);
}

function vocabularyOf(
  tool: Tool,
  requests: readonly string[],
  slots: readonly Slot[],
): ReadonlySet<string> {
  const values = slots.flatMap(({ schema }) => (schema.enum ?? []).map(String));
  const texts = [bareName(tool), tool.description, ...slots.map(({ name }) => name), ...values].map(
    spaced,
  );
  const asked = requests
    .flatMap((request) => requestOf(request).tokens.map(wordOf))
    .filter((word) => word !== "");
  return new Set([...texts.flatMap(stemsOf), ...asked.map(stem)]);
}

const spaced = (name: string) => name.replaceAll(/[_-]+/g, " ");
const bareName = ({ name, skill }: Tool) =>
  name.startsWith(`${skill}__`) ? name.slice(skill.length + 2) : name;

// ——— from examples ———

function patternOf(
  request: string,
  slots: readonly Slot[],
  isReadOnly: boolean,
): Pattern | undefined {
  const { tokens } = requestOf(request);
  const read = isReadOnly ? asReading(tokens) : tokens;
  const items: Item[] = [];
  let free = slots;
  for (let at = 0; at < read.length;) {
    const step = itemAt(read, at, free);
    if (!step) return undefined;
    const { item } = step;
    if (item.kind !== "word") free = free.filter((slot) => slot !== item.slot);
    items.push(item);
    at += step.length;
  }
  return items[0]?.kind === "word" ? { items, switches: switchesIn(items, slots) } : undefined;
}

interface Step {
  item: Item;
  length: number;
}

function itemAt(tokens: readonly Token[], at: number, free: readonly Slot[]): Step | undefined {
  const folder = free.find(({ kind }) => kind === "folder");
  const place = folder && placeAt(folder, tokens, at);
  if (place) return { item: { kind: "place", slot: folder }, length: place.length };
  // The content is what is quoted; a quoted name stands for a path only where there is no content to give.
  for (const slot of at > 0 ? free.toSorted((a, b) => rank(a) - rank(b)) : []) {
    // "the file a.txt" is "a.txt": a request may have such a noun or not.
    const nouns = nounsBefore(slot, tokens, at, free);
    const taken = takeInContext(slot, tokens, at + nouns, free);
    if (taken) return { item: { kind: "slot", slot }, length: nouns + taken.length };
  }
  const word = wordOf(tokens[at]);
  return word === "" ? undefined : { item: { kind: "word", word }, length: 1 };
}

const rank = ({ kind }: Slot) => (kind === "content" || kind === "text" ? 0 : 1);

function switchesIn(items: readonly Item[], slots: readonly Slot[]): string[] {
  const stems = items.flatMap((item) => (item.kind === "word" ? [stem(item.word)] : []));
  return slots
    .filter(
      (slot) =>
        slot.kind === "boolean" &&
        slot.stems.length > 0 &&
        slot.stems.every((part) => stems.includes(part)),
    )
    .map(({ name }) => name);
}

// ——— from names ———

/** "delete_file" with one path is asked for as "delete a.txt"; a tool that needs two things is not, without an example. */
function patternsOfName(tool: Tool, slots: readonly Slot[]): Pattern[] {
  const required = slots.filter(
    ({ isRequired, schema }) => isRequired && schema.default === undefined,
  );
  if (required.length > 1) return [];
  const words = bareName(tool)
    .toLowerCase()
    .split(/[_-]+/)
    .filter((word) => word !== "");
  const items: Item[] = words.map((word) => ({ kind: "word", word }));
  const [slot] = required;
  if (!slot) return [{ items, switches: [] }];
  const target: Item = { kind: "slot", slot };
  const patterns = [[...items, target]];
  if (items.length > 1 && slot.nouns.has(stem(words.at(-1) ?? "")))
    patterns.push([...items.slice(0, -1), target]);
  if (items.length > 1 && slot.kind === "file" && tool.effect === "read")
    patterns.push([...items, { kind: "word", word: "in" }, target]);
  return patterns.map((found) => ({ items: found, switches: [] }));
}

// ——— variants ———

/** The pattern, and what is left of it without a place or a pattern of names, where the tool can do without them. */
function withoutOptional(pattern: Pattern): Pattern[] {
  const variants = [pattern];
  for (const [index, item] of pattern.items.entries()) {
    for (const left of leavingOut(item, pattern.items[index + 1], pattern.items[0]))
      variants.push(
        ...variants.map(({ items, switches }) => ({
          items: items.filter((other) => !left.includes(other)),
          switches,
        })),
      );
  }
  return variants;
}

/** The items that a request may leave out, each list together: "in docs", ".md" of ".md files", "files" of it. */
function leavingOut(item: Item, next: Item | undefined, first: Item | undefined): Item[][] {
  if (item.kind === "word" || item.slot.isRequired) return [];
  // "What files?" is no request to list any.
  if (item.kind === "place")
    return ["what", "which", "where", "how"].includes(wordOfItem(first)) ? [] : [[item]];
  const isOfFiles = item.slot.kind === "glob" && next && stem(wordOfItem(next)) === "file";
  return isOfFiles ? [[item], [next]] : [];
}

const wordOfItem = (item: Item | undefined) => (item?.kind === "word" ? item.word : "");
