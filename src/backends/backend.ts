import type { Finish } from "../contracts/contract.ts";
import type { BackendFault } from "../contracts/problem.ts";
import type { Message } from "../session/message.ts";
import type { Offer } from "../session/offer.ts";

/** One request to a model. Plain text only: a backend never sends native tools. */
export interface ModelRequest {
  system: string;
  /** Alternating roles, first and last from the user, no blank text: see session/message.ts. */
  messages: Message[];
  temperature: number;
  output_tokens_max: number;
  /** What the messages offer, as data, for a backend that does not read prose (offline) or can constrain decoding. */
  offer: Offer;
}

/** What a backend streams. Exactly one `stop`, last, on success; a stream without it was cut. */
export type StreamEvent =
  | { type: "text"; text: string }
  | { type: "thinking"; text: string }
  | { type: "usage"; input_tokens: number; output_tokens: number }
  | { type: "stop"; finish: Finish };

/** Something that answers a request with text: a service, a local model, a file of replies. */
export interface Backend {
  /** `provider/model`, as shown to the user. */
  readonly id: string;
  /**
   * Streams one reply. Throws BackendError for what the world did, nothing else.
   * When `signal` aborts, the stream ends within milliseconds and the far side is disconnected.
   * The iterator then throws the signal's reason: an AbortError, unless the caller gave another.
   * Leaving the loop early (`break`) has the same effect.
   */
  stream(request: ModelRequest, signal: AbortSignal): AsyncIterable<StreamEvent>;
}

/** A failed request. The message is one sentence for a person that says what to do. */
export class BackendError extends Error {
  override readonly name = "BackendError";
  readonly fault: BackendFault;
  readonly retryable: boolean;
  /** How long the service asked us to wait, in milliseconds. */
  readonly retryAfterMs: number | undefined;

  constructor(
    fault: BackendFault,
    message: string,
    options: { retryable?: boolean; retryAfterMs?: number | undefined; cause?: unknown } = {},
  ) {
    super(message, { cause: options.cause });
    this.fault = fault;
    this.retryable = options.retryable ?? false;
    this.retryAfterMs = options.retryAfterMs;
  }
}
