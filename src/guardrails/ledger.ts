import { type Call, signature } from "../contracts/call.ts";
import type { Effect, Entry, Notice } from "../session/entry.ts";
import { isEmptyResult } from "./empty-result.ts";

/** What became of one call of a turn. `detail` is the problem's code when it failed, else null. */
export interface LedgerLine {
  call: Call;
  effect: Effect;
  outcome: "done" | "empty" | "failed" | "denied" | "not_run";
  detail: string | null;
}

/** The harness's own tools: they change what is known in the turn, never the world. */
export const metaToolNames: ReadonlySet<string> = new Set([
  "load_skill",
  "load_skill_extension",
  "load_tool",
  "ask_user_question",
]);

/**
 * What really ran in this turn, in order, as the log has it. A call that was put off is listed as not run only if
 * the same call was not done before or after; its effect is not known then, and given as "write". An ill-formed call
 * is listed only if its tool was not called well later.
 */
export function ledger(log: readonly Entry[]): LedgerLine[] {
  const lines = log.flatMap(linesOf).filter(({ call }) => !metaToolNames.has(call.name));
  const done = new Set(lines.filter(ran).map(keyOf));
  const listed = new Set<string>();
  return lines.filter((line, index) => {
    if (line.detail === "bad_argument") return !isCorrected(line, lines.slice(index + 1));
    if (line.outcome !== "not_run") return true;
    const key = keyOf(line);
    if (done.has(key) || listed.has(key)) return false;
    listed.add(key);
    return true;
  });
}

/** Whether anything in the world can have been changed by this turn: a call that is not a mere read was done. */
export function effectsHappened(log: readonly Entry[]): boolean {
  return ledger(log).some(({ effect, outcome }) => effect !== "read" && outcome === "done");
}

const ran = ({ outcome }: LedgerLine) => outcome === "done" || outcome === "empty";

/** A call that was ill-formed had no effect; once its tool was called well, the slip says nothing to the user. */
const isCorrected = ({ call }: LedgerLine, later: readonly LedgerLine[]) =>
  later.some((line) => line.call.name === call.name && ran(line));

const keyOf = ({ call }: LedgerLine) => signature(call);

function linesOf(entry: Entry): LedgerLine[] {
  switch (entry.kind) {
    case "result": {
      const { call, effect, observation } = entry;
      return [{ call, effect, outcome: resultOutcome(effect, observation.output), detail: null }];
    }
    case "failure":
      return [
        { call: entry.call, effect: entry.effect, outcome: "failed", detail: entry.problem.code },
      ];
    case "notice":
      return linesOfNotice(entry.notice);
    case "calls":
    case "skill":
    case "refusal":
    case "question":
    case "reply":
      return [];
  }
}

/** A tool that changes something and prints nothing has succeeded, in the way of Unix; only a read came back empty. */
function resultOutcome(effect: Effect, output: string): "done" | "empty" {
  if (effect !== "read" && output.trim() === "") return "done";
  return isEmptyResult(output) ? "empty" : "done";
}

function linesOfNotice(notice: Notice): LedgerLine[] {
  switch (notice.code) {
    case "denied":
      return [{ call: notice.call, effect: "write", outcome: "denied", detail: null }];
    case "dropped":
    case "going_round":
      return notRun(notice.calls);
    case "max_steps":
      return notRun(notice.undone);
    case "already_done":
    case "only_repeats":
    case "max_asks":
    case "max_retries":
    case "no_progress":
      return [];
  }
}

const notRun = (calls: readonly Call[]): LedgerLine[] =>
  calls.map((call) => ({ call, effect: "write", outcome: "not_run", detail: null }));
