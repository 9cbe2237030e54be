import { fromPromise } from "xstate";
import { HarnessError } from "./errors.ts";
import type { ActorName } from "./journal/record.ts";
import type { Recorder } from "./recorder.ts";

/** What the actors of one turn are doing. XState aborts the work of a state that was left, and does not wait for it. */
export class Work {
  readonly #stopped = new AbortController();
  readonly #running = new Set<Promise<void>>();
  readonly #recorder: Recorder;
  /** True between the record of an outcome and the machine's step for it; nothing may come between the two. */
  isActing = false;
  #crash: { error: unknown } | undefined;

  constructor(recorder: Recorder) {
    this.#recorder = recorder;
  }

  /** Makes an actor of a function. Its signal also fires when the machine itself breaks, which XState does not pass on. */
  port<Output, Input>(
    of: (input: Input) => ActorName,
    act: (input: Input, signal: AbortSignal) => Promise<Output>,
  ) {
    return fromPromise<Output, Input>(async ({ input, signal: left }) => {
      const signal = AbortSignal.any([left, this.#stopped.signal]);
      const result = this.#recorded(of(input), act(input, signal), signal);
      const settled = this.#settle(result, signal);
      this.#running.add(settled);
      await settled;
      this.#running.delete(settled);
      return result;
    });
  }

  /** The same result, once it is in the journal. What comes after the state was left is nobody's. */
  async #recorded<T>(of: ActorName, result: Promise<T>, signal: AbortSignal): Promise<T> {
    try {
      await result;
    } catch (error) {
      if (!signal.aborted && !(error instanceof HarnessError)) this.#recorder.crash(of, error);
      throw error;
    }
    signal.throwIfAborted();
    this.#recorder.outcome(of, await result);
    this.isActing = true;
    return result;
  }

  async #settle(result: Promise<unknown>, signal: AbortSignal): Promise<void> {
    try {
      await result;
    } catch (error) {
      if (!signal.aborted) this.#crash ??= { error };
    }
  }

  /** Lets an observer look. XState would throw its bug into whoever sent the event, so it is kept for the end. */
  watch(look: () => void): void {
    try {
      look();
    } catch (error) {
      this.#crash ??= { error };
    }
  }

  /** Resolves when nothing runs any more. A bug in an actor or observer is thrown on from here, with its own stack. */
  async ended(): Promise<void> {
    await Promise.all(this.#running);
    if (this.#crash) throw this.#crash.error;
  }

  stop(): void {
    this.#stopped.abort();
  }
}
