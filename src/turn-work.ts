import { fromPromise } from "xstate";
import { HarnessError } from "./errors.ts";
import { outcomeFault } from "./journal/outcome-fault.ts";
import type { ActorName, StandInName } from "./journal/record.ts";
import type { TurnSnapshot } from "./machine/turn.machine.ts";
import type { Turn } from "./machine/turn.types.ts";
import type { Recorder } from "./recorder.ts";

/** What an actor gives back without doing its work, and who says so. */
export interface StandIn {
  output: unknown;
  by: StandInName;
}

/** Where a caller can hold a turn, and put something in an actor's place. */
export interface Seams {
  pause: ((signal: AbortSignal) => Promise<void>) | undefined;
  standIn:
    | ((asked: { of: ActorName; turn: Turn }, signal: AbortSignal) => Promise<StandIn | null>)
    | undefined;
}

/** Does an actor's own work, unless something stands in for it. */
export type Own<Output> = (work: () => Promise<Output>) => Promise<Output>;

type Act<Input, Output> = (input: Input, signal: AbortSignal, own: Own<Output>) => Promise<Output>;

/** One actor at work. */
interface Job {
  of: ActorName;
  signal: AbortSignal;
  by: StandInName | null;
}

interface WorkOptions {
  recorder: Recorder;
  seams: Seams;
  /** Where the turn is. */
  snapshot: () => TurnSnapshot;
}

/** What the actors of one turn are doing. XState aborts the work of a state that was left, and does not wait for it. */
export class Work {
  readonly #stopped = new AbortController();
  readonly #aborted = new AbortController();
  readonly #running = new Set<Promise<void>>();
  readonly #options: WorkOptions;
  /** True between the record of an outcome and the machine's step for it; nothing may come between the two. */
  isActing = false;
  #isHeldAtStart: boolean;
  #crash: { error: unknown } | undefined;
  #pauseFault: { error: unknown } | undefined;

  constructor(options: WorkOptions) {
    this.#options = options;
    this.#isHeldAtStart = options.seams.pause !== undefined;
  }

  /** Makes an actor of a function. Its signal also fires when the machine itself breaks, which XState does not pass on. */
  port<Output, Input>(of: (input: Input) => ActorName, act: Act<Input, Output>) {
    return fromPromise<Output, Input>(async ({ input, signal: left }) => {
      const signal = AbortSignal.any([left, this.#stopped.signal]);
      const job: Job = { of: of(input), signal, by: null };
      const result = this.#recorded(job, this.#begun(job, input, act));
      const settled = this.#settle(result, signal);
      this.#running.add(settled);
      await settled;
      this.#running.delete(settled);
      return result;
    });
  }

  /** An abort has come. It ends every waiting, and nothing new begins; the machine may have to take an outcome first. */
  abort(): void {
    this.#aborted.abort();
  }

  /** Lets the actor begin: at once, where nobody holds the turn or ends it. */
  #begun<Output, Input>(job: Job, input: Input, act: Act<Input, Output>): Promise<Output> {
    const { standIn } = this.#options.seams;
    const own: Own<Output> = standIn
      ? (work) => this.#instead(job, work, standIn)
      : (work) => work();
    const isFree = !this.#isHeldAtStart && !this.#aborted.signal.aborted && !this.#pauseFault;
    return isFree
      ? act(input, job.signal, own)
      : this.#freed(job, () => act(input, job.signal, own));
  }

  async #freed<Output>({ signal }: Job, begin: () => Promise<Output>): Promise<Output> {
    if (this.#isHeldAtStart) {
      this.#isHeldAtStart = false;
      await this.#held(signal);
    }
    if (this.#pauseFault) throw this.#pauseFault.error;
    if (this.#aborted.signal.aborted) await untilAborted(signal);
    signal.throwIfAborted();
    return begin();
  }

  /** What stands in for the actor or, if there is nothing, what the actor itself gives. */
  async #instead<Output>(
    job: Job,
    work: () => Promise<Output>,
    standIn: NonNullable<Seams["standIn"]>,
  ): Promise<Output> {
    const { of, signal } = job;
    const snapshot = this.#options.snapshot();
    const given = await orAborted(standIn({ of, turn: snapshot.context }, signal), signal);
    if (given === null) return work();
    const fault = outcomeFault(snapshot, of, given.output);
    if (fault !== null)
      throw new HarnessError("usage", `what stands in for ${of} cannot be: ${fault}`);
    job.by = given.by;
    return (given.output ?? undefined) as Output;
  }

  /** The same result, once it is in the journal. What comes after the state was left is nobody's. */
  async #recorded<T>(job: Job, result: Promise<T>): Promise<T> {
    const { recorder, seams } = this.#options;
    const { of, signal } = job;
    try {
      await result;
    } catch (error) {
      const isOfPause = this.#pauseFault?.error === error;
      if (!signal.aborted && !isOfPause && !(error instanceof HarnessError)) {
        recorder.crash(of, error);
        this.isActing = true;
        if (seams.pause) await this.#held(signal);
      }
      throw error;
    }
    signal.throwIfAborted();
    recorder.outcome(of, await result, job.by);
    this.isActing = true;
    if (seams.pause) await this.#held(signal);
    return result;
  }

  /** Waits until the turn may go on. A bug of whoever holds it lets no further actor begin and is thrown on at the end. */
  async #held(left: AbortSignal): Promise<void> {
    const { pause } = this.#options.seams;
    if (!pause || this.#pauseFault) return;
    const signal = AbortSignal.any([left, this.#aborted.signal]);
    try {
      await orAborted(pause(signal), signal);
    } catch (error) {
      if (signal.aborted) return;
      this.#pauseFault = { error };
      this.#crash ??= { error };
    }
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

/** The promise's value; rejects as soon as the signal aborts, whether or not the promise heeds it. */
function orAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return Promise.race([promise, untilAborted(signal)]);
}

/** Rejects with the signal's reason once it aborts. */
function untilAborted(signal: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) => {
    const abort = () => reject(signal.reason);
    if (signal.aborted) abort();
    else signal.addEventListener("abort", abort, { once: true });
  });
}
