const PERIOD_WORDS_MAX = 64; // the longest phrase whose repetition is noticed
const WORD_CHARS_MAX = 32; // text without spaces is taken in pieces of this size
const COPIES_MIN = 40; // a short phrase: more often than a list, a table or a song would have it
const LONG_COPIES_MIN = 10;
const LONG_CHARS_MIN = 500; // …or a sentence, when this much of the text says nothing new

/** Watches a reply, piece by piece, for the same phrase over and over. */
export interface RepetitionWatch {
  write(piece: string): void;
  /** The phrase, once its repetition is certain; stays so. */
  phrase(): string | null;
}

/**
 * Counts, for each period up to 64 words, how many words in a row equal the word one period before. Only phrases with
 * words in them count, so that rules, borders and number tables do not. Fenced code and a reply that is bare JSON are
 * not watched: there, repetition can be content.
 */
export function createRepetitionWatch(): RepetitionWatch {
  const recent: string[] = []; // the last words, oldest first
  const runs = Array.from({ length: PERIOD_WORDS_MAX + 1 }, (): Run => ({
    words: 0,
    characters: 0,
    withLetters: 0,
  }));
  let word = "";
  let ticks = 0; // back-ticks since the start of the line; -1 when something else came first
  let inFence = false;
  let isJson: boolean | undefined;
  let found: string | null = null;

  function endWord(): void {
    if (word === "" || found !== null) return;
    isJson ??= word.startsWith("{");
    const isQuiet = inFence || isJson;
    if (!isQuiet) {
      found = repeatedPhrase(word, recent, runs);
      recent.push(word);
      if (recent.length > 2 * PERIOD_WORDS_MAX) recent.splice(0, PERIOD_WORDS_MAX);
    }
    word = "";
  }

  function take(character: string): void {
    if (isSpace(character)) {
      endWord();
      if (character === "\n") ticks = 0;
      return;
    }
    ticks = character === "`" && ticks >= 0 ? ticks + 1 : -1;
    if (ticks === 3) {
      inFence = !inFence;
      recent.length = 0; // with nothing to compare to, every run ends at the next word
    }
    word += character;
    if (word.length >= WORD_CHARS_MAX || "。！？".includes(character)) endWord();
  }

  return {
    write(piece) {
      for (let at = 0; at < piece.length; at += 1) {
        if (found !== null) return;
        take(piece.charAt(at));
      }
    },
    phrase: () => found,
  };
}

/** The words of a phrase that comes again and again, so turned that they begin where a sentence does. */
function fromSentenceStart(words: readonly string[]): readonly string[] {
  const end = words.findIndex((word) => /[.!?。！？]$/.test(word)) + 1;
  return [...words.slice(end), ...words.slice(0, end)];
}

/** How long a reply has been repeating itself at one period. */
interface Run {
  words: number;
  characters: number;
  withLetters: number;
}

function repeatedPhrase(
  word: string,
  recent: readonly string[],
  runs: readonly Run[],
): string | null {
  const hasLetters = /\p{L}\p{L}/u.test(word);
  for (let period = 1; period <= PERIOD_WORDS_MAX; period += 1) {
    const run = runs[period];
    if (!run) break;
    const before = recent.length - period;
    if (before < 0 || recent[before] !== word) {
      run.words = 0;
      run.characters = 0;
      run.withLetters = 0;
      continue;
    }
    run.words += 1;
    run.characters += word.length + 1;
    if (hasLetters) run.withLetters += 1;
    const copies = run.words / period + 1;
    const isLong = copies >= LONG_COPIES_MIN && run.characters >= LONG_CHARS_MIN;
    if (run.withLetters > 0 && (copies >= COPIES_MIN || isLong)) {
      return fromSentenceStart([...recent, word].slice(-period)).join(" ");
    }
  }
  return null;
}

function isSpace(character: string): boolean {
  return character === " " || character === "\n" || character === "\t" || character === "\r";
}
