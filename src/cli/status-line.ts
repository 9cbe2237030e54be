import type { HarnessEvent } from "../index.ts";
import { terminalText } from "../terminal-text.ts";

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
    if (!this.#paused) this.#stream.write(ERASE_LINE);
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
    this.pause();
  }

  #draw(): void {
    if (this.#paused) return;
    const seconds = ((performance.now() - this.#startedAt) / 1000).toFixed(1);
    const line = terminalText(`· ${seconds} s  ${this.#text}`).replaceAll(/\s+/g, " ");
    // A line that wraps could not be erased any more. A terminal that does not know its width says 0.
    this.#stream.write(`${ERASE_LINE}${fitted(line, (this.#stream.columns || 80) - 1)}`);
  }
}

/** As much of a line as surely fits: letters of scripts that may be two columns wide are counted as two. */
function fitted(line: string, columns: number): string {
  let width = 0;
  let end = 0;
  for (const letter of line) {
    width += (letter.codePointAt(0) ?? 0) < 0x11_00 ? 1 : 2;
    if (width > columns) break;
    end += letter.length;
  }
  return line.slice(0, end);
}
