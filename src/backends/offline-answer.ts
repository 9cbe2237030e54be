import { signature, type Call } from "../contracts/call.ts";
import type { Contract } from "../contracts/contract.ts";
import { summary } from "../contracts/explain.ts";
import { isQuestion } from "../guardrails/question.ts";
import type { Effect, Entry, Notice } from "../session/entry.ts";
import { callFor, type Match } from "./matcher/match.ts";

/**
 * What became of the matched call, for the user: the tool's output as it is, what failed, or why it did not run.
 * Undefined when there was no match, or nothing at all became of it.
 */
export function answerTo(
  match: Match,
  log: readonly Entry[],
  reader: Contract["reader"] | undefined,
): string | undefined {
  if (match.kind === "declined") return undefined;
  const call = callFor(match);
  const wanted = [
    signature(call),
    signature({ name: "load_skill", input: { skill_name: match.skill } }),
  ];
  for (const entry of log.toReversed()) {
    if (entry.kind === "result" && signature(entry.call) === wanted[0])
      return shown(entry, log, reader);
    if (entry.kind === "failure" && wanted.includes(signature(entry.call)))
      return failureText(entry);
    const text = entry.kind === "notice" ? noticeText(entry.notice, wanted) : undefined;
    if (text !== undefined) return text;
  }
  return undefined;
}

function failureText({ call, problem, observation }: Extract<Entry, { kind: "failure" }>): string {
  const printed = observation?.output.trim() ?? "";
  return `${call.name} failed: ${printed === "" ? `${summary(problem)}.` : printed}`;
}

/** Why the call did not run, if this notice says so. */
function noticeText(notice: Notice, wanted: readonly string[]): string | undefined {
  switch (notice.code) {
    case "denied":
      return wanted.includes(signature(notice.call)) ? "Not done: you said no." : undefined;
    case "max_steps":
      return "Not done: the limit of calls for one turn is used up.";
    case "max_asks":
      return "Not done: it needs your yes, and no more questions can be asked in this turn.";
    case "max_retries":
    case "no_progress":
      return `Not done: ${summary(notice.problem)}.`;
    case "dropped":
    case "going_round":
    case "already_done":
    case "only_repeats":
      return undefined;
  }
}

/**
 * The output, in the first form that the harness reads back as it stands: an output can look like a question to the
 * user, like a call or like another speaker. A form that was refused before in this turn is not sent again.
 */
function shown(
  { call, effect, observation }: Extract<Entry, { kind: "result" }>,
  log: readonly Entry[],
  reader: Contract["reader"] | undefined,
): string {
  const { output } = observation;
  if (output.trim() === "") return emptyText(call, effect);
  const forms = [
    output,
    `${output.trimEnd()}\n\nThat was the output of ${call.name}.`,
    fenced(call.name, output),
  ];
  const refusals = log.filter(
    (entry) => entry.kind === "refusal" && entry.task === "answer",
  ).length;
  const readable = forms
    .slice(Math.min(refusals * 2, forms.length))
    .find((form) => isReadBack(form, reader));
  return (
    readable ??
    `${call.name} ran. Its output cannot be shown as an answer; it is in the transcript of this turn.`
  );
}

function emptyText({ name }: Call, effect: Effect): string {
  return effect === "read"
    ? `Nothing found: ${name} ran and printed nothing.`
    : `Done: ${name} ran and printed nothing.`;
}

function isReadBack(form: string, reader: Contract["reader"] | undefined): boolean {
  if (isQuestion(form)) return false;
  if (!reader) return true;
  const reply = reader("text");
  reply.write(form);
  const { verdict } = reply.end("stop");
  return verdict.kind === "text" && verdict.text === form.trim();
}

/** Indented and inside a fence longer than any in it, so that no line of it starts anything. */
function fenced(name: string, output: string): string {
  const ticks = (output.match(/`+/g) ?? []).reduce(
    (longest, { length }) => Math.max(longest, length),
    2,
  );
  const fence = "`".repeat(ticks + 1);
  const body = output
    .trimEnd()
    .split("\n")
    .map((line) => `  ${line}`)
    .join("\n");
  return `Output of ${name}:\n${fence}\n${body}\n${fence}`;
}
