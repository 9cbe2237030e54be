import type { Call } from "./contracts/call.ts";
import { checksum } from "./journal/checksum.ts";
import type { Journal } from "./journal/journal.ts";
import type { ActorName, OutcomeRecord, StandInName } from "./journal/record.ts";
import type { StopCause, Turn } from "./machine/turn.types.ts";
import type { Effect } from "./session/entry.ts";

/** Writes what reaches a turn from outside into its journal, before the turn acts on it. Without a journal it does nothing. */
export class Recorder {
  readonly #journal: Journal | null;
  #thinking = "";

  constructor(journal: Journal | null) {
    this.#journal = journal;
  }

  /** Thinking goes to the transcript with the reply it belongs to, and nowhere else. */
  hear(thinking: string): void {
    this.#thinking += thinking;
  }

  intent(call: Call, effect: Effect, sandbox: "bubblewrap" | "none"): void {
    this.#journal?.write({ type: "intent", call, effect, sandbox });
  }

  /** `by`: who stood in for the actor. */
  outcome(of: ActorName, output: unknown, by: StandInName | null = null): void {
    const thinking = this.#thinking === "" ? {} : { thinking: this.#thinking };
    this.#thinking = "";
    const standIn = by === null ? {} : { by };
    this.#journal?.write({ type: "outcome", of, ...standIn, output, ...thinking } as OutcomeRecord);
  }

  crash(of: ActorName, error: unknown): void {
    const { name, message } = error instanceof Error ? error : new Error(String(error));
    this.#journal?.write({ type: "crash", of, error: { name, message } });
  }

  abort(by: StopCause): void {
    this.#journal?.write({ type: "abort", by });
  }

  end(state: string, turn: Turn): void {
    if (!this.#journal) return;
    // A turn that held a secret is folded without it, and then its text is another.
    const digest = this.#journal.redacted ? null : checksum(JSON.stringify(turn));
    this.#journal.write({ type: "end", state, digest });
    const { messages, loaded_skills } = turn;
    this.#journal.left = { messages, loaded_skills };
  }
}
