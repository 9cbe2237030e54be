import { afterEach, describe, expect, test } from "vitest";
import type { ModelRequest } from "../../src/backends/backend.ts";
import { createBedrockBackend, type BedrockOptions } from "../../src/backends/bedrock.ts";
import { ask, readReply, withFakeKeys } from "../helpers/bedrock-requests.ts";
import {
  startFakeBedrock,
  type FakeBedrock,
  type FakeBedrockOptions,
} from "../helpers/fake-bedrock.ts";

let service: FakeBedrock;

withFakeKeys();
afterEach(() => service.close());

async function start(options: FakeBedrockOptions = {}, more: BedrockOptions = {}) {
  service = await startFakeBedrock(options);
  return createBedrockBackend({ endpoint: service.url, region: "eu-west-1", ...more });
}

async function sent(request: ModelRequest) {
  const backend = await start();
  const { error } = await readReply(backend, request);
  expect(error).toBeUndefined();
  return service.requests[0];
}

describe("a reply", () => {
  test("streams in order: text, usage, and the stop last", async () => {
    const backend = await start({ reply: () => "Hello there", chunkCharacters: 6 });
    const { events, error } = await readReply(backend, ask("Say hello to me"));
    expect(error).toBeUndefined();
    expect(events).toEqual([
      { type: "text", text: "Hello " },
      { type: "text", text: "there" },
      { type: "usage", input_tokens: 4, output_tokens: 2 },
      { type: "stop", finish: "stop" },
    ]);
  });

  test("keeps thinking apart from text", async () => {
    const backend = await start({
      reply: () => ({ reasoning: "Hmm.", text: "Yes." }),
      chunkCharacters: 9,
    });
    const { events } = await readReply(backend, ask("Well?"));
    expect(events.slice(0, 2)).toEqual([
      { type: "thinking", text: "Hmm." },
      { type: "text", text: "Yes." },
    ]);
  });

  test("keeps characters of several bytes whole", async () => {
    const text = "Grüße 😀 – 日本語";
    const backend = await start({ reply: () => text, chunkCharacters: 1 });
    expect((await readReply(backend, ask("Hello"))).text).toBe(text);
  });

  test("may be empty", async () => {
    const backend = await start({ reply: () => "" });
    const { events } = await readReply(backend, ask("Hello"));
    expect(events.map(({ type }) => type)).toEqual(["usage", "stop"]);
  });

  test.each([
    ["end_turn", "stop"],
    ["stop_sequence", "stop"],
    ["max_tokens", "length"],
    ["model_context_window_exceeded", "length"],
    ["content_filtered", "content_filter"],
    ["guardrail_intervened", "content_filter"],
    ["malformed_model_output", "stop"],
    ["a_reason_of_the_future", "stop"],
    ["constructor", "stop"],
  ])("that stops for %s finishes with %s", async (finish, expected) => {
    const backend = await start({ reply: () => ({ text: "x", finish }) });
    const { events } = await readReply(backend, ask("Hello"));
    expect(events.at(-1)).toEqual({ type: "stop", finish: expected });
  });

  test("is a success without usage, and with events that nobody knows yet", async () => {
    const backend = await start({
      faults: [{ kind: "no_metadata" }, { kind: "unknown_event", after: 1 }],
    });
    const without = await readReply(backend, ask("Hello"));
    expect(without.text).toBe("Echo: Hello");
    expect(without.events.at(-2)?.type).toBe("text");
    const unknown = await readReply(backend, ask("Hello"));
    expect(unknown.text).toBe("Echo: Hello");
    expect(unknown.error).toBeUndefined();
  });

  test("is not held up by a connection that stays open after its end", async () => {
    const backend = await start({ faults: [{ kind: "open_end" }] }, { idleMsMax: 1000 });
    const { text, events } = await readReply(backend, ask("Hello"));
    expect(text).toBe("Echo: Hello");
    expect(events.at(-1)).toEqual({ type: "stop", finish: "stop" });
    await service.whenDisconnected();
  });

  test("may begin late", async () => {
    const backend = await start({ faults: [{ kind: "slow", ms: 50 }] });
    expect((await readReply(backend, ask("Hello"))).text).toBe("Echo: Hello");
  });

  test("uses the connection of the reply before", async () => {
    const backend = await start();
    await readReply(backend, ask("One"));
    await readReply(backend, ask("Two"));
    await readReply(backend, ask("Three"));
    expect(service.requests).toHaveLength(3);
    expect(service.connections).toBe(1);
  });
});

describe("a request", () => {
  test("is plain Converse over HTTP/1.1: no tools, no stop sequences, always a limit", async () => {
    const seen = await sent(ask("Hello"));
    expect(seen?.http).toBe("1.1");
    expect(seen?.model).toBe("google.gemma-3-12b-it");
    expect(seen?.body).toEqual({
      system: [{ text: "You are brief." }],
      messages: [{ role: "user", content: [{ text: "Hello" }] }],
      inferenceConfig: { maxTokens: 500, temperature: 0.2 },
    });
  });

  test("has no system text when that is blank", async () => {
    expect((await sent(ask("Hello", { system: " \n" })))?.body).not.toHaveProperty("system");
  });

  test("has alternating roles and no blank text, whatever came in", async () => {
    const seen = await sent(
      ask("", {
        messages: [
          { role: "assistant", text: "before the first" },
          { role: "user", text: "one" },
          { role: "user", text: "two" },
          { role: "assistant", text: " " },
          { role: "user", text: "three" },
          { role: "assistant", text: "four" },
          { role: "user", text: "five" },
        ],
      }),
    );
    expect(seen?.body.messages).toEqual([
      { role: "user", content: [{ text: "one\n\ntwo\n\nthree" }] },
      { role: "assistant", content: [{ text: "four" }] },
      { role: "user", content: [{ text: "five" }] },
    ]);
  });

  test("has no half characters, and keeps whole ones", async () => {
    const seen = await sent(ask("a\uD83D b\uDE00 c\u{1F600}", { system: "\uDC00" }));
    expect(seen?.body.messages?.[0]?.content).toEqual([{ text: "a\uFFFD b\uFFFD c\u{1F600}" }]);
    expect(seen?.body.system).toEqual([{ text: "\uFFFD" }]);
  });

  test("has a temperature that Converse takes", async () => {
    expect(
      (await sent(ask("Hello", { temperature: 1.3 })))?.body.inferenceConfig?.temperature,
    ).toBe(1);
  });

  test("may name any model, in its path", async () => {
    service = await startFakeBedrock();
    const model = "arn:aws:bedrock:us-east-1:1:inference-profile/us.x.y:0";
    const backend = createBedrockBackend({ endpoint: service.url, model });
    expect(backend.id).toBe(`bedrock/${model}`);
    await readReply(backend, ask("Hello"));
    expect(service.requests[0]?.model).toBe(model);
  });
});
