import { type Sentence, sentences } from "./sentences.ts";

// The one table of words. Lower case; apostrophes straight. Other languages would be other tables.
const table = (words: string) => new Set(words.split(" "));
const questionWords = table("what which who whom whose where when why how");
const auxiliaries = table(
  "do does did is are am was were can could would will shall should may might must have has had",
);
const contractions = table(
  "what's what're what'll what'd which's who's who're who'll who'd where's where're where'd when's why's why'd how's how'd " +
    "isn't aren't wasn't weren't don't doesn't didn't can't couldn't won't wouldn't shan't shouldn't haven't hasn't hadn't",
);
/** Of these an imperative is made as well: "Do it.", "Have a look.", "Don't move it." */
const imperatives = table("do don't have");
/** What can follow an imperative, but is no subject of a question that starts with the same word. */
const objects = table("it this that so not nothing a an some another fun");
/** What can stand as the subject of an inverted question. */
const speakers = table("you i we");
const persons = table("you i we your my our");
const pluralSubjects = table("they these those");
/** Question words that a noun may follow: "which file", "how many files". */
const nounTakers = table("what which whose how");
const subjects = table(
  "you i we it he she they this that these those there the your my our their its any all anyone someone",
);
/** Words that may stand before a question with no comma after them, and those that need one. */
const leadIns = table("so and also but well or ok okay sorry now then");
const leadInsWithMark = table(
  "hi hello hey sure great thanks yes no oh hmm right alright first second finally next again good perfect please certainly",
);
/** A clause that these begin may stand before a question, up to its comma. */
const clauseStarts = table(
  "before after to in if since as for just given based once because while with regarding about when",
);

const request =
  /^(?:(?:please|kindly) (?:tell|specify|clarify|confirm|choose|select|pick|provide|enter|name|give me|say)\b|(?:please )?(?:just )?(?:tell me|let me know) (?:what|which|who|whose|where|when|why|how|whether)\b|tell me (?:the|your)\b)/u;
const tag =
  /[,;.…-]\s*(?:right|ok|okay|yes|yeah|no|you know|you see|huh|eh|correct|alright|deal|got it|understood|agreed|isn't it|won't you|will you)\s*\?$/u;
/** "How to cook", "what to do", "which is why": these only look like questions, unless a question mark says so. */
const title =
  /^(?:(?:how|what|where|when|which|who|whom) to|which (?:is|are|was|were|means)|how (?:nice|great|lovely|kind)|what an?) /u;
/** "Should you need help, just ask", "Had I known": a condition in the form of a question. */
const condition = /^(?:should|had|were) [^,]*,/u;
/** Good manners at the end of a reply. Nothing waits for their answer, so the sentence before them counts. */
const courtesies = [
  /^(?:thanks|thank you|cheers|take your time|no rush)\b[^?]*$/u,
  /^(?:(?:please|just|and|so|feel free to|don't hesitate to|you can|always) )*(?:let me know|tell me|ask|reach out|contact me)(?:[.!]*$|\b.*\b(?:if|anything|any)\b)/u,
  /^if you (?:need|have|want|would like)\b.*\b(?:let me know|tell me|ask|help)\b/u,
  /^(?:is there )?anything else\b|^(?:do you have )?any (?:(?:other|more|further) )?questions\b/u,
  /^(?:would|do|can|could|may|shall|should|is)\b[^?]*\b(?:any|some)thing else(?: (?:i|you|for|with|today|that|to know)\b[^?]*)?\?*$/u,
  /^(?:what|how) else (?:can|could|may) i (?:do|help|assist)\b|^how (?:can|could|may) i (?:help|assist) you further\b/u,
];

/** No rule needs more of a sentence than this. */
const lengthMax = 400;

/**
 * Whether a text asks its reader something: its last sentence starts like a real question and reads as one. A question
 * mark alone is not enough ("…, right?"), and a missing one does not matter where the words are in a question's order
 * ("Which file do you mean"). Options after the question (a list, lines, "a or b?", a code block), a last sentence in
 * brackets, and closing courtesies ("Thanks!", "Is there anything else?") are looked past. Quoted lines are not ours.
 * English only. Rhetorical openers ("Who knew?") pass.
 */
export function isQuestion(text: string): boolean {
  const found = sentences(text);
  let last = found.length - 1;
  while (last > 0 && isAside(found[last])) last--;
  const final = found[last];
  if (!final || final.kind === "quote" || isCourtesy(final.text)) return false;
  if (asks(final.text)) return true;
  const question = found[beforeOptions(found, last)];
  return question?.kind === "prose" && asks(question.text);
}

function isAside(sentence: Sentence | undefined): boolean {
  if (sentence?.kind !== "prose") return false;
  const { text } = sentence;
  const isBracketed =
    /^[^\p{L}\p{N}(]*\(/u.test(text.slice(0, 20)) && /\)[.!]?$/u.test(text.trimEnd().slice(-2));
  return isBracketed || isCourtesy(text);
}

function isCourtesy(sentence: string): boolean {
  const plain = opening(sentence);
  return courtesies.some((courtesy) => courtesy.test(plain));
}

/** The place of the sentence whose options end at `last`, or -1 when these are no options. */
function beforeOptions(found: readonly Sentence[], last: number): number {
  let at = last;
  while (at > 0 && (found[at]?.kind === "item" || found[at]?.kind === "code")) at--;
  if (at < last) return at;
  const final = found[last]?.text ?? "";
  const open = !/[.!:]["')*_]*$/u.test(final.slice(-10));
  return open &&
    (/\bor\b/iu.test(final.slice(0, lengthMax)) || /^\(?(?:\d{1,2}|[a-z])[.)]/iu.test(final))
    ? last - 1
    : -1;
}

/** The sentence in lower case, without Markdown, emoji, quotes and brackets before its first word or behind its end mark. */
function opening(sentence: string): string {
  const short =
    sentence.length > lengthMax
      ? sentence.slice(0, lengthMax / 2) + sentence.slice(-lengthMax / 2)
      : sentence;
  return short
    .toLowerCase()
    .replaceAll(/[’‘]/gu, "'")
    .replaceAll(/[*_`~]/gu, "")
    .replaceAll(/\s+/gu, " ")
    .replace(/^[^\p{L}\p{N}]+/u, "")
    .replace(/[^\p{L}\p{N}?.!:…]+$/u, "")
    .replace(/(?<=[?.!:…])[^\p{L}\p{N}?.!:…]+(?=[?.!:…]*$)/u, "");
}

/** `"Who are you?" asked Ann.` */
const reportedSpeech = /^[^\p{L}\p{N}"“]*["“][^"”]*[?!.,]["”] ?\p{L}/u;

function asks(sentence: string): boolean {
  if (reportedSpeech.test(sentence.slice(0, lengthMax))) return false;
  return startsOf(opening(sentence)).some((start) => readsAsQuestion(start));
}

/** The sentence itself without lead-ins; then, if it ends with "?", what stands behind a clause that leads up to it. */
function startsOf(plain: string): string[] {
  const start = withoutLeadIns(plain);
  const result = [start];
  if (!start.endsWith("?")) return result;
  const comma = start.indexOf(", ");
  if (clauseStarts.has(firstWord(start)) && comma > 0)
    result.push(withoutLeadIns(start.slice(comma + 2)));
  for (const mark of start.matchAll(/[:;–—] ?| - /gu)) {
    const before = start.slice(0, mark.index);
    const after = withoutLeadIns(start.slice(mark.index + mark[0].length));
    // A colon may also stand before a title or a quotation.
    if (
      !mark[0].startsWith(":") ||
      /\b(?:questions?|know|ask|clarify|confirm|sure|found|are|have)\b/u.test(before)
    )
      result.push(after);
    if (result.length > 5) break;
  }
  return result;
}

function withoutLeadIns(plain: string): string {
  let rest = plain;
  for (let count = 0; count < 4; count++) {
    const word = firstWord(rest);
    const behind = /^\s*(?:[,:;!.…–—-]+\s*)?/u.exec(rest.slice(word.length))?.[0] ?? "";
    const marked = behind.trim() !== "";
    if (word === "" || !(leadIns.has(word) || (marked && leadInsWithMark.has(word)))) return rest;
    rest = rest.slice(word.length + behind.length).replace(/^[^\p{L}\p{N}]+/u, "");
  }
  return rest;
}

const firstWord = (text: string) => /^[\p{L}\p{N}']+/u.exec(text.slice(0, 40))?.[0] ?? "";

function readsAsQuestion(plain: string): boolean {
  if (request.test(plain)) return true;
  const word = firstWord(plain);
  if (!questionWords.has(word) && !auxiliaries.has(word) && !contractions.has(word)) return false;
  if (tag.test(plain)) return isInverted(plain.replace(tag, ""));
  if (!/\?[?!.…]*$/u.test(plain.slice(-20)) && !/![?]+$/u.test(plain.slice(-20)))
    return isInverted(plain);
  const rest = firstWord(plain.slice(word.length + 1));
  if (imperatives.has(word)) return rest !== "" && !objects.has(rest);
  return questionWords.has(word) || contractions.has(word) || rest !== "";
}

/** Without a question mark only the order of the words tells: the verb before its subject. */
function isInverted(plain: string): boolean {
  if (plain.endsWith("!") || title.test(plain) || condition.test(plain) || /: \S/u.test(plain))
    return false;
  const closed = plain.endsWith(".");
  const words = plain.slice(0, 200).match(/[\p{L}\p{N}'][\p{L}\p{N}'.-]*/gu) ?? [];
  const [first = "", second = ""] = words;
  if (auxiliaries.has(first)) return startsInverted(first, second, closed);
  // "What is the point." asks nobody.
  if (closed && !words.some((word) => persons.has(word))) return false;
  return contractions.has(first)
    ? subjects.has(second)
    : hasVerbBeforeSubject(first, words.slice(1));
}

function startsInverted(verb: string, subject: string, closed: boolean): boolean {
  if (speakers.has(subject)) return true;
  if (closed || !subjects.has(subject)) return false;
  return !imperatives.has(verb) || pluralSubjects.has(subject);
}

/** "which" | "file should I take": a few words may name the thing, but a subject among them ends the search. */
function hasVerbBeforeSubject(questionWord: string, words: readonly string[]): boolean {
  const takesNoun = nounTakers.has(questionWord);
  const verb = words
    .slice(0, takesNoun ? 5 : 2)
    .findIndex((word) => auxiliaries.has(word) || subjects.has(word));
  if (verb < 0 || subjects.has(words[verb] ?? "")) return false;
  const subject = words[verb + 1] ?? "";
  return subjects.has(subject) || (takesNoun && subject === "be");
}
