import { type Call, signature } from "../contracts/call.ts";
import type { Effect } from "../session/entry.ts";

/** A call that ran in this turn, or that the user said no to; oldest first in every list. */
export interface Ran {
  signature: string;
  effect: Effect | "denied";
}

/**
 * Whether the same call ran already and nothing since can have changed its answer: after another call that writes,
 * reading again is new. A call's own write does not count, or every write would be free to run twice. A no of the user
 * holds for the whole turn, whatever happens after it.
 */
export function isRepeat(call: Call, ran: readonly Ran[]): boolean {
  const wanted = signature(call);
  if (ran.some((earlier) => earlier.effect === "denied" && earlier.signature === wanted))
    return true;
  for (const earlier of ran.toReversed()) {
    if (earlier.signature === wanted) return true;
    if (earlier.effect === "write" || earlier.effect === "destructive") return false;
  }
  return false;
}

/** Longer cycles are left to the turn's budget of steps. */
const cycleLengthMax = 5;

/**
 * Whether the calls, with `next` appended, end in a cycle of 2 to 5 calls gone through twice in full (A-B-A-B),
 * whatever their effects: two writes that undo each other never count as a repeat, and still lead nowhere.
 * A cycle of length 1 (A-A) is `isRepeat`'s, which knows when running the same call again is worth while; so a cycle
 * whose calls are all the same one is not counted here either.
 */
export function isGoingRound(next: Call, ran: readonly Ran[]): boolean {
  const recent = ran.slice(-2 * cycleLengthMax).map((earlier) => earlier.signature);
  const signatures = [...recent, signature(next)];
  for (let length = 2; length <= cycleLengthMax; length++) {
    const last = signatures.slice(-length);
    const before = signatures.slice(-2 * length, -length);
    if (before.length < length || new Set(last).size === 1) continue;
    if (last.every((item, index) => item === before[index])) return true;
  }
  return false;
}
