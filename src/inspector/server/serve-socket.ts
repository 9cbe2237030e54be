import type { RawData, WebSocket } from "ws";
import type { Hub } from "../hub.ts";
import { readMessage } from "./read-message.ts";

/** What may wait for one page that reads too slowly. In bytes. */
const WAITING_MAX = 256 * 1024 * 1024;

/** The close codes of RFC 6455 and its registry that are used here. */
const TOO_BIG = 1009;
const TRY_AGAIN = 1013;

/** Connects a page to the hub. What it says wrongly is refused, and it stays connected. */
export function servePage(socket: WebSocket, hub: Hub): void {
  const send = senderTo(socket);
  socket.on("error", ignore);
  const page = hub.connectPage(send);
  socket.once("close", () => page.leave());
  socket.on("message", (data: RawData, isBinary: boolean) => {
    const message = isBinary
      ? "The message is not text."
      : readMessage((data as Buffer).toString());
    if (typeof message === "string") send({ type: "refused", request: "message", message });
    else page.receive(message);
  });
}

/** Connects a receiver of `@statelyai/inspect`. What it says is not read. */
export function serveReceiver(socket: WebSocket, hub: Hub): void {
  socket.on("error", ignore);
  const receiver = hub.connectReceiver(senderTo(socket));
  socket.once("close", () => receiver.leave());
}

/** `ws` closes the connection by itself after an error, such as a message that is too long. */
const ignore = (): void => {};

/** Sends as JSON. Never throws; a page that lags too far behind is disconnected, and told why. */
export function senderTo(socket: WebSocket, most = WAITING_MAX): (message: object) => void {
  return (message) => {
    if (socket.readyState !== socket.OPEN) return;
    if (socket.bufferedAmount > most) return socket.close(TRY_AGAIN, "the page reads too slowly");
    let text: string;
    try {
      text = JSON.stringify(message);
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
      return socket.close(TOO_BIG, "the message is too large for one text");
    }
    socket.send(text);
  };
}
