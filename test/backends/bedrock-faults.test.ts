import { describe, expect, test } from "vitest";
import { createBedrockBackend } from "../../src/backends/bedrock.ts";
import { ask, readReply, summary, withFakeKeys } from "../helpers/bedrock-requests.ts";
import type { Fault } from "../helpers/fake-bedrock-faults.ts";
import { startFakeBedrock } from "../helpers/fake-bedrock.ts";

withFakeKeys();

type Row = [name: string, fault: Fault, expected: string, message: string];

const http = (status: number, type: string, message: string, headers = {}): Fault => ({
  kind: "http",
  status,
  type,
  message,
  headers,
});
const GEMMA = "google.gemma-3-12b-it";

const REFUSALS: Row[] = [
  [
    "throttling",
    http(429, "ThrottlingException", "Too many tokens, please wait before trying again."),
    "throttled retry",
    `Bedrock is throttling ${GEMMA} in us-west-2: wait a moment and ask again (Bedrock says: Too many tokens, please wait before trying again.)`,
  ],
  [
    "throttling with a wait",
    http(429, "ThrottlingException", "Rate exceeded", { "retry-after": "3" }),
    "throttled retry 3000",
    `Bedrock is throttling ${GEMMA} in us-west-2: wait 3 s and ask again (Bedrock says: Rate exceeded)`,
  ],
  [
    "a daily quota",
    http(429, "ThrottlingException", "Too many tokens per day, please wait before trying again."),
    "quota final",
    `today's quota for ${GEMMA} in us-west-2 is used up`,
  ],
  ["429 without a type", { kind: "http", status: 429 }, "throttled retry", "throttling"],
  [
    "a model that loads",
    http(429, "ModelNotReadyException", "x"),
    "unavailable retry",
    "not ready",
  ],
  ["a quota", http(400, "ServiceQuotaExceededException", "x"), "quota final", "Service Quotas"],
  [
    "no model access",
    http(
      403,
      "AccessDeniedException",
      "You don't have access to the model with the specified model ID.",
    ),
    "access final",
    `no access to ${GEMMA} in us-west-2: open it for the account (Bedrock console, region us-west-2, Model access)`,
  ],
  [
    "a new account",
    http(400, "ValidationException", "Operation not allowed"),
    "access final",
    "no access",
  ],
  [
    "an unknown model",
    http(404, "ResourceNotFoundException", "Could not resolve the foundation model"),
    "not_found final",
    `Bedrock has no model "${GEMMA}" in us-west-2`,
  ],
  [
    "a bad model id",
    http(400, "ValidationException", "The provided model identifier is invalid."),
    "not_found final",
    "check the id and the region (run: aws bedrock list-foundation-models --region us-west-2)",
  ],
  [
    "a model behind an inference profile",
    http(
      400,
      "ValidationException",
      `Invocation of model ID x with on-demand throughput isn’t supported.`,
    ),
    "bad_request final",
    `use the inference profile, -m bedrock/us.${GEMMA}`,
  ],
  [
    "a long conversation",
    http(400, "ValidationException", "Input is too long for requested model."),
    "context_too_long final",
    `the conversation is too long for ${GEMMA}`,
  ],
  [
    "a request too large",
    { kind: "http", status: 413 },
    "context_too_long final",
    "start a new one",
  ],
  [
    "validation",
    http(400, "ValidationException", "maxTokens: 9000"),
    "bad_request final",
    "maxTokens: 9000",
  ],
  [
    "expired keys",
    http(403, "ExpiredTokenException", "x"),
    "auth final",
    "credentials have expired",
  ],
  [
    "unknown keys",
    http(403, "UnrecognizedClientException", "x"),
    "auth final",
    "AWS_ACCESS_KEY_ID",
  ],
  [
    "a wrong clock",
    http(403, "InvalidSignatureException", "Signature expired: 1 is now earlier than 2"),
    "auth final",
    "clock",
  ],
  [
    "a bad API key",
    http(
      403,
      "AccessDeniedException",
      "Authentication failed: Please make sure your API Key is valid.",
    ),
    "auth final",
    "AWS_BEARER_TOKEN_BEDROCK",
  ],
  ["a model timeout", http(408, "ModelTimeoutException", "x"), "unavailable retry", "ask again"],
  ["a model error", http(424, "ModelErrorException", "x"), "unavailable retry", "ask again"],
  [
    "an internal error",
    http(500, "InternalServerException", "x"),
    "unavailable retry",
    "ask again",
  ],
  ["an overload", http(503, "ServiceUnavailableException", "x"), "unavailable retry", "ask again"],
  ["500 without a type", { kind: "http", status: 500 }, "unavailable retry", "ask again"],
  [
    "a gateway's page",
    { kind: "raw", status: 502, body: "<html>Bad Gateway</html>" },
    "unavailable retry",
    "ask again",
  ],
  [
    "a proxy's page",
    { kind: "raw", status: 403, body: "<html>Blocked</html>" },
    "network final",
    "status 403, not JSON",
  ],
  [
    "a login page",
    { kind: "raw", status: 200, body: "<html>Please log in to the network</html>" },
    "bad_stream retry",
    "damaged",
  ],
  [
    "an empty body",
    { kind: "raw", status: 200, body: "" },
    "cut_stream retry",
    "without its last part",
  ],
  [
    "a type of the future",
    http(418, "TeapotException", "short and stout"),
    "unknown final",
    "(TeapotException)",
  ],
  ["a reset", { kind: "reset" }, "network retry", "cannot be reached (ECONNRESET)"],
  [
    "an answer that never comes",
    { kind: "hang" },
    "timeout retry",
    "did not begin to answer within 0.5 s",
  ],
];

describe("a request that is refused", () => {
  test.each(REFUSALS)("%s", async (_name, fault, expected, message) => {
    const service = await startFakeBedrock({ faults: [fault] });
    const limits = fault.kind === "hang" ? { firstByteMsMax: 500 } : {};
    const backend = createBedrockBackend({ endpoint: service.url, region: "us-west-2", ...limits });
    const { text, events, error } = await readReply(backend, ask("Hello"));
    await service.close();
    expect({ text, events }).toEqual({ text: "", events: [] });
    expect(summary(error)).toBe(expected);
    expect(error?.message).toContain(message);
    expect(service.requests).toHaveLength(1);
  });
});
