import type { Call } from "./call.ts";
import type { Expects } from "./contract.ts";
import type { Problem, ProblemCode } from "./problem.ts";
import { callWords, jsonWords, scriptWords } from "./wording-call.ts";
import { replyWords } from "./wording-reply.ts";
import { answerWords, worldWords } from "./wording-world.ts";
import type { Words, WordsFor } from "./wording.ts";

/** How a problem is put to the model. */
export interface ExplainOptions {
  /** From 1. Each attempt reads differently: what did not help once will not help again. */
  attempt: number;
  expects: Expects;
  /** The contract's one right form: `Contract.format`. */
  format: (calls: readonly Call[]) => string;
  /** A call that shows the form, best with the model's own values; null where none is known. */
  example: Call | null;
}

const words: WordsFor<ProblemCode> = {
  ...answerWords,
  ...replyWords,
  ...jsonWords,
  ...callWords,
  ...scriptWords,
  ...worldWords,
};
const wordsForAnswer: WordsFor<ProblemCode> = { ...words, ...answerWords };

/**
 * The message to the model about a problem: what was wrong and where, whether anything ran, and one correct form. No
 * two attempts give the same text. What the model or a tool wrote is shown clipped, quoted and on one line.
 */
export function explain(problem: Problem, options: ExplainOptions): string {
  const said = wordsOf(problem, options.expects);
  switch (said.shows) {
    case "call":
      return explainForCall(problem, said, options);
    case "end":
      return explainForScript(said, options);
    case "words":
      return explainForAnswer(said, options.attempt);
    case "news":
      return explainNews(said, options.attempt);
  }
}

/** One clause for a person or for the ledger: lower case, no full stop. */
export function summary(problem: Problem): string {
  return wordsOf(problem, "calls").summary;
}

function wordsOf(problem: Problem, expects: Expects): Words {
  // The table's type pairs each code with its problem; TypeScript cannot follow that through a lookup.
  const say = (expects === "text" ? wordsForAnswer : words)[problem.code] as (
    problem: Problem,
  ) => Words;
  return say(problem);
}

function explainForCall(problem: Problem, said: Words, options: ExplainOptions): string {
  const { attempt, format } = options;
  const call =
    options.example ?? (problem.code === "bad_argument" ? problem.example : null) ?? null;
  const form = format(call ? [call] : []);
  const effect = said.effect ?? "Nothing ran.";
  if (attempt <= 1) {
    const lead = call
      ? "Write it like this:"
      : "If no call is needed, write exactly this; else put the call into the list:";
    return `${said.fault} ${effect} ${said.fix} ${lead}\n${form}`;
  }
  if (attempt === 2) {
    const lead = call
      ? "Copy this form, with nothing around it:"
      : "Copy this form; put a call into its list if one is needed:";
    return `Refused again: ${said.summary}. ${effect} ${lead}\n${form}`;
  }
  return `Attempt ${attempt}. Write only this${call ? "" : ", or the same with a call in it"}:\n${form}`;
}

function explainForScript(said: Words, { attempt, format }: ExplainOptions): string {
  const form = format([]);
  if (attempt <= 1) return `${said.fault} ${said.fix} To go on without it, write:\n${form}`;
  if (attempt === 2) {
    return `It failed again: ${said.summary}. Try another tool or another input, or go on without it:\n${form}`;
  }
  return `Attempt ${attempt} failed too. Write only this:\n${form}`;
}

function explainForAnswer(said: Words, attempt: number): string {
  if (attempt <= 1) return `${said.fault} ${said.fix}`;
  if (attempt === 2)
    return `Not yet right: ${said.summary}. ${said.fix} Two or three plain sentences are enough.`;
  return `Attempt ${attempt}. Answer in one plain sentence, and say honestly what could not be done.`;
}

function explainNews(said: Words, attempt: number): string {
  if (attempt <= 1) return `${said.fault} ${said.fix}`;
  return attempt === 2
    ? `Once more. ${said.fault} ${said.fix}`
    : `Attempt ${attempt}. ${said.fault} ${said.fix}`;
}
