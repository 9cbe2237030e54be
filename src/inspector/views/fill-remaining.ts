import type { FoldedTurn } from "../../journal/fold.ts";
import { loadRemaining } from "./load-remaining.ts";
import type { StepView } from "../protocol.ts";
import type { RunViews } from "./run-views.ts";

type Known = Awaited<ReturnType<typeof loadRemaining>>;

// A proof takes seconds, and says the same about every turn within the same limits.
const proofs = new Map<string, Promise<void>>();
const known = new Map<string, Known>();

const keyOf = ({ input }: FoldedTurn): string => JSON.stringify(input.limits);

/** Resolves once all turns of a run are proved. The figures are an extra: a proof that breaks leaves them out. */
export async function proveRemaining({ folded }: RunViews): Promise<void> {
  await Promise.all(folded.turns.map(proofOf));
}

function proofOf(turn: FoldedTurn): Promise<void> {
  const key = keyOf(turn);
  const proof =
    proofs.get(key) ??
    loadRemaining(turn.input.limits).then(
      (remainingIn) => void known.set(key, remainingIn),
      () => undefined,
    );
  proofs.set(key, proof);
  return proof;
}

/**
 * Fills in what can still come at most after each step from this one on, as far as it is proved by now; gives back the ones
 * that were filled, with their places.
 */
export function fillRemaining(
  run: RunViews,
  from = 0,
): [step: number, remaining: StepView["remaining"]][] {
  const filled: [number, StepView["remaining"]][] = [];
  for (let index = from; index < run.views.length; index++) {
    const [view, place] = [run.views[index], run.at(index)];
    if (!view || !place || view.remaining) continue;
    view.remaining = known.get(keyOf(place.turn))?.(place.snapshot) ?? null;
    if (view.remaining) filled.push([index, view.remaining]);
  }
  return filled;
}
