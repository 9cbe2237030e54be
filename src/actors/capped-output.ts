/** Text of which only the head and the tail were kept. Plain JSON. */
export interface CappedText {
  /** The head and the tail, one directly after the other. */
  text: string;
  /** How many bytes between them were left out; 0 when `text` is everything. */
  missing_bytes: number;
  /** Where in `text` they are missing, in UTF-16 units: the length of the head. */
  missing_at: number;
}

/** Takes bytes as they come and keeps at most `bytesMax` of them. */
export interface CappedOutput {
  write(chunk: Uint8Array): void;
  end(): CappedText;
}

/** The text for a reader: a notice stands where bytes are missing. */
export function shown(capped: CappedText): string {
  if (capped.missing_bytes === 0) return capped.text;
  const notice = `[… ${capped.missing_bytes.toLocaleString("en-US")} bytes left out …]`;
  const parts = [
    capped.text.slice(0, capped.missing_at),
    notice,
    capped.text.slice(capped.missing_at),
  ];
  return parts.filter((part) => part !== "").join("\n");
}

/**
 * Keeps the first three quarters and the last quarter of `bytesMax` bytes, in memory of that size however much is
 * written: the head says what the output is, the tail usually says why it ended. Cuts at UTF-8 borders; bytes that
 * are not UTF-8 become U+FFFD.
 */
export function cappedOutput(bytesMax: number): CappedOutput {
  let head: Uint8Array | undefined;
  let tail = new Uint8Array(0);
  let headBytes = 0;
  let restBytes = 0; // everything after the head that was ever written, not only what is still kept

  return {
    write(chunk) {
      if (head === undefined) {
        head = new Uint8Array(Math.ceil((bytesMax * 3) / 4));
        tail = new Uint8Array(bytesMax - head.length);
      }
      const forHead = chunk.subarray(0, head.length - headBytes);
      head.set(forHead, headBytes);
      headBytes += forHead.length;
      const rest = chunk.subarray(forHead.length);
      writeAround(tail, restBytes, rest);
      restBytes += rest.length;
    },
    end() {
      const first = Buffer.from(head?.subarray(0, headBytes) ?? []);
      const last = unwound(tail, restBytes);
      if (restBytes <= tail.length) {
        const text = Buffer.concat([first, last]).toString("utf8");
        return { text, missing_bytes: 0, missing_at: text.length };
      }
      const cutFirst = first.subarray(0, wholeCharactersEnd(first));
      const cutLast = last.subarray(firstCharacterStart(last));
      const headText = cutFirst.toString("utf8");
      return {
        text: headText + cutLast.toString("utf8"),
        missing_bytes: headBytes + restBytes - cutFirst.length - cutLast.length,
        missing_at: headText.length,
      };
    },
  };
}

/** Writes into a ring of which `written` bytes have gone in already; only what still fits at the end is kept. */
function writeAround(ring: Uint8Array, written: number, bytes: Uint8Array): void {
  if (ring.length === 0) return;
  const kept = bytes.subarray(Math.max(0, bytes.length - ring.length));
  const start = (written + bytes.length - kept.length) % ring.length;
  const untilEnd = kept.subarray(0, ring.length - start);
  ring.set(untilEnd, start);
  ring.set(kept.subarray(untilEnd.length), 0);
}

function unwound(ring: Uint8Array, written: number): Buffer {
  if (written <= ring.length) return Buffer.from(ring.subarray(0, written));
  if (ring.length === 0) return Buffer.alloc(0);
  const start = written % ring.length;
  return Buffer.concat([ring.subarray(start), ring.subarray(0, start)]);
}

const isContinuation = (byte: number | undefined): boolean =>
  byte !== undefined && (byte & 0xc0) === 0x80;

/** Where the last whole character ends: a lead byte near the end that promises more than is there is left out. */
function wholeCharactersEnd(bytes: Uint8Array): number {
  for (let back = 1; back <= Math.min(3, bytes.length); back++) {
    const byte = bytes[bytes.length - back];
    if (byte === undefined || isContinuation(byte)) continue;
    const promised = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc0 ? 2 : 1;
    return promised > back ? bytes.length - back : bytes.length;
  }
  return bytes.length;
}

function firstCharacterStart(bytes: Uint8Array): number {
  let start = 0;
  while (start < 3 && isContinuation(bytes[start])) start++;
  return start;
}
