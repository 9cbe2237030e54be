import type { HarnessEvent } from "../index.ts";

const FRAME_MS = 120;
const ERASE_LINE = "\r\u001B[K";

/** One live line on a terminal: which state, which tool, how long. Gone without a trace when the turn has ended. */
export class StatusLine {
  readonly #stream: NodeJS.WriteStream;
  readonly #startedAt = performance.now();
  readonly #timer: NodeJS.Timeout;
  #text = "starting";
  #paused = false;

  constructor(stream: NodeJS.WriteStream) {
    this.#stream = stream;
    this.#timer = setInterval(() => this.#draw(), FRAME_MS);
    this.#timer.unref();
  }

  show(event: HarnessEvent): void {
    if (event.type === "state") this.#text = event.state;
    else if (event.type === "tool_use") this.#text = `tool_use ${event.call.name}`;
    else if (event.type === "refusal") this.#text = `${event.task} refused: ${event.message}`;
    else return;
    this.#draw();
  }

  clear(): void {
    this.#stream.write(ERASE_LINE);
  }

  pause(): void {
    this.clear();
    this.#paused = true;
  }

  resume(): void {
    this.#paused = false;
  }

  stop(): void {
    clearInterval(this.#timer);
    if (!this.#paused) this.clear();
    this.#paused = true;
  }

  #draw(): void {
    if (this.#paused) return;
    const seconds = ((performance.now() - this.#startedAt) / 1000).toFixed(1);
    const width = Math.max(20, (this.#stream.columns ?? 80) - 1);
    // A line that wraps could not be erased any more.
    const line = `· ${seconds} s  ${this.#text}`.replaceAll(/\s+/g, " ").slice(0, width);
    this.#stream.write(`${ERASE_LINE}${line}`);
  }
}
