/** The matcher's English, as tables. Everything here is lower case with straight apostrophes. */
const table = (words: string): ReadonlySet<string> => new Set(words.split(" "));

/** Words that change nothing wherever they stand. Negations, pronouns, quantifiers and conjunctions are never among them. */
const fillers = table("a an the me us my our please is are");

/** Different words for one thing, in every request. */
const canonicalWords: ReadonlyMap<string, string> = new Map([
  ..."of inside within from under".split(" ").map((word) => [word, "in"] as const),
  ["which", "what"],
  ["contents", "content"],
  ["directory", "folder"],
  ["directories", "folder"],
  ["containing", "with"],
  ["saying", "with"],
]);

/** Verbs that ask to be shown something: the same one for tools that only read. */
const showingVerbs = table("show tell give display print view");
const findingVerbs = table("find locate");

/** What may not be taken for a folder's name after "in". */
const neverFolders = table(
  "it this that these those there them here what where who whom how order detail details full total general short brief " +
    "reverse alphabetical parallel all any each every both none one some many most other another particular time times size date name " +
    "english german french spanish italian dutch chinese japanese color colour words lines and or not but then with without " +
    "use progress memory common question case advance git project i you he she we they your his her its their a an the which my our",
);

/** Words that a learned substitution must never touch: they turn a request's meaning round. */
const pivots = table(
  "not no never without except only all any both each every some none first last and or but then if on off up down out " +
    "more less most least top bottom before after new old in with to for do can should would before what how where when why who",
);

export const isFiller = (word: string) => fillers.has(word);
export const isPivot = (word: string) => pivots.has(word);
export const isNeverFolder = (word: string) => neverFolders.has(word.toLowerCase());
export const isShowingVerb = (word: string) => showingVerbs.has(word);

/** The word that stands for `word` in comparisons: canonical form, then the stem. */
export function stem(word: string): string {
  const plain = canonicalWords.get(word) ?? word;
  if (plain.length <= 3 || !/^[a-z-]+$/.test(plain)) return plain;
  if (plain.endsWith("ies")) return plain.length > 4 ? `${plain.slice(0, -3)}y` : plain;
  if (/(?:ss|us|is)$/.test(plain)) return plain;
  const bare = plain.endsWith("s") ? plain.slice(0, -1) : plain;
  const root = bare.replace(/(?<=[a-z]{3})(?:ing|ed)$/, "");
  return (root.length > 4 ? root.replace(/e$/, "") : root) || plain;
}

/**
 * Whether a request's word says what a tool's own word says, both as stems. Only a tool that reads may be asked for with
 * another verb than its own; "show the files" lists them, but "list a.txt" does not show it.
 */
export function isSameWord(wanted: string, word: string, isReadOnly: boolean): boolean {
  if (wanted === word) return true;
  if (!isReadOnly) return false;
  if (wanted === "list") return word === "show" || word === "display";
  return [showingStems, findingStems].some((verbs) => verbs.has(wanted) && verbs.has(word));
}

const showingStems = new Set([...showingVerbs].map(stem));
const findingStems = new Set([...findingVerbs].map(stem));

/** The words in a name or a sentence, as stems, fillers left out: "list_files" is "list" and "file". */
export function stemsOf(text: string): string[] {
  const words =
    text
      .toLowerCase()
      .replaceAll("’", "'")
      .match(/[\p{L}\p{N}]+(?:'[\p{L}]+)?/gu) ?? [];
  return words.filter((word) => !isFiller(word)).map(stem);
}

const politeStarts = [
  "can you",
  "could you",
  "would you please",
  "please",
  "kindly",
  "hey",
  "okay",
  "ok",
].map(toWords);
const politeEnds = ["thank you", "thanks", "please", "for me", "to me"].map(toWords);

/** How many words of good manners a request begins and ends with. `asksKindly`: "can you" and the like were among them. */
export function goodManners(words: readonly string[]): {
  start: number;
  end: number;
  asksKindly: boolean;
} {
  let start = 0;
  let end = words.length;
  let asksKindly = false;
  for (let phrase = phraseAt(words, start); phrase; phrase = phraseAt(words, start)) {
    start += phrase.length;
    asksKindly ||= phrase.length > 1;
  }
  for (;;) {
    const phrase = politeEnds.find(
      (ending) => start + ending.length <= end && startsAt(words, end - ending.length, ending),
    );
    if (!phrase) return { start, end, asksKindly };
    end -= phrase.length;
  }
}

const phraseAt = (words: readonly string[], at: number) =>
  politeStarts.find((phrase) => startsAt(words, at, phrase));

function toWords(phrase: string): string[] {
  return phrase.split(" ");
}

/** Whether `phrase` stands in `words` at `at`. */
export function startsAt(words: readonly string[], at: number, phrase: readonly string[]): boolean {
  return phrase.every((word, index) => words[at + index] === word);
}

/** Phrases and the one word they stand for ("" for none); a phrase at the very start of a request is left alone. */
export const phrases: readonly { words: string[]; means: string }[] = [
  { words: toWords("are there"), means: "" },
  { words: toWords("that says"), means: "with" },
  { words: toWords("which says"), means: "with" },
  { words: toWords("that contains"), means: "with" },
  { words: toWords("which contains"), means: "with" },
  ...[
    "in this folder",
    "in this directory",
    "in the current folder",
    "in the current directory",
    "in the project",
    "in this project",
    "in here",
    "here",
  ].map((phrase) => ({ words: toWords(phrase), means: "here" })),
];

/** File types by the names people give them before "files". */
export const fileTypes: ReadonlyMap<string, string> = new Map([
  ...[
    "md",
    "txt",
    "json",
    "yaml",
    "yml",
    "csv",
    "html",
    "css",
    "ts",
    "js",
    "mjs",
    "py",
    "sh",
    "xml",
    "toml",
    "pdf",
  ].map((word) => [word, word] as const),
  ["markdown", "md"],
  ["typescript", "ts"],
  ["javascript", "js"],
  ["python", "py"],
]);
