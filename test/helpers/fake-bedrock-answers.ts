import type { ServerResponse } from "node:http";
import { setTimeout as pause } from "node:timers/promises";
import type { ConverseBody, FakeReply } from "./converse-rules.ts";
import { eventFrame } from "./event-stream.ts";
import { breaksHere, type Fault } from "./fake-bedrock-faults.ts";

/** One request as it arrived. */
export interface SeenRequest {
  model: string;
  body: ConverseBody;
  http: string;
  authorization: string | undefined;
  /** Pieces of text and thinking sent so far. */
  sent: number;
}

interface StreamedAnswer {
  seen: SeenRequest;
  reply: Required<FakeReply>;
  fault: Fault;
  chunkCharacters: number;
  delayMs: number;
}

/** Streams one answer, with its fault in its place. */
export async function answerStream(
  response: ServerResponse,
  answer: StreamedAnswer,
): Promise<void> {
  const { seen, reply, fault, chunkCharacters, delayMs } = answer;
  response.writeHead(200, { "content-type": "application/vnd.amazon.eventstream" });
  response.flushHeaders();
  response.write(eventFrame("messageStart", { role: "assistant" }));
  const blocks = [
    ...pieces(reply.reasoning, chunkCharacters).map((text) => ({ reasoningContent: { text } })),
    ...pieces(reply.text, chunkCharacters).map((text) => ({ text })),
  ];
  for (const delta of blocks) {
    if (await breaksHere(response, seen.sent, fault)) return;
    response.write(eventFrame("contentBlockDelta", { contentBlockIndex: 0, delta }));
    seen.sent += 1;
    if (delayMs > 0) await pause(delayMs);
    if (response.destroyed) return;
  }
  response.write(eventFrame("contentBlockStop", { contentBlockIndex: 0 }));
  if (await breaksHere(response, seen.sent, fault)) return;
  response.write(eventFrame("messageStop", { stopReason: reply.finish }));
  if (fault.kind === "open_end") return;
  if (fault.kind !== "no_metadata")
    response.write(
      eventFrame("metadata", { usage: usageOf(seen.body, reply), metrics: { latencyMs: 1 } }),
    );
  response.end();
}

/** One token a word. */
function usageOf(body: ConverseBody, reply: Required<FakeReply>) {
  const texts = (body.messages ?? []).flatMap(({ content = [] }) =>
    content.map(({ text }) => text ?? ""),
  );
  const inputTokens = words(texts.join(" "));
  const outputTokens = words(reply.text) + words(reply.reasoning);
  return { inputTokens, outputTokens, totalTokens: inputTokens + outputTokens };
}

function words(text: string): number {
  return text.match(/\S+/g)?.length ?? 0;
}

function pieces(text: string, characters: number): string[] {
  const all = Array.from(text);
  return Array.from({ length: Math.ceil(all.length / characters) }, (_, index) =>
    all.slice(index * characters, (index + 1) * characters).join(""),
  );
}
