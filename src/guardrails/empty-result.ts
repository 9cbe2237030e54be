/** Longer outputs say something, whatever they begin with. */
const lengthMax = 200;

/** Whole outputs that stand for nothing, in lower case, without brackets and end marks around them. */
const emptyWords = new Set(
  (
    "null|none|nil|undefined|n/a|nothing|empty|no output|no data|no content|not found|" +
    "nothing found|nothing matched|nothing to show|nothing to list|nothing to display"
  ).split("|"),
);

/**
 * What can be counted or listed. Not errors, problems, changes or conflicts: that there are none of these is the
 * answer that was looked for.
 */
const thing =
  "(?:results?|match(?:es)?|hits?|files?|folders?|director(?:y|ies)|documents?|notes?|items?|entr(?:y|ies)|records?|rows?|lines?|" +
  "tasks?|todos?|events?|appointments?|messages?|emails?|users?|profiles?|people|contacts?|reminders?|objects?|tables?|pages?|" +
  "references?|skills?|data|output|content|text|suggestions?|elements?|values?|things?|tags?|names?)";
/** "matching text files": at most three words before or after the thing. */
const words = "(?:[\\w'*.-]+ ){0,3}";
const where =
  "(?: (?:for|in|of|on|at|under|with|within|by|named|called|matching|containing|match|that|which|to|from) [^;]+)?";
const state =
  "(?: (?:were |was |are |is |have been |has been |could be )?(?:found|returned|matched|match|available|listed|stored|present|exist|here|yet|to show|to list|to display|so far))?";

const emptyForms = [
  `(?:0|no|zero|found 0|found no|found zero|returned no|returned 0) ${words}${thing}${state}${where}`,
  `there (?:are|is|were|was) (?:no|0|currently no) ${words}${thing}${state}${where}`,
  `(?:nothing|no one|nobody|none)(?: (?:was|were))? (?:found|matched|matches|returned|available|here|yet|to show)${where}`,
  `(?:found|returned|matched) nothing${where}`,
  `(?:i |we )?(?:could not|couldn't|did not|didn't|cannot|can't) find (?:any|anything)(?: ${words}${thing})?${where}`,
  `(?:total |number of )?(?:${thing}|count|total)(?: found)? ?[:=] ?(?:0|none|\\[\\])`,
  `(?:the |this |your )?(?:[\\w'.-]+ )?(?:${thing}|list|inbox|queue|response|calendar) (?:is|are|was|were) (?:currently )?empty`,
].map((form) => new RegExp(`^${form}$`, "u"));

/** Says more than that there is nothing: another place where something is, advice, an error. */
const saysMore =
  /\bbut\b|\bhowever\b|\binstead\b|\bdid you mean\b|\berror\b|\bno such file or\b|[.!?] \S/u;

const marksAround = /^[\s()<>"'`*_.-]+|[\s()<>"'`*_.!…-]+$/gu;

/** Whether a tool's whole output says that there is nothing: blank, "[]", "null", "0 matches", "No files found." … */
export function isEmptyResult(output: string): boolean {
  const text = output.trim();
  if (text.length > lengthMax) return false;
  if (/^[\s[\]{}()"']*$/u.test(text) || isEmptyJson(text)) return true;
  const plain = text
    .toLowerCase()
    .replaceAll("’", "'")
    .replaceAll(marksAround, "")
    .replaceAll(/\s+/gu, " ");
  if (emptyWords.has(plain)) return true;
  return !saysMore.test(plain) && emptyForms.some((form) => form.test(plain));
}

const isHollow = (item: unknown) =>
  typeof item === "object" && item !== null && Object.keys(item).length === 0;
const isCount = (key: string) => /count|total|matches|results|hits|size|length|found/iu.test(key);

/** `{"results": [], "count": 0}`: at least one empty list or object, and nothing beside it but empty values and zero counts. */
function isEmptyJson(text: string): boolean {
  if (!text.startsWith("{")) return false;
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return false;
  }
  if (typeof value !== "object" || value === null) return false;
  const entries = Object.entries(value);
  return (
    entries.some(([, item]) => isHollow(item)) &&
    entries.every(
      ([key, item]) =>
        isHollow(item) || item === null || item === "" || (item === 0 && isCount(key)),
    )
  );
}
