import type {
  ConverseStreamCommandInput,
  ConverseStreamOutput,
} from "@aws-sdk/client-bedrock-runtime";
import type { Finish } from "../contracts/contract.ts";
import { alternating } from "../session/message.ts";
import { BackendError, type Backend, type ModelRequest, type StreamEvent } from "./backend.ts";
import { connectToBedrock, type BedrockConnection } from "./bedrock-client.ts";
import { bedrockError } from "./bedrock-faults.ts";
import { within } from "./watchdog.ts";

/** Everything may be left out. Texts that are blank count as left out. */
export interface BedrockOptions {
  /** A model or inference profile id of Amazon Bedrock. */
  model?: string;
  /** Else AWS_REGION, AWS_DEFAULT_REGION, the profile's region, us-east-1. */
  region?: string;
  /** Another address than AWS's own, for a gateway or a test. */
  endpoint?: string;
  /** A profile of ~/.aws; else AWS_PROFILE, which the SDK reads. */
  profile?: string;
  /** Longest wait for the first event of an answer, credentials included. */
  firstByteMsMax?: number;
  /** Longest silence within an answer. */
  idleMsMax?: number;
  /** The program's environment: AWS_REGION, AWS_DEFAULT_REGION, AWS_PROFILE, AWS_BEARER_TOKEN_BEDROCK. */
  environment?: Record<string, string | undefined>;
}

const MODEL_DEFAULT = "google.gemma-3-12b-it";
const FIRST_BYTE_MS_MAX = 120_000;
const IDLE_MS_MAX = 60_000;
// The answer is whole by then; only its usage is still to come, and an answer is not held up for that.
const USAGE_MS_MAX = 2_000;
const REGION_UNKNOWN = "its region";

const FINISHES: ReadonlyMap<string, Finish> = new Map([
  ["max_tokens", "length"],
  ["model_context_window_exceeded", "length"],
  ["content_filtered", "content_filter"],
  ["guardrail_intervened", "content_filter"],
]);

/**
 * Streams replies of a model on Amazon Bedrock (ConverseStream), as plain text in and out: no native tools, no cache points.
 * Nothing is loaded or looked up before the first `stream`. One attempt a call: retrying is the harness's.
 * An abort ends the iterator with the signal's reason, which is an AbortError unless the caller chose another.
 * Not covered: HTTPS_PROXY is not read.
 */
export function createBedrockBackend(options: BedrockOptions = {}): Backend {
  const { region, endpoint, environment = {} } = options;
  const model = options.model?.trim() || MODEL_DEFAULT;
  const profile = options.profile?.trim() || environment["AWS_PROFILE"]?.trim() || undefined;
  const limits = {
    firstByteMs: options.firstByteMsMax ?? FIRST_BYTE_MS_MAX,
    idleMs: options.idleMsMax ?? IDLE_MS_MAX,
  };
  let connection: Promise<BedrockConnection> | undefined;

  async function* stream(request: ModelRequest, signal: AbortSignal): AsyncGenerator<StreamEvent> {
    signal.throwIfAborted();
    const used = (connection ??= connectToBedrock({
      region,
      endpoint,
      profile: options.profile,
      environment,
    }));
    const target = { model, profile, endpoint, region: region ?? REGION_UNKNOWN, streaming: false };
    try {
      const opened = await within(limits.firstByteMs, signal, used, () =>
        late(model, limits.firstByteMs),
      );
      target.region = opened.region;
      yield* converse(opened, converseInput(model, request), signal, limits, () => {
        target.streaming = true;
      });
    } catch (error) {
      // Whatever the SDK makes of our own abort, it is still the abort.
      signal.throwIfAborted();
      const failure = error instanceof BackendError ? error : bedrockError(error, target);
      // Whoever renews the credentials wants the next call to see them: a new client looks them up afresh. The old one
      // is left to the calls that still use it.
      const isOfNoUse = failure.fault === "auth" || target.region === REGION_UNKNOWN;
      if (isOfNoUse && connection === used) connection = undefined;
      throw failure;
    }
  }

  return { id: `bedrock/${model}`, stream };
}

interface Limits {
  firstByteMs: number;
  idleMs: number;
}

async function* converse(
  connection: BedrockConnection,
  input: ConverseStreamCommandInput,
  signal: AbortSignal,
  limits: Limits,
  onBegin: () => void,
): AsyncGenerator<StreamEvent> {
  const model = input.modelId ?? "";
  // Leaving the loop does not make the SDK close the stream: the model would go on, and be billed. Only an abort does.
  const farSide = new AbortController();
  const disconnect = () => farSide.abort();
  signal.addEventListener("abort", disconnect, { once: true });
  try {
    // The look-up of credentials does not listen to the signal, hence `within`.
    const sent = connection.converse(input, farSide.signal);
    const answer = await within(limits.firstByteMs, signal, sent, () =>
      late(model, limits.firstByteMs),
    );
    onBegin();
    if (!answer.stream) throw cut(model);
    const events = answer.stream[Symbol.asyncIterator]();
    const next = (waitMs: number) =>
      within(waitMs, signal, events.next(), () => silent(model, waitMs));

    let finish: Finish | undefined;
    while (finish === undefined) {
      const { done, value } = await next(limits.idleMs);
      if (done) throw cut(model);
      finish = value.messageStop && finishOf(value.messageStop.stopReason);
      const piece = pieceOf(value);
      if (piece) yield piece;
    }
    yield* usageAfter(() => next(Math.min(USAGE_MS_MAX, limits.idleMs)), signal);
    yield { type: "stop", finish };
  } finally {
    signal.removeEventListener("abort", disconnect);
    disconnect();
  }
}

/** What follows the end of a whole answer. Its failure is nobody's loss, an abort apart. */
async function* usageAfter(
  next: () => Promise<IteratorResult<ConverseStreamOutput, unknown>>,
  signal: AbortSignal,
): AsyncGenerator<StreamEvent> {
  for (;;) {
    const step = await next().catch(() => undefined);
    signal.throwIfAborted();
    if (!step || step.done) return;
    const usage = step.value.metadata?.usage;
    if (usage?.inputTokens !== undefined && usage.outputTokens !== undefined)
      yield { type: "usage", input_tokens: usage.inputTokens, output_tokens: usage.outputTokens };
  }
}

function converseInput(model: string, request: ModelRequest): ConverseStreamCommandInput {
  const system = wellFormed(request.system);
  return {
    modelId: model,
    ...(system.trim() !== "" && { system: [{ text: system }] }),
    messages: alternating(request.messages).map(({ role, text }) => ({
      role,
      content: [{ text: wellFormed(text) }],
    })),
    inferenceConfig: {
      // Always set: without it Bedrock reserves the model's maximum from the quota.
      maxTokens: request.output_tokens_max,
      // Converse takes 0 to 1.
      temperature: Math.min(1, Math.max(0, request.temperature)),
    },
  };
}

function pieceOf(event: ConverseStreamOutput): StreamEvent | undefined {
  const delta = event.contentBlockDelta?.delta;
  if (delta?.text) return { type: "text", text: delta.text };
  const thinking = delta?.reasoningContent?.text;
  return thinking ? { type: "thinking", text: thinking } : undefined;
}

function finishOf(stopReason: string | undefined): Finish {
  return FINISHES.get(stopReason ?? "") ?? "stop";
}

/** Half a character cannot be sent as UTF-8, and the SDK does not look. */
function wellFormed(text: string): string {
  return text.replace(/\p{Surrogate}/gu, "\uFFFD");
}

function late(model: string, waitedMs: number): BackendError {
  return new BackendError(
    "timeout",
    `${model} did not begin to answer within ${seconds(waitedMs)}: ask again, or allow more time`,
    { retryable: true },
  );
}

function silent(model: string, waitedMs: number): BackendError {
  return new BackendError(
    "timeout",
    `${model} fell silent in the middle of its answer for ${seconds(waitedMs)}: ask again`,
    { retryable: true },
  );
}

function cut(model: string): BackendError {
  return new BackendError(
    "cut_stream",
    `the answer of ${model} ended without its last part: ask again`,
    { retryable: true },
  );
}

function seconds(milliseconds: number): string {
  return `${milliseconds / 1000} s`;
}
