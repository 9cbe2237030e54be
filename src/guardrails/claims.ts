/**
 * What an answer says about its own doings. Precision first: a false alarm costs the model a retry, so a sentence that
 * could be a report about others, about the past, or about a text the model has written into its answer, passes.
 * English only.
 */
import { type Sentence, sentences } from "./sentences.ts";

/** What changes something outside the answer. Words of many meanings ("made", "set") only count with an object. */
const changed =
  "(?:created|deleted|removed|saved|stored|updated|renamed|moved(?! (?:to|on|by|away|out)\\b)|" +
  "copied|edited|modified|changed|added(?! (?:\\d|up\\b))|appended|inserted|replaced|" +
  "sent|posted|submitted|published|uploaded|scheduled|booked|cancelled|canceled|archived|restored|installed|uninstalled|" +
  "registered|overwritten|overwrote|recorded|enabled|disabled|erased|merged|committed|pushed|cleared|emptied|reset|" +
  "written to|wrote to|set (?:a|an|the|your) (?:\\w+ )?(?:reminder|alarm|timer|title|status|deadline|value|option)|" +
  "marked (?:[\\w' .-]{1,40} )?as|made (?:the|your|all|these|those|both) (?:\\w+ )?(?:changes?|edits?|updates?|corrections?)|" +
  "made a (?:note|copy|backup|file|folder))";
const base =
  "(?:create|delete|remove|save|store|update|rename|move|copy|edit|modify|change|add|append|insert|replace|send|post|submit|" +
  "publish|upload|schedule|book|cancel|archive|restore|install|register|overwrite|record|enable|disable|erase|merge|commit|push|clear)";
/** `name` stands for whatever was quoted or looks like a file name. */
const noun =
  "(?:notes?|files?|folders?|director(?:y|ies)|documents?|entr(?:y|ies)|records?|reminders?|tasks?|todos?|items?|events?|" +
  "appointments?|messages?|emails?|mails?|changes?|edits?|lists?|titles?|settings?|copy|backup|draft|profile|account|name)";
const the =
  "(?:the|your|this|that|these|those|a|an|new|all|both|everything|it|they|them|name|\\d{1,6})";
const adverbs = "(?:(?:now|just|also|then|all|successfully|finally|permanently|safely) )*";
const clauseEnd = "(?= ?(?:[.!,;:—–-]|$))";
const adjuncts = `(?: (?:successfully|now|for you|permanently|as requested|as you (?:asked|wanted|requested)|too|as well))*${clauseEnd}`;

/** "the note", "your old file called name", "it". */
const subject = `${the}(?: (?:[\\w'-]+ ){0,3}${noun})?(?: (?:called|named))?(?: name)?`;

/** These stand at the beginning of a clause. */
const claim = atStart([
  `(?:i|we)(?:'ve| have)? ${adverbs}(?:gone ahead and |went ahead and )?${changed}\\b`,
  `(?:i|we) ${adverbs}(?:(?:was|were|have been) able to|managed to) ${base}\\b`,
  `${subject} (?:has|have|'s|'ve) ${adverbs}been ${adverbs}${changed}\\b`,
  `${subject} (?:was|were|is now|are now) ${adverbs}${changed}${adjuncts}`,
  // "is" may also tell how things are; of the user's own things, these words hardly do.
  `your (?:[\\w'-]+ ){0,3}${noun}(?: (?:called|named))?(?: name)? (?:is|are) (?:saved|stored|created|deleted|removed|sent|updated|renamed|booked)${adjuncts}`,
  "here(?:'s| is) what i (?:(?:have|'ve) )?(?:did|done|changed|created|deleted|updated)\\b",
]);
/** So do these, but in a list they may as well be what a file says. */
const claimWithoutSpeaker = atStart([
  `${adverbs}${changed} (?:(?:to|into|in) )?${the}\\b`,
  `(?:(?:the|your|new) )?${noun} ${adverbs}${changed}${adjuncts}`,
]);

function atStart(forms: readonly string[]): RegExp {
  return new RegExp(`^(?:${forms.join("|")})`, "u");
}

/** The end of an answer that claims nothing else, as a whole. */
const onlyDone = /^(?:(?:all|it is|it's|that's|that is|everything is) )?(?:done|taken care of)$/u;

/** Words that may stand before the claim. */
const openers =
  /^(?:(?:done|ok|okay|sure|great|good news|perfect|alright|all set|all done|yes|yep|and|so|then|also|now|certainly|of course|absolutely|finally|there you go|here you go|as requested|got it)\b ?[,.:;!—–-]* ?|(?:success|note|update)[.:!] ?)*/u;

/** A sentence with one of these says it of others, of the past, of what might be, or says that it was not so. */
const notNow =
  /\b(?:not|never|no|none|nothing|nobody|neither|nor|without|unable|failed|cannot|if|unless|until|whether|would|could|should|might|may|once|when|before|after|says?|said|states?|shows?|reports?|reported|reads?|according|yesterday|ago|previously|originally|earlier|already|last (?:week|month|year|time|turn|night|session)|by (?!(?:name|mistake|the name|\d|adding|removing|using|default)\b)\w+|example|e\.g|imagine|suppose|pretend)\b|n't\b|\b(?:in|since|on) (?:19|20)\d\d\b/u;
/** What a model makes inside its own answer. "Created a poem" only counts when it names a place as well. */
const ownText =
  /\b(?:poem|haiku|limerick|stor(?:y|ies)|joke|riddle|summary|table|list|outline|plan|draft|example|recipe|explanation|answer|response|reply|overview|version|sentences?|paragraph|code|function|script|comparison|itinerary|schedule|essay|song|translation|understanding|numbers?|sum|values|wording)\b/u;
const place =
  /\bname\b|\b(?:file|folder|note|notes|directory|document|calendar|inbox|database|disk)\b|\b(?:to|from) (?:your|the) (?:\w+ )?list\b/u;
const shownHere = /\b(?:below|above|here)\b|:$/u;

/** No rule looks at more of a sentence than this; hardly a claim is longer. */
const lengthMax = 400;

/** The first sentence in which the speaker claims to have changed something just now; null if there is none. */
export function claimedEffect(answer: string): string | null {
  const found = sentences(answer).filter(({ kind }) => kind === "prose" || kind === "item");
  const [only] = found;
  if (found.length === 1 && only && onlyDone.test(plainOf(only.text).replace(/[.!\s]+$/u, "")))
    return only.text;
  return found.find((sentence) => claimsEffect(sentence))?.text ?? null;
}

function claimsEffect({ kind, text }: Sentence): boolean {
  const plain = plainOf(text);
  if (plain.endsWith("?") || notNow.test(plain)) return false;
  if (ownText.test(plain) && !place.test(plain)) return false;
  if (shownHere.test(plain) && ownText.test(plain)) return false;
  return clauses(plain).some(
    (clause) =>
      claim.test(clause) ||
      (kind === "prose" && claimWithoutSpeaker.test(clause) && !clause.endsWith(":")),
  );
}

/** The parts of a sentence in which a claim may begin. */
function clauses(plain: string): string[] {
  const starts = [
    0,
    ...[...plain.matchAll(/(?:[,;:!.—–]| -) (?:(?:and|so|but|then) )?|\band /gu)].map(
      ({ index, 0: mark }) => index + mark.length,
    ),
  ];
  return starts.slice(0, 12).map((start) => plain.slice(start).replace(openers, ""));
}

/** Lower case, without Markdown and emoji; what is quoted, and every file name, becomes the word "name" or vanishes. */
function plainOf(text: string): string {
  return text
    .slice(0, lengthMax)
    .replaceAll(/[’‘]/gu, "'")
    .replaceAll(
      /"([^"]*)"|“([^”]*)”|«([^»]*)»|`([^`]*)`|(?<=^|\s)'([^']*)'(?=$|[\s.,!])/gu,
      (quoted: string) => (isName(quoted.slice(1, -1)) ? "name" : "…"),
    )
    .replaceAll(/[*_~]/gu, "")
    .replaceAll(/[\w/-]+\.[a-zA-Z]\w{0,4}\b/gu, "name")
    .replaceAll(/[\p{Extended_Pictographic}\uFE0F]/gu, "")
    .replaceAll(/\s+/gu, " ")
    .trim()
    .toLowerCase();
}

/** A quotation of a few words without an end mark is the name of something; any other is what someone said. */
const isName = (quoted: string) => quoted.split(/\s+/u).length <= 5 && !/[.!?]$/u.test(quoted);

const actions =
  "(?:read|check|look|see|open|search|find|list|load|fetch|get|retrieve|call|query|review|start|begin|proceed|examine|" +
  "inspect|access|scan|verify|run|execute|gather|pull up|take a look|go ahead|" +
  `use the [\\w' -]{1,40}(?:tool|skill|function|script)|${base})`;
const doing =
  "(?:reading|checking|looking|opening|searching|listing|loading|fetching|retrieving|calling|querying|running|" +
  "creating|deleting|updating|saving)";
const announcer =
  "(?:i'll|i will|i shall|i am going to|i'm going to|i'm about to|i am about to|i need to|i have to|i must|" +
  "let me|let us|let's|allow me to|we need to|we will|we'll)";
const soon =
  "(?:(?:now|first|just|quickly|then|next|also|go ahead and|start by|begin by|need to|have to|try to) )*";
const announcements = [
  `${announcer} ${soon}${actions}\\b`,
  `${announcer}(?: now)?(?: do the following)?:$`,
  `(?:i am|i'm) (?:now |just )?${doing}\\b`,
  `(?:now )?${doing} (?:for|into|in|at|up|through|${the})\\b.*(?:now|…|\\.\\.\\.)[.!]?$`,
];
const before = "(?:(?:first|next|now|then|to do (?:this|that|so)|for (?:this|that)),? )?";
const announcing = atStart(announcements.map((form) => before + form));
const step = atStart([`${actions}\\b`]);
const filler =
  /^(?:(?:ok|okay|sure|sure thing|certainly|of course|absolutely|great|alright|yes|no problem|got it|understood|one moment|just a moment|one second|hold on|wait|please|a moment|give me a moment|hello|hi|there|thanks|thank you|for asking|for your patience|right away|on it)\b[\s,!.…—–-]*)+$/u;
/** An offer that waits for a word of the user, or something said as well. */
const offered =
  /\b(?:if|once|when|unless|until|after|would you|you want|you like|but|because|tomorrow|later|unfortunately)\b|: ?\S|=/u;
const announcementLengthMax = 1_000;

/**
 * The first sentence that announces an action, when the whole answer consists of announcing ("I will now read the
 * plan note.", "Let me check that for you."): nothing in an answer can run, so the action never comes. Else null.
 */
export function announcement(answer: string): string | null {
  if (answer.length > announcementLengthMax) return null;
  const found = sentences(answer);
  const first = found.findIndex((sentence) => announces(sentence));
  if (first < 0) return null;
  const hasSteps = opensSteps.test(plainOf(found[first]?.text ?? ""));
  const onlyThat = found.every(
    (sentence, index) =>
      announces(sentence) ||
      filler.test(plainOf(sentence.text)) ||
      (hasSteps && index > first && isStep(sentence)),
  );
  return onlyThat ? (found[first]?.text ?? null) : null;
}

/** "Let me list the notes:" also ends in a colon, but what follows it is the list. */
const opensSteps = /(?:will|i'll|to|me|started|start|begin|proceed|following|now|steps)\s*:$/u;
const isStep = ({ kind, text }: Sentence) => kind === "item" && step.test(plainOf(text));

function announces({ kind, text }: Sentence): boolean {
  if (kind !== "prose" && kind !== "item") return false;
  const plain = plainOf(text).replace(openers, "");
  return !plain.endsWith("?") && !offered.test(plain) && announcing.test(plain);
}
