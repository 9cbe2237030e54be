/** What bounds a turn. Every loop of the chart spends one of the three budgets, so a turn always ends. */
export interface TurnLimits {
  /** Times a refused or failed step may be tried again. */
  max_retries: number;
  /** Calls that may be executed, loading a skill included. */
  max_steps: number;
  /** Questions that may be put to the user, confirmations included. */
  max_asks: number;
}

export const defaultLimits: TurnLimits = {
  max_retries: 3, // a mistake made four times is not made right by a fifth try
  max_steps: 12, // a turn longer than this has lost its question
  max_asks: 3, // a person asked more often than this wants to be asked something else
};

/** Waits before a retry after a failure of the model service, in milliseconds: 1 s, 2 s, 4 s … unless the service says. */
export function backoffMs(faults: number, retryAfterMs: number | undefined): number {
  return Math.min(retryAfterMs ?? 1000 * 2 ** (faults - 1), 60_000);
}
