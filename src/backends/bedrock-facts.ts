import type { BackendFault } from "../contracts/problem.ts";

/** What an error of the SDK says about itself, wherever it keeps it. Absent texts are "". */
interface Facts {
  /** The type the service names; frames inside a stream write it in lower camel, answers in upper. Here: upper. */
  name: string;
  message: string;
  /** The service's words, ready to end a sentence: ` (Bedrock says: …)`, one line, bounded; "" when it said nothing. */
  words: string;
  /** Of the HTTP answer; undefined without one, and for an error inside a stream. */
  status: number | undefined;
  /** Node's code of a failed connection. */
  code: string;
  retryAfterMs: number | undefined;
  /** An answer that is no JSON: a page of a proxy or a gateway, and not about overload. */
  isProxyPage: boolean;
}

/** Where a request went, for the sentence that says what to do. */
export interface BedrockTarget {
  model: string;
  region: string;
  /** The profile that was asked for by name, if one was. */
  profile: string | undefined;
  endpoint: string | undefined;
  /** Whether the answer had begun. */
  streaming: boolean;
}

/** One kind of failure: how to know it, and what to say of it. */
export interface Rule {
  when: (facts: Facts, target: BedrockTarget) => boolean;
  fault: BackendFault;
  retryable?: true;
  say: (facts: Facts, target: BedrockTarget) => string;
}

const WORDS_CHARS_MAX = 300;

/** Reads any thrown value; never throws itself. */
export function readFacts(error: unknown): Facts {
  const name = upperCamel(text(property(error, "name")));
  const message = ownMessage(text(property(error, "message")));
  const response = property(error, "$response");
  const status =
    number(property(property(error, "$metadata"), "httpStatusCode")) ??
    number(property(response, "statusCode"));
  const isRefusal = status !== undefined && status >= 300 && status < 500 && status !== 429;
  return {
    name,
    message,
    words: name === "SyntaxError" ? "" : quoted(message),
    status,
    code: text(property(error, "code")) || text(property(property(error, "cause"), "code")),
    retryAfterMs: retryAfter(property(property(response, "headers"), "retry-after")),
    isProxyPage: name === "SyntaxError" && isRefusal,
  };
}

/** An exception frame of an unknown type arrives with its whole JSON as message. */
function ownMessage(message: string): string {
  if (!message.startsWith("{")) return message;
  try {
    const body: unknown = JSON.parse(message);
    return text(property(body, "message")) || text(property(body, "Message")) || message;
  } catch {
    return message;
  }
}

/** Control characters are taken out, because the words end up in a terminal. */
function quoted(message: string): string {
  const line = message
    .slice(0, WORDS_CHARS_MAX * 2)
    .replace(/[\p{Cc}\s]+/gu, " ")
    .trim();
  if (line === "" || line === "UnknownError") return "";
  const clipped = line.length > WORDS_CHARS_MAX ? `${line.slice(0, WORDS_CHARS_MAX)}…` : line;
  return ` (Bedrock says: ${clipped})`;
}

/** Seconds only: the other form of the header, a date, would need a clock. */
function retryAfter(header: unknown): number | undefined {
  const seconds = Number(text(header) || Number.NaN);
  return seconds > 0 && Number.isFinite(seconds) ? Math.ceil(seconds * 1000) : undefined;
}

function upperCamel(name: string): string {
  return name.charAt(0).toUpperCase() + name.slice(1);
}

function property(value: unknown, key: string): unknown {
  return typeof value === "object" && value !== null ? Reflect.get(value, key) : undefined;
}

function text(value: unknown): string {
  return typeof value === "string" ? value : "";
}

function number(value: unknown): number | undefined {
  return typeof value === "number" ? value : undefined;
}
