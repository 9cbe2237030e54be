import { BackendError } from "./backend.ts";
import { credentialRules } from "./bedrock-credential-rules.ts";
import { readFacts, type BedrockTarget, type Rule } from "./bedrock-facts.ts";

/** What went wrong, as one sentence for a person. Takes whatever the SDK threw; the first rule that fits decides. */
export function bedrockError(error: unknown, target: BedrockTarget): BackendError {
  const facts = readFacts(error);
  const rule =
    RULES.find(({ when }) => when(facts, target)) ??
    (target.streaming ? UNKNOWN_IN_STREAM : UNKNOWN);
  return new BackendError(rule.fault, rule.say(facts, target), {
    retryable: rule.retryable ?? false,
    retryAfterMs: facts.retryAfterMs,
    cause: error,
  });
}

const SERVICE_RULES: Rule[] = [
  {
    when: ({ isProxyPage }) => isProxyPage,
    fault: "network",
    say: ({ status }) =>
      `something between here and Bedrock answered in its place (status ${status}, not JSON): check the network, the proxy and the endpoint`,
  },
  {
    when: ({ name, status, message }) =>
      isThrottle(name, status) && /tokens? per day/i.test(message),
    fault: "quota",
    say: ({ words }, { model, region }) =>
      `today's quota for ${model} in ${region} is used up: ask for more in the Service Quotas console, or use another model or region${words}`,
  },
  {
    when: ({ name, status }) => isThrottle(name, status),
    fault: "throttled",
    retryable: true,
    say: ({ retryAfterMs, words }, { model, region }) => {
      const wait = retryAfterMs === undefined ? "a moment" : `${Math.ceil(retryAfterMs / 1000)} s`;
      return `Bedrock is throttling ${model} in ${region}: wait ${wait} and ask again${words}`;
    },
  },
  {
    when: ({ name }) => name === "ModelNotReadyException",
    fault: "unavailable",
    retryable: true,
    say: (_facts, { model, region }) =>
      `${model} is not ready in ${region} yet: wait a moment and ask again`,
  },
  {
    when: ({ name }) => name === "ServiceQuotaExceededException",
    fault: "quota",
    say: ({ words }, { model, region }) =>
      `a quota for ${model} in ${region} is used up: ask for more in the Service Quotas console, or use another model or region${words}`,
  },
  {
    when: ({ name, status, message }) =>
      name === "AccessDeniedException" || status === 403 || /operation not allowed/i.test(message),
    fault: "access",
    say: ({ words }, { model, region }) =>
      `no access to ${model} in ${region}: open it for the account (Bedrock console, region ${region}, Model access) and allow bedrock:InvokeModelWithResponseStream${words}`,
  },
  {
    when: ({ name, status, message }) =>
      name === "ResourceNotFoundException" ||
      status === 404 ||
      /model identifier is invalid|model id .*(invalid|not found)/i.test(message),
    fault: "not_found",
    say: ({ words }, { model, region }) =>
      `Bedrock has no model "${model}" in ${region}: check the id and the region (run: aws bedrock list-foundation-models --region ${region})${words}`,
  },
  {
    when: ({ message }) => /on-demand throughput isn.t supported/i.test(message),
    fault: "bad_request",
    say: (_facts, { model, region }) =>
      `${model} cannot be called by its own id in ${region}: use the inference profile, -m bedrock/${profilePrefix(region)}.${model}`,
  },
  {
    when: ({ name, status, message }) =>
      status === 413 || (name === "ValidationException" && TOO_LONG.test(message)),
    fault: "context_too_long",
    say: ({ words }, { model }) =>
      `the conversation is too long for ${model}: start a new one, or use a model with a larger context${words}`,
  },
  {
    when: ({ name, status }) => name === "ValidationException" || status === 400,
    fault: "bad_request",
    say: ({ words }, { model }) => `Bedrock refuses the request to ${model} as invalid${words}`,
  },
  {
    when: ({ name, status = 0 }) =>
      /^(ModelTimeout|ModelError|ModelStreamError|InternalServer|InternalFailure|ServiceUnavailable)/.test(
        name,
      ) ||
      status >= 500 ||
      status === 408 ||
      status === 424,
    fault: "unavailable",
    retryable: true,
    say: ({ words }, { model, region }) =>
      `${model} in ${region} is failing or overloaded: ask again in a moment${words}`,
  },
];

const CONNECTION_RULES: Rule[] = [
  {
    when: ({ code }) =>
      /^(CERT_|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO_|ERR_TLS_|HOSTNAME_MISMATCH)/.test(code),
    fault: "network",
    say: ({ code }) =>
      `the TLS certificate of Bedrock's address is not trusted (${code}): behind a proxy that inspects TLS, set NODE_EXTRA_CA_CERTS to its certificate`,
  },
  {
    when: ({ code }, { streaming }) => streaming && CONNECTION_LOST.test(code),
    fault: "cut_stream",
    retryable: true,
    say: ({ code }, { model }) =>
      `the connection was lost in the middle of the answer of ${model} (${code}): ask again`,
  },
  {
    when: ({ code, name }) => CONNECTION_LOST.test(code) || name === "TimeoutError",
    fault: "network",
    retryable: true,
    say: ({ code, name }, { region }) =>
      `Bedrock in ${region} cannot be reached (${code || name}): check the network, and that the region or endpoint exists`,
  },
  {
    when: ({ name, message }) =>
      name === "SyntaxError" ||
      name === "RangeError" ||
      /checksum|truncated event|deserialization/i.test(message),
    fault: "bad_stream",
    retryable: true,
    say: (_facts, { model }) =>
      `the answer of ${model} arrived damaged: ask again; if it stays so, check proxy and endpoint`,
  },
  {
    when: ({ code }) => code === "ERR_INVALID_URL",
    fault: "bad_request",
    say: (_facts, { endpoint = "" }) =>
      `the Bedrock endpoint "${endpoint}" is not a URL: write it as https://host or http://host:port`,
  },
];

const RULES: Rule[] = [...credentialRules, ...SERVICE_RULES, ...CONNECTION_RULES];

// Inside a stream an unknown type is an exception frame that this SDK does not know: not our request's fault.
const UNKNOWN_IN_STREAM: Rule = {
  when: () => true,
  fault: "unknown",
  retryable: true,
  say: ({ name, words }, { model }) =>
    `${model} ended its answer with an error (${name}): ask again${words}`,
};
const UNKNOWN: Rule = {
  when: () => true,
  fault: "unknown",
  say: ({ name, words }, { model, region }) =>
    `the request to ${model} in ${region} failed (${name})${words}`,
};

// Only for a ValidationException: throttling says "Too many tokens, please wait" as well.
const TOO_LONG =
  /(input|prompt) is too long|exceeds? (the )?(model'?s? )?(maximum|max|context)|context (length|window|limit)|too many (total )?(text bytes|tokens|input tokens)/i;
const CONNECTION_LOST =
  /^(ECONN|EPIPE|ETIMEDOUT|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|EPROTO|HPE_|ERR_STREAM_PREMATURE)/;

function isThrottle(name: string, status: number | undefined): boolean {
  return (
    name === "ThrottlingException" ||
    name === "TooManyRequestsException" ||
    (status === 429 && name !== "ModelNotReadyException")
  );
}

/** Inference profiles are named after the continent that serves them. */
function profilePrefix(region: string): string {
  if (region.startsWith("eu-")) return "eu";
  return region.startsWith("ap-") ? "apac" : "us";
}
