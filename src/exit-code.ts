import type { Turn } from "./machine/turn.types.ts";

/**
 * The exit code that a turn's end stands for, the same on the command line and in the `result` event:
 * 0 answered · 1 no answer (model or internal error) · 3 configuration or credentials · 4 needs input ·
 * 5 a limit ended the turn · 6 the user refused a call · 130 stopped by Ctrl-C · 143 by SIGTERM.
 * (2, wrong usage, is the command line's alone.)
 */
export function exitCodeOf(turn: Pick<Turn, "outcome" | "log">): number {
  const { outcome } = turn;
  switch (outcome?.kind) {
    case "answered": {
      if (outcome.ended_early) return 5;
      return turn.log.some((entry) => entry.kind === "notice" && entry.notice.code === "denied")
        ? 6
        : 0;
    }
    case "fallback": {
      const { problem } = outcome;
      return problem.code === "backend" &&
        ["auth", "access", "not_found", "quota"].includes(problem.fault)
        ? 3
        : 1;
    }
    case "needs_input":
      return 4;
    case "stopped":
      return { user: 130, terminate: 143, timeout: 5 }[outcome.by];
    case undefined:
      return 1;
  }
}
