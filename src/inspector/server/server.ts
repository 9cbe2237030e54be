import { createHash, randomBytes, timingSafeEqual } from "node:crypto";
import {
  createServer,
  type IncomingMessage,
  type OutgoingHttpHeaders,
  type Server,
  type ServerResponse,
} from "node:http";
import type { AddressInfo, Socket } from "node:net";
import type { Duplex } from "node:stream";
import { type WebSocket, WebSocketServer } from "ws";
import { HarnessError, reasonOf } from "../../errors.ts";
import type { Hub } from "../hub.ts";
import { pageWith, type Page } from "./page.ts";
import { PageCount } from "./page-count.ts";
import { servePage, serveReceiver } from "./serve-socket.ts";
import { statelyPage } from "./stately-page.ts";

const HOST = "127.0.0.1";
/** Of one message from a page, in bytes. */
const MESSAGE_MAX = 1024 * 1024;
/** A request has to be whole by then. In milliseconds. */
const REQUEST_MAX = 10_000;
/** What was said last may still be on its way when the server closes; this long is waited for it. In milliseconds. */
const GOODBYE_MAX = 1000;

export interface ServerOptions {
  hub: Hub;
  title: string;
  /** The drawing of the chart: SVG from `drawChart`. */
  svg: string;
  /** Whether there is a page that feeds Stately's own inspector. */
  stately?: boolean;
  /** Called when the last page or receiver has left and none came back: a reload is no leaving. */
  onEmpty?: () => void;
}

export interface InspectorServer {
  /** Of the page. Whoever knows it can read and do what the page can. */
  address: string;
  /** Of the page with Stately's own inspector; null where there is none. */
  statelyAddress: string | null;
  /** For a receiver of `@statelyai/inspect`. */
  receiverAddress: string;
  /** Ends all connections. Resolves when the port is free; after that nothing of it keeps the process alive. */
  close: () => Promise<void>;
}

/**
 * Serves the page on the loopback interface, at an address that cannot be guessed, to pages from that very address. Throws
 * HarnessError "config" where the system lets nobody listen.
 */
export async function startServer(options: ServerOptions): Promise<InspectorServer> {
  const place = new Place(options);
  await listen(place.server);
  const { port } = place.server.address() as AddressInfo;
  return place.opened(port);
}

function listen(server: Server): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once("error", (cause) =>
      reject(
        new HarnessError("config", `nothing can listen on ${HOST}: ${reasonOf(cause)}`, { cause }),
      ),
    );
    server.listen(0, HOST, resolve);
  });
}

class Place {
  readonly server: Server;
  readonly #sockets = new WebSocketServer({
    noServer: true,
    clientTracking: true,
    maxPayload: MESSAGE_MAX,
    perMessageDeflate: false,
  });
  readonly #connections = new Set<Socket>();
  readonly #token = randomBytes(16).toString("base64url");
  readonly #hub: Hub;
  readonly #pages: Map<string, Page>;
  readonly #count: PageCount;
  #hosts: string[] = [];
  #closing: Promise<void> | null = null;

  constructor({ hub, title, svg, stately = false, onEmpty = () => {} }: ServerOptions) {
    this.#hub = hub;
    this.#count = new PageCount(onEmpty);
    this.#pages = new Map([["", pageWith({ title, svg, recording: null })]]);
    if (stately) this.#pages.set("stately", statelyPage);
    const times = { headersTimeout: REQUEST_MAX, requestTimeout: REQUEST_MAX };
    this.server = createServer(times, (request, response) => this.#answer(request, response))
      .on("upgrade", (request, socket, head) => this.#upgrade(request, socket, head))
      .on("connection", (socket) => {
        this.#connections.add(socket);
        socket.once("close", () => this.#connections.delete(socket));
      });
  }

  opened(port: number): InspectorServer {
    this.#hosts = [`${HOST}:${port}`, `localhost:${port}`];
    const path = `//${HOST}:${port}/${this.#token}/`;
    return {
      address: `http:${path}`,
      statelyAddress: this.#pages.has("stately") ? `http:${path}stately` : null,
      receiverAddress: `ws:${path}xstate`,
      close: () => (this.#closing ??= this.#close()),
    };
  }

  #answer(request: IncomingMessage, response: ServerResponse): void {
    const say = (status: number, text: string, headers: OutgoingHttpHeaders = {}) =>
      response.writeHead(status, { ...headersWith(["default-src 'none'"]), ...headers }).end(text);
    if (!this.#isOurs(request)) return void say(403, "refused\n");
    if (request.method !== "GET") return void say(405, "only GET\n", { allow: "GET" });
    const page = this.#pages.get(this.#pathOf(request) ?? "nowhere");
    if (!page) return void say(404, "not found\n");
    const sockets = ["'self'", ...this.#hosts.map((host) => `ws://${host}`)].join(" ");
    const policy = [...page.policy, `connect-src ${sockets}`];
    say(200, page.html, { ...headersWith(policy), "content-type": "text/html; charset=utf-8" });
  }

  #upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    // The HTTP server no longer looks after it.
    socket.on("error", () => socket.destroy());
    if (!this.#isOurs(request)) return refuse(socket, "403 Forbidden");
    const path = this.#pathOf(request);
    if (path !== "socket" && path !== "xstate") return refuse(socket, "404 Not Found");
    // Browsers always say where a page is from; receivers in Node never do, and only read.
    if (path === "socket" && request.headers.origin === undefined)
      return refuse(socket, "403 Forbidden");
    if (this.#closing) return void socket.destroy();
    this.#sockets.handleUpgrade(request, socket, head, (accepted) => this.#serve(accepted, path));
  }

  #serve(socket: WebSocket, path: "socket" | "xstate"): void {
    this.#count.came();
    socket.once("close", () => this.#count.left());
    if (path === "socket") servePage(socket, this.#hub);
    else serveReceiver(socket, this.#hub);
  }

  /** Whether a request names this server as it is called, and comes from none but its own pages: no site may reach it. */
  #isOurs({ headers: { host, origin } }: IncomingMessage): boolean {
    return (
      this.#hosts.includes(host ?? "") &&
      (origin === undefined || this.#hosts.some((known) => origin === `http://${known}`))
    );
  }

  /** What comes behind the token, as it was sent; null without the right token. */
  #pathOf({ url = "" }: IncomingMessage): string | null {
    const [before, token = "", path, ...more] = url.split("/");
    const isRight = timingSafeEqual(digest(token), digest(this.#token));
    return isRight && before === "" && path !== undefined && more.length === 0 ? path : null;
  }

  async #close(): Promise<void> {
    this.#count.stop();
    const closed = new Promise<void>((resolve) => this.server.close(() => resolve()));
    await Promise.all([...this.#sockets.clients].map(goodbye));
    // Those too that were never heard of: half a request, half a handshake.
    for (const connection of this.#connections) connection.destroy();
    await closed;
  }
}

/** What was sent before arrives first, if the other side reads at all. */
function goodbye(socket: WebSocket): Promise<void> {
  return new Promise((resolve) => {
    const late = setTimeout(() => socket.terminate(), GOODBYE_MAX);
    socket.once("close", () => {
      clearTimeout(late);
      resolve();
    });
    socket.close(1001, "the process has ended");
  });
}

const digest = (text: string): Buffer => createHash("sha256").update(text).digest();

const headersWith = (policy: readonly string[]): OutgoingHttpHeaders => ({
  "content-security-policy": [...policy, "frame-ancestors 'none'"].join("; "),
  "content-type": "text/plain; charset=utf-8",
  "x-content-type-options": "nosniff",
  "referrer-policy": "no-referrer",
  "cache-control": "no-store",
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
});

function refuse(socket: Duplex, status: string): void {
  socket.once("finish", () => socket.destroy());
  socket.end(`HTTP/1.1 ${status}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`);
}
