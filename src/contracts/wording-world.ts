import type { BackendFault } from "./problem.ts";
import { quoted } from "./quote.ts";
import { notationOf } from "./wording-reply.ts";
import { oneLine, type WordsFor } from "./wording.ts";

const BACKEND: Record<BackendFault, string> = {
  auth: "the model service refused the credentials",
  access: "the model service denied access to the model",
  throttled: "the model service is throttled",
  unavailable: "the model service is unavailable",
  network: "the model service could not be reached",
  timeout: "the model service did not reply in time",
  bad_request: "the model service refused the request",
  context_too_long: "the conversation is too long for the model",
  not_found: "the model was not found",
  quota: "the quota of the model service is used up",
  cut_stream: "the model service ended its reply too early",
  bad_stream: "the model service sent a reply that could not be read",
  script_used_up: "the scripted model has no reply left",
  declined: "the request to the model was declined",
  unknown: "the model service failed",
};

/** What the world, or the harness itself, did. */
export const worldWords: WordsFor<"backend" | "internal"> = {
  backend: ({ fault, message }) => ({
    summary: BACKEND[fault],
    fault:
      message === ""
        ? "The model service failed."
        : `The model service failed: ${oneLine(message, 200)}.`,
    fix: "Tell the user honestly what could not be done.",
    shows: "news",
  }),
  internal: ({ name, message }) => ({
    summary: `a fault inside the harness: ${oneLine(`${name}: ${message}`, 160)}`,
    fault: `The harness itself failed: ${oneLine(`${name}: ${message}`, 160)}.`,
    fix: "Tell the user honestly what could not be done.",
    shows: "news",
  }),
};

type AnswerCode =
  | "empty"
  | "cut_off"
  | "filtered"
  | "degenerate"
  | "foreign_syntax"
  | "schema_echo"
  | "block_in_answer"
  | "claimed_effect"
  | "announced_only";

/** What is wrong with an answer. */
export const answerWords: WordsFor<AnswerCode> = {
  empty: () => ({
    summary: "the answer was empty",
    fault: "Your answer was empty.",
    fix: "Write the answer for the user in plain words.",
    shows: "words",
  }),
  cut_off: ({ inside }) => ({
    summary:
      inside === "thinking"
        ? "the answer was cut off inside the thinking"
        : "the answer was cut off",
    fault:
      inside === "thinking"
        ? "Your thinking was cut off before an answer came."
        : "Your answer was too long and was cut off.",
    fix:
      inside === "thinking"
        ? "Think less and write the answer."
        : "Write a shorter answer that is complete.",
    shows: "words",
  }),
  filtered: () => ({
    summary: "the model service withheld the answer",
    fault: "Your answer was withheld by the service's content filter.",
    fix: "Write another one that leaves out what may have caused it.",
    shows: "words",
  }),
  degenerate: ({ phrase }) => ({
    summary: `the answer repeated ${quoted(phrase)} over and over`,
    fault: `You wrote ${quoted(phrase)} over and over, so the answer was stopped.`,
    fix: "Say each thing once.",
    shows: "words",
  }),
  foreign_syntax: ({ syntax }) => ({
    summary: `the answer held a tool call as ${notationOf(syntax)}`,
    fault: `Your answer held a tool call as ${notationOf(syntax)}. No tool can run in this step, so it did not run.`,
    fix: "Answer the user in plain words.",
    shows: "words",
  }),
  schema_echo: () => ({
    summary: "the answer repeated the description of a tool",
    fault: "Your answer was the description of a tool.",
    fix: "Answer the user in plain words.",
    shows: "words",
  }),
  block_in_answer: () => ({
    summary: "the answer held a tool call",
    fault: "Your answer held a tool call. No tool can run in this step, so it did not run.",
    fix: "Answer the user in plain words, from the results there are.",
    shows: "words",
  }),
  claimed_effect: ({ claim }) => ({
    summary: `the answer claimed something that did not happen: ${quoted(claim)}`,
    fault: `You wrote ${quoted(claim)}, but no tool that changes anything ran.`,
    fix: "Answer again and say only what really happened.",
    shows: "words",
  }),
  announced_only: ({ announcement }) => ({
    summary: `the answer only announced something: ${quoted(announcement)}`,
    fault: `You wrote ${quoted(announcement)}, but nothing runs after the answer.`,
    fix: "Answer now with what you know, or say what you could not do.",
    shows: "words",
  }),
};
