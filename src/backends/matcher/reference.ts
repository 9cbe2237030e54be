import type { Skill } from "../../skills/skill.ts";
import { wordOf, type Request } from "./request.ts";
import { isShowingVerb, stem, stemsOf } from "./words.ts";

const openers = new Set(["read", "what"]);
const nouns = new Set(["reference", "guide"].map(stem));

/**
 * The one reference, of a skill without tools, that a request names in full: all words of its file name, and no word
 * but these, the skill's own name, and a verb of showing in front ("show me the statistics basics"). A file name of one
 * word is too weak a name alone: the skill or the word "reference" must be named with it.
 */
export function referenceFor(
  { tokens }: Request,
  skills: readonly Skill[],
): { kind: "reference"; skill: string; path: string } | undefined {
  const words = tokens.map(wordOf);
  const [first = "", ...rest] = words;
  if (!(isShowingVerb(first) || openers.has(first)) || rest.length === 0 || rest.includes(""))
    return undefined;
  const asked = rest.filter((word) => stem(word) !== "in").map(stem);
  const found = skills
    .filter(({ tools }) => tools.length === 0)
    .flatMap((skill) =>
      skill.references
        .filter((path) => isNamed(path, skill, asked))
        .map((path) => ({ skill: skill.name, path })),
    );
  const [only] = found;
  return only && found.length === 1 ? { kind: "reference", ...only } : undefined;
}

function isNamed(path: string, skill: Skill, asked: readonly string[]): boolean {
  const file = stemsOf(
    (path.split("/").at(-1) ?? "").replace(/\.[^.]+$/, "").replaceAll(/[_-]/g, " "),
  );
  const around = new Set([...stemsOf(skill.name.replaceAll(/[_-]/g, " ")), ...nouns]);
  const isFull = file.length > 0 && file.every((word) => asked.includes(word));
  const isExplained = asked.every((word) => file.includes(word) || around.has(word));
  return isFull && isExplained && asked.length > 1;
}
