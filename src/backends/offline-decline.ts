import type { Call } from "../contracts/call.ts";
import { clip } from "../contracts/quote.ts";
import type { Skill } from "../skills/skill.ts";
import type { Match } from "./matcher/match.ts";
import type { DeclineReason } from "./matcher/reason.ts";
import { stemsOf } from "./matcher/words.ts";

const NEAREST_MAX = 3;
const WORDS_MAX = 3;
const QUESTION_CHARACTERS_MAX = 2_000;

/** What is said instead of an answer: that this is no model, what was not understood, what can be done, how to get a model. */
export function declineText(match: Match, question: string, skills: readonly Skill[]): string {
  const why =
    match.kind === "declined"
      ? reasonText(match.reason)
      : "The request was understood, but nothing came of it.";
  const nearest = nearestRequests(question.slice(0, QUESTION_CHARACTERS_MAX), skills);
  return [
    "No language model is configured: this is the offline command matcher, which acts only on requests it understands to the last word.",
    why,
    ...(nearest.length > 0
      ? ["The nearest things it can do:", ...nearest.map((request) => `  ${request}`)]
      : []),
    "For anything else use a model: -m bedrock (needs AWS credentials), -m bedrock/<model id>, or -m scripted/FILE.jsonl for prepared replies.",
  ].join("\n");
}

function reasonText(reason: DeclineReason): string {
  switch (reason.code) {
    case "too_long":
      return "The request is too long for it.";
    case "unknown_words": {
      const words = reason.words.slice(0, WORDS_MAX).map((word) => JSON.stringify(clip(word, 40)));
      return `It does not know ${words.length === 1 ? "the word" : "the words"} ${words.join(", ")}.`;
    }
    case "missing":
      return `${reason.tool} also needs "${reason.property}"${reason.isQuoted ? ", written in quotes" : ""}.`;
    case "only_asked_about":
      return `${reason.tool} changes something, so it runs when it is told to, not when it is asked about.`;
    case "several":
      return `It could mean several things: ${reason.calls.slice(0, NEAREST_MAX).map(callText).join("; ")}.`;
    case "not_understood":
      return reason.word === null
        ? "It knows these words, but not what they ask for."
        : `It does not know what ${JSON.stringify(clip(reason.word, 40))} means in this place.`;
  }
}

const callText = ({ name, input }: Call) => clip(`${name} ${JSON.stringify(input)}`, 120);

/** Example requests of tools that share most words with the question, at most one of each tool; else the first ones. */
function nearestRequests(question: string, skills: readonly Skill[]): string[] {
  const asked = new Set(stemsOf(question));
  const shared = (request: string) =>
    new Set(stemsOf(request).filter((word) => asked.has(word))).size;
  const candidates = skills
    .flatMap((skill) => skill.examples.map((example) => ({ ...example, skill: skill.name })))
    .filter(({ tool }) => tool !== null)
    .map((example) => ({ ...example, score: shared(example.request) }))
    .toSorted((a, b) => b.score - a.score);
  const seen = new Set<string>();
  const nearest = candidates.filter(({ skill, tool }) => {
    const key = `${skill} ${tool ?? ""}`;
    return !seen.has(key) && seen.add(key);
  });
  return nearest.slice(0, NEAREST_MAX).map(({ request }) => request);
}
