/** A page that is loaded again is back by then. In milliseconds. */
const RELOAD_MAX = 2000;

/** How many pages there are. Tells when the last one has left for good. */
export class PageCount {
  readonly #onEmpty: () => void;
  #pages = 0;
  #leaving: NodeJS.Timeout | null = null;
  #isStopped = false;

  constructor(onEmpty: () => void) {
    this.#onEmpty = onEmpty;
  }

  came(): void {
    this.#pages += 1;
    this.#stay();
  }

  left(): void {
    this.#pages -= 1;
    if (this.#pages > 0 || this.#isStopped) return;
    this.#leaving = setTimeout(this.#onEmpty, RELOAD_MAX);
  }

  /** Nothing is told any more. */
  stop(): void {
    this.#isStopped = true;
    this.#stay();
  }

  #stay(): void {
    if (this.#leaving) clearTimeout(this.#leaving);
    this.#leaving = null;
  }
}
