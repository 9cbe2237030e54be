import { explain } from "../contracts/explain.ts";
import { quoted } from "../contracts/quote.ts";
import { isEmptyResult } from "../guardrails/empty-result.ts";
import type { Entry } from "../session/entry.ts";
import { clipOutput } from "./clip.ts";
import { correctionOf } from "./correction.ts";
import { callLine } from "./notice.ts";
import type { PromptKit } from "./prompts.ts";
import { render } from "./render.ts";

type Mark = (output: string) => string;

/** What the model is shown of a call that ran. */
export function resultText(
  { call, effect, observation }: Extract<Entry, { kind: "result" }>,
  mark: Mark,
  { prompts }: Pick<PromptKit, "prompts">,
): string {
  const isSilent = observation.output.trim() === "";
  // Silence after a look means nothing is there; after a change it means that all went well.
  if (effect === "read" && isEmptyResult(observation.output)) {
    const printed = isSilent
      ? "the output is empty"
      : `it printed ${quoted(observation.output.trim())}`;
    return render(prompts.empty_result, { call: callLine(call), printed });
  }
  if (isSilent) return render(prompts.silent_result, { call: callLine(call) });
  const output = clipOutput(observation.output.trimEnd());
  return render(prompts.result, { call: callLine(call), output, mark: mark(output) });
}

/** What the model is shown of a call that failed: what it printed and, unless the turn gave up on it, what to do. */
export function failureText(
  { call, problem, attempt, observation }: Extract<Entry, { kind: "failure" }>,
  isOver: boolean,
  mark: Mark,
  { prompts, contract, skills }: Pick<PromptKit, "prompts" | "contract" | "skills">,
): string {
  const example = correctionOf(call, problem, skills);
  const why = isOver
    ? ""
    : explain(problem, { attempt, example, expects: "calls", format: contract.format });
  const output = clipOutput(observation?.output.trim() ?? "");
  if (output === "") return why;
  const printed = render(prompts.failure, { call: callLine(call), output, mark: mark(output) });
  return why === "" ? printed : `${printed}\n${why}`;
}

/**
 * Whether the turn gave up on the problem at `index` before the model was asked again: then the notice that follows says
 * what went wrong, and a form to copy would only stand in the way of the answer.
 */
export function isGivenUp(log: readonly Entry[], index: number): boolean {
  const entry = log[index];
  const next = log.slice(index + 1).find((later) => !isDropped(later));
  if (!entry || !("problem" in entry) || next?.kind !== "notice") return false;
  const { notice } = next;
  return (
    (notice.code === "max_retries" || notice.code === "no_progress") &&
    // A service that failed in between has seen the correction already: what was sent stays.
    notice.problem.code === entry.problem.code
  );
}

const isDropped = (entry: Entry) => entry.kind === "notice" && entry.notice.code === "dropped";
