import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { json } from "node:stream/consumers";
import { converseRefusal, limited, type ConverseBody, type FakeReply } from "./converse-rules.ts";
import { answerStream, type SeenRequest } from "./fake-bedrock-answers.ts";
import { failsEarly, hungUp, refuse, type Fault } from "./fake-bedrock-faults.ts";
import { milestones } from "./milestones.ts";

export interface FakeBedrockOptions {
  /** The reply to the n-th request, counted from 1. Default: echoes the last message. */
  reply?: (body: ConverseBody, n: number) => string | FakeReply;
  chunkCharacters?: number;
  delayMs?: number;
  /** A queue: each request takes the first. */
  faults?: Fault[];
}

/** A Bedrock runtime on loopback: ConverseStream over HTTP/1.1, with faults. Signatures are not checked. */
export interface FakeBedrock {
  url: string;
  requests: SeenRequest[];
  faults: Fault[];
  /** Requests being answered now. */
  live: number;
  /** Requests whose client went away before the end. */
  aborted: number;
  connections: number;
  /** Resolves when the n-th request has arrived. */
  whenAsked(n: number): Promise<void>;
  /** Resolves when the n-th client has gone away early, with how long its request was open in milliseconds. */
  whenDisconnected(n?: number): Promise<number>;
  close(): Promise<void>;
}

/** Starts the service on a free port. */
export async function startFakeBedrock(options: FakeBedrockOptions = {}): Promise<FakeBedrock> {
  const asked = milestones<void>();
  const disconnected = milestones<number>();
  const server = createServer((request, response) => {
    const began = performance.now();
    fake.live += 1;
    response.once("close", () => {
      fake.live -= 1;
      if (response.writableEnded || hungUp.has(response)) return;
      fake.aborted += 1;
      disconnected.reach(performance.now() - began);
    });
    serve(request, response).catch((error: unknown) => response.destroy(error as Error));
  });
  server.on("connection", () => (fake.connections += 1));

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = (await json(request)) as ConverseBody;
    const model = /^\/model\/([^/]+)\/converse-stream$/.exec(request.url ?? "")?.[1];
    if (model === undefined) return refuse(response, 404, "UnknownOperationException", "");
    const { httpVersion: http, headers } = request;
    const { authorization } = headers;
    const seen = { model: decodeURIComponent(model), body, http, authorization, sent: 0 };
    fake.requests.push(seen);
    const n = fake.requests.length;
    asked.reach();
    const fault = fake.faults.shift() ?? { kind: "none" };
    if (await failsEarly(response, fault)) return;
    if (!authorization) return refuse(response, 403, "MissingAuthenticationTokenException", "");
    const refusal = converseRefusal(body);
    if (refusal) return refuse(response, 400, "ValidationException", refusal);
    const reply = limited(options.reply?.(body, n) ?? echo(body), body);
    const { chunkCharacters = 4, delayMs = 0 } = options;
    await answerStream(response, { seen, reply, fault, chunkCharacters, delayMs });
  }

  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const fake: FakeBedrock = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests: [],
    faults: [...(options.faults ?? [])],
    live: 0,
    aborted: 0,
    connections: 0,
    whenAsked: (n) => asked.when(n),
    whenDisconnected: (n = 1) => disconnected.when(n),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
  return fake;
}

function echo(body: ConverseBody): string {
  return `Echo: ${body.messages?.at(-1)?.content?.[0]?.text ?? ""}`;
}
