/** A longer wait makes a Node timer fire at once. */
const TIMER_MS_MAX = 2 ** 31 - 1;

/**
 * Waits for one step of a stream: until it settles, `signal` aborts, or `limitMs` have passed. An abort rejects with
 * the signal's reason; a step that takes too long with the error `late` makes. What the step itself comes to later is
 * dropped, so the caller must end it (credential look-ups and silent servers do not listen to an abort by themselves).
 */
export async function within<T>(
  limitMs: number,
  signal: AbortSignal,
  step: Promise<T>,
  late: () => Error,
): Promise<T> {
  // A step that fails after it was given up must not become an unhandled rejection.
  step.catch(() => {});
  signal.throwIfAborted();
  const settled = new AbortController();
  const givenUp = new Promise<never>((_resolve, reject) => {
    const timer = setTimeout(() => reject(late()), Math.min(limitMs, TIMER_MS_MAX));
    settled.signal.addEventListener("abort", () => clearTimeout(timer));
    signal.addEventListener("abort", () => reject(signal.reason), { signal: settled.signal });
  });
  try {
    return await Promise.race([step, givenUp]);
  } finally {
    settled.abort();
  }
}
