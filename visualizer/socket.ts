import type { ToPage } from "../src/inspector/protocol.ts";
import type { Store } from "./store.ts";

/** Before each try to reach a process again. After the last one the page is left as it is. */
const WAITS_MS = [1000, 2000, 5000, 5000, 5000, 5000, 5000, 5000, 5000, 5000];

/** The socket beside the page: "http://127.0.0.1:80/token/" has "ws://127.0.0.1:80/token/socket". */
function socketAddress(page: string): string {
  const address = new URL("socket", page);
  address.protocol = address.protocol === "https:" ? "wss:" : "ws:";
  return address.href;
}

/** Lets the store hear the process that a page came from, and looks for it again when it is lost. */
export function connect(store: Store, page: string, triesBefore = 0): void {
  const socket = new WebSocket(socketAddress(page));
  let tries = triesBefore;
  socket.addEventListener("open", () => {
    tries = 0;
    store.trouble = "";
    store.connected({ send: (message) => socket.send(JSON.stringify(message)) });
  });
  socket.addEventListener("message", ({ data }) => hear(store, data));
  // A socket that fails closes too.
  socket.addEventListener("close", () => {
    store.disconnected();
    const wait = WAITS_MS[tries];
    store.trouble =
      wait === undefined
        ? "The process is gone. What it said until then can still be read here."
        : "The process cannot be reached. Looking for it again.";
    if (wait !== undefined) setTimeout(() => connect(store, page, tries + 1), wait);
  });
}

function hear(store: Store, data: unknown): void {
  try {
    store.hear(JSON.parse(String(data)) as ToPage);
  } catch {
    store.trouble = "unreadable message";
    store.changed();
  }
}
