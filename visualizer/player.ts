import type { Store } from "./store.ts";

const STEP_MS = 500;

/** Goes through the recorded steps by itself. */
export class Player {
  readonly #store: Store;
  #timer: ReturnType<typeof setInterval> | undefined;

  constructor(store: Store) {
    this.#store = store;
  }

  get isPlaying(): boolean {
    return this.#timer !== undefined;
  }

  /** From the shown step on; from the first one when the last is shown. */
  toggle(): void {
    if (this.isPlaying) {
      this.stop();
      return;
    }
    this.#timer = setInterval(() => this.#next(), STEP_MS);
    this.#store.goTo(this.#store.step === this.#store.lastStep ? 0 : this.#store.step + 1);
  }

  stop(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
    this.#store.changed();
  }

  #next(): void {
    if (this.#store.step >= this.#store.lastStep) this.stop();
    else this.#store.goTo(this.#store.step + 1);
  }
}
