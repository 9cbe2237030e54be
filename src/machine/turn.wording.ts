import { summary } from "../contracts/explain.ts";
import type { Problem } from "../contracts/problem.ts";
import { nameList } from "../contracts/wording.ts";
import { ledger } from "../guardrails/ledger.ts";
import type { Entry } from "../session/entry.ts";

/** Put under an answer that goes on claiming something that never ran. */
export const NOTHING_RAN =
  "(Note from the harness: no tool has done this in this turn. Nothing was changed by it.)";

/** What the user is told when no answer could be made: why, and what had run by then. */
export function fallbackText(problem: Problem, log: readonly Entry[]): string {
  const why =
    problem.code === "backend" ? problem.message : `No answer could be made: ${summary(problem)}.`;
  const ran = ledger(log).map(({ call, outcome }) => `- ${nameList([call.name])}: ${outcome}`);
  return ran.length > 0 ? `${why}\nWhat was done before:\n${ran.join("\n")}` : why;
}
