const ELLIPSIS = "…";
// Characters that take no room or turn the reading direction: a person who reviews a skill does not see them, a model
// does. A joiner after a pictograph stays: it is what makes a family out of three people.
const HIDDEN =
  /(?![\t\n])[\p{Cc}\p{Cs}\u00AD\u061C\u180E\u200B\u200C\u200E\u200F\u2028-\u202E\u2060-\u206F\uFEFF\uFFF9-\uFFFB\u{E0000}-\u{E007F}]|(?<![\p{Extended_Pictographic}\p{Emoji_Modifier}\uFE0F])\u200D/gu;
const NAME = /^[A-Za-z0-9][A-Za-z0-9_-]*$/;
const NAME_LENGTH_MAX = 64;
// A full stop after one of these does not end a sentence.
const ABBREVIATION = /(?:\be\.g|\bi\.e|\betc|\bvs|\bcf|\bapprox|\bincl|\bno|\bDr|\bMr|\bMs)\.$/i;

/** The text with every control, bidirectional and zero-width character (but tab and line feed) written as `\u{…}`. */
export function visible(text: string): string {
  return text.replace(
    HIDDEN,
    (character) => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`,
  );
}

/** The text on one line: `visible`, white space runs as single spaces, none at the ends. */
export function oneLine(text: string): string {
  return visible(text).replace(/\s+/g, " ").trim();
}

/** At most `charactersMax` characters, cut after a word where there is one, the cut marked by "…". */
export function cutAtWord(text: string, charactersMax: number): string {
  if (text.length <= charactersMax) return text;
  const room = text.slice(0, charactersMax - ELLIPSIS.length).replace(/[\uD800-\uDBFF]$/, "");
  const space = room.lastIndexOf(" ");
  return `${(space > charactersMax / 2 ? room.slice(0, space) : room).trimEnd()}${ELLIPSIS}`;
}

/** The first sentence of a text on one line, at most `charactersMax` characters. */
export function firstSentence(text: string, charactersMax: number): string {
  // One word more than can be shown is enough to see whether the sentence ends in time.
  const line = oneLine(text.slice(0, 4 * charactersMax));
  for (const match of line.matchAll(/[.!?](?= )|[。！？]/gu)) {
    const sentence = line.slice(0, match.index + 1);
    if (!ABBREVIATION.test(sentence.slice(-8))) return cutAtWord(sentence, charactersMax);
  }
  return cutAtWord(line, charactersMax);
}

/** Whether a skill's name can be written in every contract as it is. */
export function isName(name: string): boolean {
  return name.length <= NAME_LENGTH_MAX && NAME.test(name);
}

/** The nearest usable name: compatibility forms and accents resolved, lower case, all else as "-". May be empty. */
export function usableName(name: string): string {
  return name
    .slice(0, 4 * NAME_LENGTH_MAX)
    .normalize("NFKD")
    .replace(/\p{Mn}/gu, "")
    .toLowerCase()
    .replace(/[^a-z0-9_]+/g, "-")
    .replace(/^[-_]+/, "")
    .slice(0, NAME_LENGTH_MAX)
    .replace(/-+$/, "");
}

/** A name made of the code points, for a name in a script that has no ASCII letters: "skill-5929-6c14". */
export function codePointName(name: string): string {
  const points = Array.from(name.slice(0, 16), (character) =>
    (character.codePointAt(0) ?? 0).toString(16),
  );
  return ["skill", ...points].join("-").slice(0, NAME_LENGTH_MAX);
}
