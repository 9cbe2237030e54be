import type { Call } from "./call.ts";
import type { Problem } from "./problem.ts";

/** Why the model stopped. A reason no backend of ours knows is reported as "stop". */
export type Finish = "stop" | "length" | "content_filter";

/** What the task wants from the model: calls in the contract's form, or plain text for the user. */
export type Expects = "calls" | "text";

/** What a reply says. `text` is the whole reply without thinking, white space trimmed at both ends. */
export type Verdict =
  | { kind: "calls"; calls: Call[] }
  | { kind: "text"; text: string }
  | { kind: "refused"; problem: Problem };

/** A reply that has ended, read. `text` is the visible part as written, for transcripts; `thinking` is split off. */
export interface Reading {
  verdict: Verdict;
  text: string;
  thinking: string;
}

/**
 * Reads one reply while it streams in. A pure fold over the pieces: for any split of the text, `end` gives
 * what it gives for the whole text in one piece.
 */
export interface ReplyReader {
  /** Takes the next piece. `complete: true` once nothing that follows can matter: stop the generation there. */
  write(piece: string): { complete: boolean };
  /** The reading of everything written so far. Never throws, on any text. */
  end(finish: Finish): Reading;
}

/** How a model writes what it wants. Pure: no state between replies. */
export interface Contract {
  name: string;
  reader(expects: Expects): ReplyReader;
  /** The one right way to write these calls: `reader("calls")` reads back equal calls. */
  format: (calls: readonly Call[]) => string;
}
