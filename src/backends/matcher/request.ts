import { tokensOf, type Token } from "./tokens.ts";
import { goodManners, isFiller, isShowingVerb, phrases, startsAt, stem } from "./words.ts";

/** A request without its good manners and without words that change nothing. */
export interface Request {
  tokens: Token[];
  /** It begins with "can you" or the like. */
  asksKindly: boolean;
  /** It ends with a question mark. */
  endsAsQuestion: boolean;
}

export function requestOf(text: string): Request {
  const all = tokensOf(text);
  const { start, end, asksKindly } = goodManners(wordsIn(all));
  const tokens = withoutFillers(withPossession(withPhrases(all.slice(start, end))));
  return { tokens, asksKindly, endsAsQuestion: /\?[\s!?.)"'”’]*$/u.test(text.slice(-20)) };
}

/** The token's word; "" for anything else. */
export const wordOf = (token: Token | undefined): string =>
  token?.kind === "word" ? token.word : "";

const wordsIn = (tokens: readonly Token[]) => tokens.map(wordOf);

const wordToken = (word: string): Token => ({ kind: "word", text: word, word });

function withPhrases(tokens: readonly Token[]): Token[] {
  const words = wordsIn(tokens);
  const result: Token[] = [];
  for (let at = 0; at < tokens.length;) {
    const phrase =
      at === 0 ? undefined : phrases.find((candidate) => startsAt(words, at, candidate.words));
    const token = tokens[at];
    if (phrase && phrase.means !== "") result.push(wordToken(phrase.means));
    if (!phrase && token) result.push(token);
    at += phrase?.words.length ?? 1;
  }
  return result;
}

/** "how many words does notes.txt have" asks what "how many words in notes.txt" asks. */
function withPossession(tokens: readonly Token[]): Token[] {
  const at = tokens.findLastIndex((token) => ["do", "does"].includes(wordOf(token)));
  if (at < 1 || !["have", "contain"].includes(wordOf(tokens.at(-1)))) return [...tokens];
  const inside = tokens.slice(at + 1, -1);
  return inside.length === 0 ? [...tokens] : [...tokens.slice(0, at), wordToken("in"), ...inside];
}

/** A request that begins with "is" or "are" is a question about something, so there the word counts. */
function withoutFillers(tokens: readonly Token[]): Token[] {
  return tokens.flatMap((token, index): Token[] => {
    if (isLeftOut(tokens, index)) return [];
    return [
      token.kind === "word" && isLeftOut(tokens, index - 1) ? { ...token, isLed: true } : token,
    ];
  });
}

function isLeftOut(tokens: readonly Token[], index: number): boolean {
  const word = wordOf(tokens[index]);
  return isFiller(word) && !(index === 0 && /^(?:is|are)$/.test(word));
}

/**
 * For tools that only read, a file's content is the file: "show the content of a.txt" and "show what is in a.txt" are
 * "show a.txt". For any other tool the difference can be everything.
 */
export function asReading(tokens: readonly Token[]): Token[] {
  const result: Token[] = [];
  for (let at = 0; at < tokens.length; at += 1 + emptyWordsAt(tokens, at)) {
    const token = tokens[at + emptyWordsAt(tokens, at)];
    if (token) result.push(token);
  }
  return result;
}

/** How many tokens from `at` on say nothing to a tool that reads: "content of", "what in", or "content" after "what". */
function emptyWordsAt(tokens: readonly Token[], at: number): number {
  const file = tokens[at + 2];
  if (at === 0 || !file || file.kind === "word" || stem(wordOf(tokens[at + 1])) !== "in") return 0;
  const word = wordOf(tokens[at]);
  const before = wordOf(tokens[at - 1]);
  if (["content", "contents", "text"].includes(word)) return before === "what" ? 1 : 2;
  return word === "what" && isShowingVerb(before) ? 2 : 0;
}
