import { crc32 } from "node:zlib";

/**
 * One frame of application/vnd.amazon.eventstream: two lengths and their checksum, headers, payload, checksum of all.
 * Made by hand and not with the SDK's codec, so that a fault of the codec cannot hide in a test.
 */
function frame(headers: Record<string, string>, payload: unknown): Buffer {
  const head = Buffer.concat(Object.entries(headers).map(([name, value]) => header(name, value)));
  const body = Buffer.from(typeof payload === "string" ? payload : JSON.stringify(payload));
  const bytes = Buffer.alloc(16 + head.length + body.length);
  bytes.writeUInt32BE(bytes.length, 0);
  bytes.writeUInt32BE(head.length, 4);
  bytes.writeUInt32BE(crc32(bytes.subarray(0, 8)), 8);
  head.copy(bytes, 12);
  body.copy(bytes, 12 + head.length);
  bytes.writeUInt32BE(crc32(bytes.subarray(0, -4)), bytes.length - 4);
  return bytes;
}

/** A frame with one event of the stream. */
export function eventFrame(type: string, payload: unknown): Buffer {
  return frame(
    { ":event-type": type, ":content-type": "application/json", ":message-type": "event" },
    payload,
  );
}

/** A frame that ends the stream with an exception, by its lower-camel type. */
export function exceptionFrame(type: string, message: string): Buffer {
  return frame(
    { ":exception-type": type, ":content-type": "application/json", ":message-type": "exception" },
    { message },
  );
}

/** A frame that ends the stream with an error the service has no model for. */
export function errorFrame(code: string, message: string): Buffer {
  return frame({ ":error-code": code, ":error-message": message, ":message-type": "error" }, "");
}

const STRING_TYPE = 7;

function header(name: string, value: string): Buffer {
  const text = Buffer.from(value);
  const length = Buffer.alloc(3);
  length.writeUInt8(STRING_TYPE, 0);
  length.writeUInt16BE(text.length, 1);
  return Buffer.concat([Buffer.from([Buffer.byteLength(name)]), Buffer.from(name), length, text]);
}
