import type { Turn, TurnInput } from "./turn.types.ts";

const noUse = { calls: 0, input_tokens: 0, output_tokens: 0, estimated: false };

/** All that is true only within one turn, as it is before the first event. */
export function freshTurn(limits: Turn["limits"]) {
  return {
    budget: { retries: limits.max_retries, steps: limits.max_steps, asks: limits.max_asks },
    log: [],
    queue: [],
    called_in: "skill_call",
    questions: [],
    pending: null,
    allowed: [],
    ran: [],
    problem: null,
    return_to: "skill_call",
    mistakes: [],
    attempt: 0,
    faults: 0,
    refused: { reply: "", times: 0 },
    asked_again: false,
    ended_early: null,
    outcome: null,
    usage: { skill_call: noUse, tool_call: noUse, answer: noUse },
  } satisfies Partial<Turn>;
}

/** The turn as it is given: what the caller's state held comes along until `clear_turn` has run. */
export function startingTurn(input: TurnInput): Turn {
  return { attachment: "", ...freshTurn(input.limits), ...input };
}
