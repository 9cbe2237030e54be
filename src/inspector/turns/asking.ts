import { replyIn, type Asker } from "../../actors/ask-user.ts";
import type { AskUserInput, AskUserOutput, PendingQuestion } from "../../machine/turn.types.ts";

interface AskingOptions {
  /** Whether a page is there or on its way. */
  isWatched: () => boolean;
  /** Told of the question that is put, and of null when it is withdrawn. */
  onQuestion: (pending: PendingQuestion | null) => void;
}

/** Puts questions to the pages and to a person at once: the first reply is taken, and the question withdrawn elsewhere. */
export class Asking {
  readonly #options: AskingOptions;
  #open: { pending: PendingQuestion; reply: (output: AskUserOutput) => void } | null = null;
  /** What is given back when no page is left to reply: set once the person has not replied. */
  #unanswered: (() => void) | null = null;

  constructor(options: AskingOptions) {
    this.#options = options;
  }

  with(person: Asker): Asker {
    return { close: person.close, ask: (input, signal) => this.#ask(input, signal, person) };
  }

  async #ask(input: AskUserInput, signal: AbortSignal, person: Asker): Promise<AskUserOutput> {
    signal.throwIfAborted();
    const { isWatched, onQuestion } = this.#options;
    const withdrawn = new AbortController();
    try {
      return await new Promise<AskUserOutput>((resolve, reject) => {
        const abort = () => reject(signal.reason);
        signal.addEventListener("abort", abort, { once: true, signal: withdrawn.signal });
        this.#open = { pending: input.pending, reply: resolve };
        onQuestion(input.pending);
        const replied = (output: AskUserOutput): void => {
          // A person who is not there does not speak for those who look at a page.
          if (output.kind === "no_reply" && isWatched()) this.#unanswered = () => resolve(output);
          else resolve(output);
        };
        person.ask(input, AbortSignal.any([signal, withdrawn.signal])).then(replied, reject);
      });
    } finally {
      this.#open = null;
      this.#unanswered = null;
      withdrawn.abort();
      onQuestion(null);
    }
  }

  /** Takes a page's reply. Gives back why it is none, in a sentence, or null. */
  answer(text: string): string | null {
    if (!this.#open) return "no question is waiting";
    const { pending, reply } = this.#open;
    const output = replyIn(text, pending);
    if (output) reply(output);
    else return pending.kind === "confirm" ? "answer with yes or no" : "the reply is empty";
    return null;
  }

  /** No page is there any more. */
  leftAlone(): void {
    this.#unanswered?.();
  }
}
