import { createInterface, type Interface } from "node:readline";
import type { Readable, Writable } from "node:stream";
import type { AskUserInput, AskUserOutput, PendingQuestion } from "../machine/turn.types.ts";
import { terminalText } from "../terminal-text.ts";

/** Something that can put a question to a person. */
export interface Asker {
  ask: (input: AskUserInput, signal: AbortSignal) => Promise<AskUserOutput>;
  /** Lets go of the input, so that the process can end. */
  close: () => void;
}

/** A person who gives three replies that are none has walked away from the keyboard. */
const TRIES_MAX = 3;

/** For a run without a person: every question ends the turn as "needs input". */
export const nobody: Asker = { ask: () => Promise.resolve({ kind: "no_reply" }), close: () => {} };

/**
 * Asks line by line on injected streams. One reader for the whole run: lines typed ahead of a question are kept for it.
 * The end of the input is "no reply".
 */
export function createAsker(streams: { input: Readable; output: Writable }): Asker {
  let lines: LineReader | undefined;
  return {
    async ask({ pending }, signal) {
      lines ??= new LineReader(streams.input);
      streams.output.write(`${terminalText(pending.question)}\n`);
      for (let tries = 0; tries < TRIES_MAX; tries++) {
        if (tries > 0 && pending.kind === "confirm")
          streams.output.write("Type y for yes or n for no.\n");
        streams.output.write(pending.kind === "confirm" ? "[y/N] " : "> ");
        const line = await nextLine(lines, streams.output, signal);
        if (line === null) return { kind: "no_reply" };
        const reply = replyIn(line, pending);
        if (reply) return reply;
      }
      return pending.kind === "confirm" ? { kind: "no" } : { kind: "no_reply" };
    },
    close: () => lines?.close(),
  };
}

/** A line, or null at the end. What is written after a prompt that got none begins on a line of its own. */
async function nextLine(
  lines: LineReader,
  output: Writable,
  signal: AbortSignal,
): Promise<string | null> {
  let line: string | null = null;
  try {
    line = await lines.next(signal);
    return line;
  } finally {
    if (line === null) output.write("\n");
  }
}

/** A person's line as the reply to a question; null where it is none. */
export const replyIn = (line: string, { kind }: PendingQuestion): AskUserOutput | null =>
  kind === "confirm" ? yesOrNo(line) : openReply(line);

const openReply = (line: string): AskUserOutput | null =>
  line.trim() === "" ? null : { kind: "reply", text: line.trim() };

/** Enter alone is no: nothing is destroyed by leaning on a key. */
function yesOrNo(line: string): AskUserOutput | null {
  const word = line.trim().toLowerCase();
  if (["y", "yes"].includes(word)) return { kind: "yes" };
  return ["n", "no", ""].includes(word) ? { kind: "no" } : null;
}

/** Lines of a stream, one at a time; null once it has ended. */
class LineReader {
  readonly #interface: Interface;
  readonly #ready: string[] = [];
  #ended = false;
  #wake: () => void = () => {};

  constructor(input: Readable) {
    this.#interface = createInterface({ input, terminal: false });
    this.#interface.on("line", (line) => {
      this.#ready.push(line);
      this.#wake();
    });
    this.#interface.on("close", () => {
      this.#ended = true;
      this.#wake();
    });
  }

  async next(signal: AbortSignal): Promise<string | null> {
    const stop = () => this.#wake();
    signal.addEventListener("abort", stop);
    try {
      for (;;) {
        signal.throwIfAborted();
        const line = this.#ready.shift();
        if (line !== undefined) return line;
        if (this.#ended) return null;
        await new Promise<void>((resolve) => {
          this.#wake = resolve;
        });
      }
    } finally {
      signal.removeEventListener("abort", stop);
    }
  }

  close(): void {
    this.#interface.close();
  }
}
