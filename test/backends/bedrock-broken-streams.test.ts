import { describe, expect, test } from "vitest";
import { createBedrockBackend } from "../../src/backends/bedrock.ts";
import { ask, readReply, summary, withFakeKeys } from "../helpers/bedrock-requests.ts";
import type { Fault, MidStreamFault } from "../helpers/fake-bedrock-faults.ts";
import { startFakeBedrock } from "../helpers/fake-bedrock.ts";
import { promiseWithResolve } from "../helpers/milestones.ts";

withFakeKeys();

type Row = [name: string, fault: Fault, expected: string, message: string];

const after = 2;
const exception = (type: string, message = "x"): Fault => ({
  kind: "exception",
  type,
  message,
  after,
});
const damage = (kind: MidStreamFault): Fault => ({ kind, after });

const BREAKS: Row[] = [
  ["a dropped connection", damage("drop"), "cut_stream retry", "in the middle of the answer"],
  ["an end without messageStop", damage("end"), "cut_stream retry", "without its last part"],
  ["silence", damage("stall"), "timeout retry", "fell silent in the middle of its answer for 1 s"],
  ["a frame cut inside", damage("truncate"), "bad_stream retry", "damaged"],
  ["a wrong checksum", damage("bad_crc"), "bad_stream retry", "damaged"],
  ["a wrong length", damage("bad_length"), "bad_stream retry", "damaged"],
  ["bytes that are no frame", damage("garbage"), "bad_stream retry", "damaged"],
  ["broken JSON", damage("bad_json"), "bad_stream retry", "damaged"],
  [
    "a model stream error",
    exception("modelStreamErrorException"),
    "unavailable retry",
    "ask again",
  ],
  ["throttling", exception("throttlingException"), "throttled retry", "throttling"],
  ["an overload", exception("serviceUnavailableException"), "unavailable retry", "ask again"],
  ["an internal error", exception("internalServerException"), "unavailable retry", "ask again"],
  [
    "a model timeout, which the SDK does not know here",
    exception("modelTimeoutException"),
    "unavailable retry",
    "ask again",
  ],
  [
    "validation",
    exception("validationException", "too many images"),
    "bad_request final",
    "too many images",
  ],
  [
    "an exception of the future",
    exception("someNewException", "it broke"),
    "unknown retry",
    "(SomeNewException): ask again (Bedrock says: it broke)",
  ],
  [
    "an error frame",
    { kind: "error", code: "InternalFailure", message: "x", after },
    "unavailable retry",
    "ask again",
  ],
  [
    "an error frame of the future",
    { kind: "error", code: "NewFailure", message: "it broke", after },
    "unknown retry",
    "(NewFailure): ask again (Bedrock says: it broke)",
  ],
];

describe("an answer that breaks off", () => {
  test.each(BREAKS)("after two pieces: %s", async (_name, fault, expected, message) => {
    // The service goes wrong only once the first two pieces have been read: what was seen is then no matter of luck.
    const { promise, resolve } = promiseWithResolve<void>();
    const service = await startFakeBedrock({
      reply: () => "One two three four.",
      chunkCharacters: 4,
      faults: [{ ...fault, when: promise }],
    });
    const limits = fault.kind === "stall" ? { idleMsMax: 1000 } : {};
    const backend = createBedrockBackend({ endpoint: service.url, region: "us-west-2", ...limits });
    const { text, events, error } = await readReply(backend, ask("Count"), (seen) => {
      if (seen === "One two ") resolve();
    });
    await service.close();
    expect(text).toBe("One two ");
    expect(events.map(({ type }) => type)).toEqual(["text", "text"]);
    expect(summary(error)).toBe(expected);
    expect(error?.message).toContain(message);
  });

  test("before the first piece", async () => {
    const fault: Fault = { kind: "exception", type: "throttlingException", message: "x", after: 0 };
    const service = await startFakeBedrock({ faults: [fault] });
    const backend = createBedrockBackend({ endpoint: service.url });
    const { text, error } = await readReply(backend, ask("Count"));
    await service.close();
    expect(text).toBe("");
    expect(summary(error)).toBe("throttled retry");
  });
});
