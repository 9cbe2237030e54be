import type { ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import { errorFrame, eventFrame, exceptionFrame } from "./event-stream.ts";

/**
 * What goes wrong with one request. `after` counts the pieces of text (and thinking) sent before; `when` holds the
 * fault back until the test has seen what it wants to have seen.
 */
export type Fault = { when?: Promise<unknown> } & (
  | { kind: "none" }
  | {
      kind: "http";
      status: number;
      type?: string;
      message?: string;
      headers?: Record<string, string>;
    }
  | { kind: "raw"; status: number; body: string; headers?: Record<string, string> }
  | { kind: "reset" } // connection reset before any answer
  | { kind: "hang" } // no answer, ever
  | { kind: "slow"; ms: number } // the answer begins late
  | { kind: "no_metadata" }
  | { kind: "open_end" } // messageStop, then silence
  | { kind: MidStreamFault; after: number }
  | { kind: "exception"; type: string; message: string; after: number }
  | { kind: "error"; code: string; message: string; after: number }
);

/** Faults in the middle of an answer that need no more words. */
export type MidStreamFault =
  | "drop" // connection closed
  | "stall" // silence, connection open
  | "end" // clean end of the body without messageStop
  | "truncate" // clean end of the body inside a frame
  | "bad_crc"
  | "bad_length"
  | "garbage"
  | "bad_json"
  | "unknown_event"; // harmless: an event type of the future

/** Responses this server broke off itself; those do not count as clients that went away. */
export const hungUp = new WeakSet<ServerResponse>();

/** Acts out a fault that needs no answer, and says whether it did. */
export async function failsEarly(response: ServerResponse, fault: Fault): Promise<boolean> {
  if (fault.kind === "slow") await pause(fault.ms);
  else if (fault.kind === "reset") breakOff(response, (socket) => socket.resetAndDestroy());
  else if (fault.kind === "raw")
    response
      .writeHead(fault.status, { "content-type": "text/html", ...fault.headers })
      .end(fault.body);
  else if (fault.kind === "http")
    refuse(response, fault.status, fault.type, fault.message ?? "", fault.headers);
  return ["hang", "reset", "raw", "http"].includes(fault.kind);
}

function breakOff(response: ServerResponse, how: (socket: Socket) => void): void {
  hungUp.add(response);
  if (response.socket) how(response.socket);
}

/** Answers with an error in JSON. Without a type the client has only the status to go by. */
export function refuse(
  response: ServerResponse,
  status: number,
  type: string | undefined,
  message: string,
  headers: Record<string, string> = {},
): void {
  const typed =
    type === undefined ? {} : { "x-amzn-errortype": `${type}:http://example.invalid/bedrock/` };
  response.writeHead(status, { "content-type": "application/json", ...typed, ...headers });
  response.end(JSON.stringify(message === "" ? {} : { message }));
}

/** Acts out a fault whose place has come, and says whether the answer ends there. */
export async function breaksHere(
  response: ServerResponse,
  sent: number,
  fault: Fault,
): Promise<boolean> {
  if (!("after" in fault) || fault.after !== sent) return false;
  await fault.when;
  if (fault.kind === "drop") breakOff(response, (socket) => socket.destroySoon());
  else if (fault.kind === "end") response.end();
  else if (fault.kind === "truncate") response.end(unseen().subarray(0, -7));
  else if (fault.kind === "exception") response.end(exceptionFrame(fault.type, fault.message));
  else if (fault.kind === "error") response.end(errorFrame(fault.code, fault.message));
  else if (fault.kind === "unknown_event")
    response.write(eventFrame("someFutureEvent", { anything: 1 }));
  else if (fault.kind !== "stall") response.write(damaged(fault.kind));
  return ["drop", "stall", "end", "truncate", "exception", "error"].includes(fault.kind);
}

/** A good frame whose text no client may ever show. */
function unseen(): Buffer {
  return eventFrame("contentBlockDelta", { contentBlockIndex: 0, delta: { text: "never" } });
}

function damaged(kind: "bad_crc" | "bad_length" | "garbage" | "bad_json"): Buffer {
  if (kind === "bad_json") return eventFrame("contentBlockDelta", '{"delta":{"text":"ne');
  if (kind === "garbage") return Buffer.from("HTTP/1.1 502 Bad Gateway\r\n\r\n<html>");
  const bytes = unseen();
  if (kind === "bad_crc")
    bytes.writeUInt8(bytes.readUInt8(bytes.length - 6) ^ 0x40, bytes.length - 6);
  else bytes.writeUInt32BE(0x00ffffff, 0);
  return bytes;
}
