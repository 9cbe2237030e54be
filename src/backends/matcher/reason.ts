import type { Call, JsonObject } from "../../contracts/call.ts";
import type { Skill } from "../../skills/skill.ts";
import type { Alignment } from "./align.ts";
import type { KnownTool } from "./pattern.ts";
import type { Request } from "./request.ts";
import type { Slot } from "./slots.ts";
import type { Token } from "./tokens.ts";
import { stem, stemsOf } from "./words.ts";

/** Why a request is not acted on. */
export type DeclineReason =
  | { code: "too_long" }
  /** Words that nothing said about any tool has, in the order of the request. */
  | { code: "unknown_words"; words: string[] }
  | { code: "missing"; tool: string; property: string; isQuoted: boolean }
  /** A tool that changes something was asked about, not asked for. */
  | { code: "only_asked_about"; tool: string }
  | { code: "several"; calls: Call[] }
  /** `word`: the first one that fits no way to ask for anything; null where the request ends too early, or is empty. */
  | { code: "not_understood"; word: string | null };

/** What a tool makes of a request: every complete input that one of its patterns gives, and how far the best one got. */
export interface Reading extends Alignment {
  known: KnownTool;
  tokens: readonly Token[];
  inputs: JsonObject[];
}

/** The reason is where the reading that got furthest came to its end. */
export function reasonFor(
  { tokens: all }: Request,
  readings: readonly Reading[],
  skills: readonly Skill[],
): DeclineReason {
  const share = ({ explained, tokens }: Reading) => explained / Math.max(1, tokens.length);
  const [best] = readings.toSorted((a, b) => share(b) - share(a));
  const { explained = 0, tokens = all } = best ?? {};
  const reason = best && explained > 0 ? unfinished(best) : undefined;
  if (reason) return reason;
  const isKnown = vocabularyOf(readings, skills);
  const unknown = tokens.slice(explained).filter((token) => !isKnown(token));
  const stuck = tokens[explained];
  return unknown.length > 0 && (explained === 0 || unknown[0] === stuck)
    ? { code: "unknown_words", words: unknown.map(({ text }) => text) }
    : { code: "not_understood", word: stuck?.text ?? null };
}

/** Whether a token says something that some tool or example says too; a value of any kind could. */
function vocabularyOf(
  readings: readonly Reading[],
  skills: readonly Skill[],
): (token: Token) => boolean {
  const said = new Set(
    skills.flatMap(({ examples }) => examples.flatMap(({ request }) => stemsOf(request))),
  );
  return (token) => {
    if (token.kind !== "word") return token.kind !== "unclear";
    const word = stem(token.word);
    return said.has(word) || readings.some(({ known }) => known.vocabulary.has(word));
  };
}

/** Why a reading that began well gave no call, where that is not a word it does not know. */
function unfinished({
  known,
  tokens,
  explained,
  input,
  wanted,
}: Reading): DeclineReason | undefined {
  const tool = known.tool.name;
  if (input) return known.isReadOnly ? undefined : { code: "only_asked_about", tool };
  const isAtEnd = explained === tokens.length;
  const needed = wanted?.kind === "slot" ? wanted.slot : known.slots.find(isQuotedAndRequired);
  if (!needed) return undefined;
  const isQuoted = needed.kind === "content" || needed.kind === "text";
  // What stands where quoted text is wanted is most likely that text, without its quotes.
  const isUnquoted = isQuoted && wanted?.kind === "slot";
  return isAtEnd || isUnquoted
    ? { code: "missing", tool, property: needed.name, isQuoted }
    : undefined;
}

const isQuotedAndRequired = ({ kind, isRequired, schema }: Slot) =>
  kind === "content" && isRequired && schema.default === undefined;
