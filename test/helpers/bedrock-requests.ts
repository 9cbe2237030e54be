import { afterAll, beforeAll, vi } from "vitest";
import {
  BackendError,
  type Backend,
  type ModelRequest,
  type StreamEvent,
} from "../../src/backends/backend.ts";

/** Credentials that the fake service takes, as the SDK reads them from the process. */
export const FAKE_KEYS = {
  AWS_ACCESS_KEY_ID: "AKIAFAKE",
  AWS_SECRET_ACCESS_KEY: "fake",
};

/** A request with one user message. */
export function ask(text: string, more: Partial<ModelRequest> = {}): ModelRequest {
  return {
    system: "You are brief.",
    messages: [{ role: "user", text }],
    temperature: 0.2,
    output_tokens_max: 500,
    offer: { task: "answer", question: text, skills: [], tools: [], loaded_skills: [], log: [] },
    ...more,
  };
}

/** A stream read to its end: what came, and how it failed. */
export interface Outcome {
  text: string;
  events: StreamEvent[];
  /** The BackendError, or undefined on success. Anything else that is thrown is thrown on. */
  error: BackendError | undefined;
}

/** Reads a reply to its end; `onText` sees the text as far as it has come. */
export async function readReply(
  backend: Backend,
  request: ModelRequest,
  onText: (text: string) => void = () => {},
): Promise<Outcome> {
  const outcome: Outcome = { text: "", events: [], error: undefined };
  try {
    for await (const event of backend.stream(request, new AbortController().signal)) {
      outcome.events.push(event);
      if (event.type === "text") outcome.text += event.text;
      onText(outcome.text);
    }
  } catch (error) {
    if (!(error instanceof BackendError)) throw error;
    outcome.error = error;
  }
  return outcome;
}

/** A failure in short: the fault, "retry" or "final", and the wait the service asked for. */
export function summary(error: BackendError | undefined): string {
  if (!error) return "no error";
  const { fault, retryable, retryAfterMs = "" } = error;
  return `${fault} ${retryable ? "retry" : "final"} ${retryAfterMs}`.trimEnd();
}

/** Puts the fake credentials into the process for the tests of a file. */
export function withFakeKeys(): void {
  beforeAll(() => {
    for (const [name, value] of Object.entries(FAKE_KEYS)) vi.stubEnv(name, value);
  });
  afterAll(() => vi.unstubAllEnvs());
}
