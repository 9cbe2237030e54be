import { afterEach, describe, expect, test } from "vitest";
import type { StreamEvent } from "../../src/backends/backend.ts";
import { createBedrockBackend } from "../../src/backends/bedrock.ts";
import { ask, readReply, withFakeKeys } from "../helpers/bedrock-requests.ts";
import {
  startFakeBedrock,
  type FakeBedrock,
  type FakeBedrockOptions,
} from "../helpers/fake-bedrock.ts";

let service: FakeBedrock;

withFakeKeys();
afterEach(() => service.close());

async function start(options: FakeBedrockOptions = {}) {
  service = await startFakeBedrock(options);
  return createBedrockBackend({ endpoint: service.url, region: "eu-west-1" });
}

describe("a reply that is no longer wanted", () => {
  test("is shown piece by piece, before the model has finished", async () => {
    const backend = await start({ faults: [{ kind: "stall", after: 1 }] });
    const { signal, stop } = stoppable();
    const pieces: StreamEvent[] = [];
    await expect(async () => {
      for await (const event of backend.stream(ask("Hello"), signal)) {
        pieces.push(event);
        stop();
      }
    }).rejects.toThrow("aborted");
    expect(pieces).toEqual([{ type: "text", text: "Echo" }]);
  });

  test("breaking out of the loop stops the model", async () => {
    const backend = await start({ reply: () => "word ".repeat(5000), delayMs: 1 });
    let read = 0;
    for await (const event of backend.stream(ask("Talk"), new AbortController().signal)) {
      if (event.type === "text") read += 1;
      if (read === 3) break;
    }
    await service.whenDisconnected();
    expect(service.live).toBe(0);
    expect(service.requests[0]?.sent).toBeLessThan(6000);
  });

  test("an error of the reader stops the model", async () => {
    const backend = await start({ faults: [{ kind: "stall", after: 1 }] });
    await expect(async () => {
      for await (const event of backend.stream(ask("Talk"), new AbortController().signal))
        throw new Error(event.type);
    }).rejects.toThrow("text");
    await service.whenDisconnected();
    expect(service.live).toBe(0);
  });

  test("an abort in the middle ends the loop with the signal's reason", async () => {
    const backend = await start({ reply: () => "word ".repeat(5000), delayMs: 1 });
    const { signal, stop } = stoppable();
    const reading = drain(backend.stream(ask("Talk"), signal), () => stop());
    await expect(reading).rejects.toSatisfy((thrown) => thrown === signal.reason);
    expect(signal.reason).toHaveProperty("name", "AbortError");
    await service.whenDisconnected();
    expect(service.live).toBe(0);
  });

  test("an abort while the model is silent in the middle", async () => {
    const backend = await start({ faults: [{ kind: "stall", after: 1 }] });
    const { signal, stop } = stoppable();
    const reading = drain(backend.stream(ask("Talk"), signal), () => setImmediate(stop));
    await expect(reading).rejects.toHaveProperty("name", "AbortError");
    await service.whenDisconnected();
    expect(service.aborted).toBe(1);
  });

  test("an abort before the first byte", async () => {
    const backend = await start({ faults: [{ kind: "hang" }] });
    const { signal, stop } = stoppable();
    const reading = drain(backend.stream(ask("Talk"), signal));
    service.whenAsked(1).then(stop, stop);
    await expect(reading).rejects.toHaveProperty("name", "AbortError");
    await service.whenDisconnected();
    expect(service.live).toBe(0);
  });

  test("an abort while nobody reads reaches the service all the same", async () => {
    const backend = await start({ faults: [{ kind: "stall", after: 1 }] });
    const { signal, stop } = stoppable();
    const iterator = backend.stream(ask("Talk"), signal)[Symbol.asyncIterator]();
    await iterator.next();
    stop();
    await service.whenDisconnected();
    await expect(iterator.next()).rejects.toBe(signal.reason);
    await expect(iterator.next()).resolves.toEqual({ done: true, value: undefined });
  });

  test("an abort before the start sends nothing", async () => {
    const backend = await start();
    const reason = new Error("not today");
    const reading = drain(backend.stream(ask("Talk"), AbortSignal.abort(reason)));
    await expect(reading).rejects.toBe(reason);
    expect(service.requests).toEqual([]);
  });

  test("the next reply is not affected", async () => {
    const backend = await start({ faults: [{ kind: "hang" }] });
    const { signal, stop } = stoppable();
    service.whenAsked(1).then(stop, stop);
    await expect(drain(backend.stream(ask("One"), signal))).rejects.toThrow("aborted");
    expect((await readReply(backend, ask("Two"))).text).toBe("Echo: Two");
  });
});

function stoppable() {
  const controller = new AbortController();
  return { signal: controller.signal, stop: () => controller.abort() };
}

async function drain(
  stream: AsyncIterable<StreamEvent>,
  onEvent: (event: StreamEvent) => void = () => {},
): Promise<void> {
  for await (const event of stream) onEvent(event);
}
