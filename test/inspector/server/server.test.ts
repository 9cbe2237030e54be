import { once } from "node:events";
import { request } from "node:http";
import { connect, createServer } from "node:net";
import { networkInterfaces } from "node:os";
import { text } from "node:stream/consumers";
import type { IncomingMessage } from "node:http";
import { execa } from "execa";
import { afterEach, expect, test } from "vitest";
import { WebSocket, WebSocketServer } from "ws";
import type { Hub } from "../../../src/inspector/hub.ts";
import type { FromPage, ToPage } from "../../../src/inspector/protocol.ts";
import { senderTo } from "../../../src/inspector/server/serve-socket.ts";
import {
  startServer,
  type InspectorServer,
  type ServerOptions,
} from "../../../src/inspector/server/server.ts";
import { milestones } from "../../helpers/milestones.ts";

const opened: InspectorServer[] = [];
afterEach(() => Promise.all(opened.splice(0).map((server) => server.close())));

/** A hub that greets, tells back what it hears as the name of a state, and counts who comes and goes. */
function echo() {
  const heard: FromPage[] = [];
  const came = milestones<(message: ToPage) => void>();
  const left = milestones<void>();
  const hub: Hub = {
    connectPage(send) {
      send(said("hello"));
      came.reach(send);
      return {
        receive(message) {
          heard.push(message);
          send(said(message.type));
        },
        leave: () => left.reach(),
      };
    },
    connectReceiver(send) {
      send({ type: "@xstate.actor" });
      return { leave: () => left.reach() };
    },
  };
  return { hub, heard, came, left };
}

const said = (state: string): ToPage => ({
  type: "refused",
  request: "echo",
  message: state,
});

async function start(options: Partial<ServerOptions> = {}) {
  const known = echo();
  const server = await startServer({
    hub: known.hub,
    title: "<T>",
    svg: "<svg></svg>",
    ...options,
  });
  opened.push(server);
  const { port, pathname, origin, host } = new URL(server.address);
  return { ...known, server, port: Number(port), path: pathname, origin, host };
}

type Started = Awaited<ReturnType<typeof start>>;

function get(
  { port, host }: { port: number; host: string },
  path: string,
  { method = "GET", headers = {} }: { method?: string; headers?: Record<string, string> } = {},
): Promise<{ status: number; headers: IncomingMessage["headers"]; body: string }> {
  return new Promise((resolve, reject) => {
    const asked = request({ host: "127.0.0.1", port, path, method, headers: { host, ...headers } });
    asked.once("error", reject);
    asked.once("response", (response) => {
      void text(response).then((body) =>
        resolve({ status: response.statusCode ?? 0, headers: response.headers, body }),
      );
    });
    asked.end();
  });
}

/** A page's socket, open; what it is told can be awaited in order. */
async function page(
  { path, port, origin }: Pick<Started, "path" | "port" | "origin">,
  name = "socket",
) {
  const socket = new WebSocket(`ws://127.0.0.1:${port}${path}${name}`, { origin });
  const told = milestones<string>();
  socket.on("message", (data) => told.reach((data as Buffer).toString()));
  socket.on("error", () => {});
  const closed = once(socket, "close") as Promise<[number, Buffer]>;
  await once(socket, "open");
  return { socket, told, closed };
}

/** What an upgrade is answered; null when it is let in. */
function upgrade(url: string, options: { origin?: string; headers?: Record<string, string> }) {
  return new Promise<number | null>((resolve) => {
    const socket = new WebSocket(url, options);
    socket.on("error", () => {});
    socket.once("unexpected-response", (_, { statusCode = 0 }) => {
      resolve(statusCode);
      socket.terminate();
    });
    socket.once("open", () => {
      resolve(null);
      socket.terminate();
    });
  });
}

/** Sends these bytes, and gives all that comes back until the other side closes. */
async function raw(port: number, bytes: string): Promise<string> {
  const socket = connect(port, "127.0.0.1");
  socket.write(bytes);
  return text(socket);
}

/** Whether somebody listens there. */
function listens(port: number, host: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, host);
    socket.once("connect", () => {
      socket.destroy();
      resolve(true);
    });
    socket.once("error", () => resolve(false));
  });
}

const message = (told: string) => (JSON.parse(told) as { message: string }).message;

test("the page is served at an address that cannot be guessed, with a policy that lets in nothing else", async () => {
  const started = await start();
  expect(started.server.address).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/[\w-]{22}\/$/);
  const { status, headers, body } = await get(started, started.path);
  expect(status).toBe(200);
  expect(body).toContain("<title>&lt;T&gt;</title>");
  const hash = expect.stringMatching(/^'sha256-[\w+/]{43}='$/) as string;
  const policy = String(headers["content-security-policy"])
    .split("; ")
    .map((directive) => directive.split(" "));
  const { port } = started;
  expect(policy).toStrictEqual([
    ["default-src", "'none'"],
    ["script-src", hash],
    ["style-src", hash],
    ["img-src", "data:"],
    ["base-uri", "'none'"],
    ["form-action", "'none'"],
    ["connect-src", "'self'", `ws://127.0.0.1:${port}`, `ws://localhost:${port}`],
    ["frame-ancestors", "'none'"],
  ]);
  expect(headers).toMatchObject({
    "content-type": "text/html; charset=utf-8",
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cache-control": "no-store",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
  });
  expect(headers).not.toHaveProperty("access-control-allow-origin");
});

test("each server has another address", async () => {
  const [one, other] = [await start(), await start()];
  expect(one.path).not.toBe(other.path);
  expect((await get(one, other.path)).status).toBe(404);
});

test("the page is there by the name localhost too, and from its own origin", async () => {
  const started = await start();
  const { port, path } = started;
  const headers = { host: `localhost:${port}`, origin: `http://localhost:${port}` };
  expect((await get(started, path, { headers })).status).toBe(200);
  const url = `ws://127.0.0.1:${port}${path}socket`;
  expect(
    await upgrade(url, { origin: headers.origin, headers: { host: headers.host } }),
  ).toBeNull();
});

const elsewhere: [string, (path: string) => string][] = [
  ["the root", () => "/"],
  ["a wrong token", () => `/${"A".repeat(22)}/`],
  ["a token of another length", (path) => `${path.slice(0, -2)}/`],
  ["a token in capitals", (path) => path.toUpperCase()],
  ["a token that is encoded", (path) => `/%${path.charCodeAt(1).toString(16)}${path.slice(2)}`],
  ["no slash at the end", (path) => path.slice(0, -1)],
  ["a file", (path) => `${path}page.js`],
  ["a path upwards", (path) => `${path}../../../etc/passwd`],
  ["a path upwards, encoded", (path) => `${path}%2e%2e/%2e%2e/etc/passwd`],
  ["a path upwards with backslashes", (path) => `${path}..\\..\\etc\\passwd`],
  ["a way back to the page", (path) => `${path}x/..`],
  ["two slashes", (path) => `/${path}`],
  ["a question", (path) => `${path}?x=1`],
  ["the socket without an upgrade", (path) => `${path}socket`],
  ["Stately's page, which was not asked for", (path) => `${path}stately`],
  ["favicon.ico", () => "/favicon.ico"],
  ["names of objects", (path) => `${path}__proto__`],
  ["a very long path", (path) => `${path}${"x".repeat(8000)}`],
];

test.each(elsewhere)("%s is not found, and nothing is said of what is", async (_, pathFrom) => {
  const started = await start();
  const { status, headers, body } = await get(started, pathFrom(started.path));
  expect([status, body]).toStrictEqual([404, "not found\n"]);
  expect(headers["content-security-policy"]).toBe("default-src 'none'; frame-ancestors 'none'");
  expect(headers["content-type"]).toBe("text/plain; charset=utf-8");
});

test.each(["POST", "PUT", "DELETE", "OPTIONS", "PATCH", "HEAD"])(
  "%s is not allowed",
  async (method) => {
    const started = await start();
    for (const path of [started.path, "/"]) {
      const { status, headers } = await get(started, path, { method });
      expect([status, headers.allow]).toStrictEqual([405, "GET"]);
    }
  },
);

const foreign: [string, (started: Started) => Record<string, string>][] = [
  ["another host", () => ({ host: "evil.example" })],
  ["another host at the same port", ({ port }) => ({ host: `evil.example:${port}` })],
  ["a host that begins like ours", ({ host }) => ({ host: `${host}.evil.example` })],
  ["our host without the port", () => ({ host: "127.0.0.1" })],
  ["our host at another port", ({ port }) => ({ host: `127.0.0.1:${port - 1}` })],
  ["all interfaces", ({ port }) => ({ host: `0.0.0.0:${port}` })],
  ["another origin", () => ({ origin: "https://evil.example" })],
  ["no origin by name", () => ({ origin: "null" })],
  ["an empty origin", () => ({ origin: "" })],
  ["our origin over TLS", ({ host }) => ({ origin: `https://${host}` })],
  ["an origin that begins like ours", ({ origin }) => ({ origin: `${origin}.evil.example` })],
  ["our origin at another port", ({ port }) => ({ origin: `http://127.0.0.1:${port - 1}` })],
  ["our origin with a slash", ({ origin }) => ({ origin: `${origin}/` })],
];

test.each(foreign)("%s is refused, with the right token too", async (_, headersFrom) => {
  const started = await start();
  const { port, path, host, origin } = started;
  const headers = headersFrom(started);
  const { status, body } = await get(started, path, { headers });
  expect([status, body]).toStrictEqual([403, "refused\n"]);
  // Nor does the answer tell whether a token is right.
  expect((await get(started, "/", { headers })).status).toBe(403);
  for (const name of ["socket", "xstate"]) {
    const asked = { headers: { host, origin, ...headers } };
    expect(await upgrade(`ws://127.0.0.1:${port}${path}${name}`, asked)).toBe(403);
  }
  expect(await get(started, path)).toMatchObject({ status: 200 });
});

test("an upgrade without an origin is refused for pages and let in for receivers", async () => {
  const { port, path } = await start();
  const url = `ws://127.0.0.1:${port}${path}`;
  expect(await upgrade(`${url}socket`, {})).toBe(403);
  expect(await upgrade(`${url}xstate`, {})).toBeNull();
});

test.each(["", "sockets", "socket/", "socket?x", "../socket", "stately"])(
  "there is no socket at %s",
  async (name) => {
    const { port, path, origin } = await start();
    expect(await upgrade(`ws://127.0.0.1:${port}${path}${name}`, { origin })).toBe(404);
    expect(await upgrade(`ws://127.0.0.1:${port}/${"A".repeat(22)}/socket`, { origin })).toBe(404);
  },
);

test.each<[string, (started: Started) => string, RegExp]>([
  ["no host", () => "GET / HTTP/1.0\r\n\r\n", /^HTTP\/1\.1 403 /],
  ["no host in HTTP/1.1", () => "GET / HTTP/1.1\r\n\r\n", /^HTTP\/1\.1 400 /],
  ["no HTTP", () => "\0\x01\x02\r\n\r\n", /^HTTP\/1\.1 400 /],
  [
    "a whole address",
    ({ host, path }) =>
      `GET http://${host}${path} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`,
    /^HTTP\/1\.1 404 /,
  ],
  [
    "headers without end",
    ({ host }) => `GET / HTTP/1.1\r\nHost: ${host}\r\nX: ${"x".repeat(20_000)}`,
    /^HTTP\/1\.1 431 /,
  ],
  [
    "an upgrade by POST",
    ({ host, path, origin }) =>
      `POST ${path}socket HTTP/1.1\r\nHost: ${host}\r\nOrigin: ${origin}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n`,
    /^HTTP\/1\.1 405 /,
  ],
  [
    "an upgrade without a key",
    ({ host, path, origin }) =>
      `GET ${path}socket HTTP/1.1\r\nHost: ${host}\r\nOrigin: ${origin}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n\r\n`,
    /^HTTP\/1\.1 400 /,
  ],
  [
    "an upgrade to something else",
    ({ host, path, origin }) =>
      `GET ${path}socket HTTP/1.1\r\nHost: ${host}\r\nOrigin: ${origin}\r\nConnection: Upgrade\r\nUpgrade: h2c\r\n\r\n`,
    /^HTTP\/1\.1 400 /,
  ],
  ["a tunnel", () => "CONNECT evil.example:443 HTTP/1.1\r\nHost: evil.example\r\n\r\n", /^$/],
])("%s is answered and closed", async (_, bytesFrom, answer) => {
  const started = await start();
  expect(await raw(started.port, bytesFrom(started))).toMatch(answer);
  expect(await get(started, started.path)).toMatchObject({ status: 200 });
});

test("it listens on the loopback interface only", async () => {
  const { port } = await start();
  expect(await listens(port, "127.0.0.1")).toBe(true);
  const others = Object.values(networkInterfaces())
    .flatMap((addresses) => addresses ?? [])
    .filter(({ internal, scopeid }) => !internal && !scopeid)
    .map(({ address }) => address);
  for (const host of [...others, "127.0.0.2", "::1"]) expect(await listens(port, host)).toBe(false);
});

test("a page is told first, then answered; what it says wrongly is refused and it stays", async () => {
  const started = await start();
  const { socket, told } = await page(started);
  expect(message(await told.when(1))).toBe("hello");
  socket.send("nonsense");
  expect(JSON.parse(await told.when(2))).toStrictEqual({
    type: "refused",
    request: "message",
    message: "The message is no JSON.",
  });
  socket.send(Buffer.from(`{"type":"step","run":0}`));
  expect(message(await told.when(3))).toBe("The message is not text.");
  socket.send(`{"type":"step","run":-1}`);
  expect(message(await told.when(4))).toBe(`"run" of "step" has to be a whole number from 0.`);
  socket.send(`{"type":"step","run":0}`);
  expect(message(await told.when(5))).toBe("step");
  expect(started.heard).toStrictEqual([{ type: "step", run: 0 }]);
});

test("a message of 1 MiB is read; one byte more ends this connection and no other", async () => {
  const started = await start();
  const [one, other] = [await page(started), await page(started)];
  one.socket.send(" ".repeat(1024 * 1024));
  expect(message(await one.told.when(2))).toBe("The message is no JSON.");
  one.socket.send(" ".repeat(1024 * 1024 + 1));
  expect((await one.closed)[0]).toBe(1009);
  await started.left.when(1);
  other.socket.send(`{"type":"step","run":0}`);
  expect(message(await other.told.when(2))).toBe("step");
});

test("text that is no UTF-8 ends this connection and no other", async () => {
  const started = await start();
  const [one, other] = [await page(started), await page(started)];
  one.socket.send(Buffer.from([0xff, 0xfe]), { binary: false });
  expect((await one.closed)[0]).toBe(1007);
  other.socket.send(`{"type":"go","run":0}`);
  expect(message(await other.told.when(2))).toBe("go");
});

test("50 pages at once: each is told, and each leaves by itself", async () => {
  const started = await start();
  const pages = await Promise.all(Array.from({ length: 50 }, () => page(started)));
  await Promise.all(
    pages.map(async ({ socket, told }, run) => {
      socket.send(JSON.stringify({ type: "step", run }));
      expect(message(await told.when(1))).toBe("hello");
      expect(message(await told.when(2))).toBe("step");
    }),
  );
  expect(started.heard.map(({ run }) => run).toSorted((a, b) => a - b)).toStrictEqual(
    Array.from({ length: 50 }, (_, run) => run),
  );
  for (const { socket } of pages.slice(0, 25)) socket.close();
  for (const { socket } of pages.slice(25)) socket.terminate();
  await started.left.when(50);
});

test("a page that is cut off without a goodbye has left", async () => {
  const started = await start();
  const { port, path, host, origin } = started;
  const socket = connect(port, "127.0.0.1");
  socket.write(
    `GET ${path}socket HTTP/1.1\r\nHost: ${host}\r\nOrigin: ${origin}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n`,
  );
  await started.came.when(1);
  socket.end();
  expect(await started.left.when(1)).toBeUndefined();
});

test("a receiver is told, what it says is not read, and a page is another thing", async () => {
  const started = await start();
  const { socket, told } = await page(started, "xstate");
  expect(JSON.parse(await told.when(1))).toStrictEqual({ type: "@xstate.actor" });
  socket.send(`{"type":"step","run":0}`);
  socket.close();
  await started.left.when(1);
  expect(started.heard).toStrictEqual([]);
});

test("sending to a page that has gone does nothing", async () => {
  const started = await start();
  const { socket } = await page(started);
  const send = await started.came.when(1);
  socket.terminate();
  await started.left.when(1);
  expect(() => send(said("late"))).not.toThrow();
});

/** A connection of which both ends are at hand. */
async function pair() {
  const sockets = new WebSocketServer({ port: 0, host: "127.0.0.1" });
  await once(sockets, "listening");
  const { port } = sockets.address() as { port: number };
  const client = new WebSocket(`ws://127.0.0.1:${port}`);
  const [[server]] = (await Promise.all([once(sockets, "connection"), once(client, "open")])) as [
    [WebSocket],
    unknown,
  ];
  return { client, server, close: () => sockets.close() };
}

test("a page that does not read is disconnected and told why, once too much waits for it", async () => {
  const { client, server, close } = await pair();
  client.pause();
  const most = 1024 * 1024;
  const send = senderTo(server, most);
  const part = said("x".repeat(100_000));
  let sent = 0;
  while (server.readyState === server.OPEN && sent < 1000) {
    send(part);
    sent += 1;
  }
  expect(server.readyState).toBe(server.CLOSING);
  expect(server.bufferedAmount).toBeLessThan(most + 200_000);
  const before = server.bufferedAmount;
  send(part);
  expect(server.bufferedAmount).toBe(before);
  const closed = once(client, "close") as Promise<[number, Buffer]>;
  client.resume();
  const [code, reason] = await closed;
  expect([code, String(reason)]).toStrictEqual([1013, "the page reads too slowly"]);
  close();
});

test("a message that no text can hold ends the connection and throws nothing", async () => {
  const { client, server, close } = await pair();
  const endless = {
    toJSON: () => {
      throw new RangeError("Invalid string length");
    },
  };
  const closed = once(client, "close") as Promise<[number, Buffer]>;
  senderTo(server)(endless);
  expect((await closed)[0]).toBe(1009);
  close();
});

test("the last page's leaving is told after two seconds, unless it comes back; once more after that", async () => {
  const empty = milestones<number>();
  const started = await start({ onEmpty: () => empty.reach(performance.now()) });
  const leave = async (socket: WebSocket, count: number) => {
    socket.close();
    await started.left.when(count);
    return performance.now();
  };
  const [one, other] = [await page(started), await page(started)];
  await leave(one.socket, 1);
  await leave(other.socket, 2);
  const again = await page(started);
  const gone = await leave(again.socket, 3);
  const told = await empty.when(1);
  expect(told - gone).toBeGreaterThan(1900);
  await leave((await page(started)).socket, 4);
  expect(await empty.when(2)).toBeGreaterThan(told);
});

test("close tells pages and receivers, lets go of half-open connections, and frees the port", async () => {
  const started = await start({
    onEmpty: () => {
      throw new Error("the server left, not the page");
    },
  });
  const { server, port, path, host, origin } = started;
  const [one, two] = [await page(started), await page(started, "xstate")];
  const handshake = `GET ${path}socket HTTP/1.1\r\nHost: ${host}\r\nOrigin: ${origin}\r\nConnection: Upgrade\r\n`;
  const halves = await Promise.all(
    ["", `GET ${path} HTTP/1.1\r\nHost: ${host}\r\n`, handshake].map(async (bytes) => {
      const socket = connect(port, "127.0.0.1").on("error", () => {});
      await once(socket, "connect");
      socket.resume().write(bytes);
      return { closed: new Promise((resolve) => socket.once("close", resolve)) };
    }),
  );
  const send = await started.came.when(1);
  send(said("the last word"));
  const closing = server.close();
  expect(server.close()).toBe(closing);
  await closing;
  expect(message(await one.told.when(2))).toBe("the last word");
  for (const { closed } of [one, two]) {
    const [code, reason] = await closed;
    expect([code, String(reason)]).toStrictEqual([1001, "the process has ended"]);
  }
  await Promise.all(halves.map(({ closed }) => closed));
  expect(await listens(port, "127.0.0.1")).toBe(false);
  const next = createServer().listen(port, "127.0.0.1");
  await once(next, "listening");
  next.close();
});

test("a page that has stopped reading does not hold the close up", async () => {
  const started = await start();
  const { socket } = await page(started);
  socket.pause();
  const send = await started.came.when(1);
  for (let sent = 0; sent < 200; sent++) send(said("x".repeat(100_000)));
  const begun = performance.now();
  await started.server.close();
  expect(performance.now() - begun).toBeLessThan(20_000);
  socket.terminate();
});

test("after the close nothing keeps the process alive, though a page has just left", async () => {
  const { stdout } = await execa(
    process.execPath,
    [
      "--import",
      "tsx",
      "--input-type=module",
      "--eval",
      `import { startServer } from ${JSON.stringify(new URL("../../../src/inspector/server/server.ts", import.meta.url).href)};
       import { WebSocket } from "ws";
       const hub = { connectPage: () => ({ receive() {}, leave: () => done() }), connectReceiver: () => ({ leave() {} }) };
       const server = await startServer({ hub, title: "", svg: "", onEmpty: () => console.log("too late") });
       const { host, pathname, origin } = new URL(server.address);
       const page = new WebSocket("ws://" + host + pathname + "socket", { origin });
       page.on("open", () => page.close());
       const done = () => server.close().then(() => console.log("closed"));`,
    ],
    { timeout: 60_000 },
  );
  expect(stdout).toBe("closed");
});

test("Stately's page is there where it was asked for, and only its frame may load anything from elsewhere", async () => {
  const started = await start({ stately: true });
  const { server, path, port } = started;
  expect(server.statelyAddress).toBe(`${server.address}stately`);
  expect(server.receiverAddress).toBe(`ws://127.0.0.1:${port}${path}xstate`);
  const { status, headers, body } = await get(started, `${path}stately`);
  expect(status).toBe(200);
  const policy = String(headers["content-security-policy"]);
  expect(policy).toContain("default-src 'none'");
  expect(policy).toContain("frame-src https://stately.ai;");
  expect(policy.replace("https://stately.ai", "")).not.toContain("https:");
  expect(body).not.toMatch(/<(?:script|link|img)[^>]+(?:src|href)="(?!data:,)/);
  expect((await start()).server.statelyAddress).toBeNull();
});
