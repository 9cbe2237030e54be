import type { Readable, Writable } from "node:stream";
import { HarnessError } from "../index.ts";
import { reasonOf } from "../errors.ts";

const INPUT_BYTES_MAX = 10 * 1024 * 1024;
const QUIET_MS = 3000;

/**
 * All of the piped input as text. A pipe that stays open and silent is waited for, and that is said; when `signal`
 * aborts, what has come until then is all.
 */
export async function readPipedInput(
  input: Readable,
  notes: Writable,
  signal: AbortSignal,
): Promise<string> {
  const silent = setTimeout(
    () =>
      notes.write(
        "broharness: waiting for piped input to end (add < /dev/null if there is none)\n",
      ),
    QUIET_MS,
  );
  const stop = () => input.destroy();
  signal.addEventListener("abort", stop);
  const chunks: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const chunk of input as AsyncIterable<Buffer>) {
      bytes += chunk.length;
      if (bytes > INPUT_BYTES_MAX)
        throw new HarnessError(
          "too_large",
          "piped input is over 10 MB: save it as a file and ask about the file",
        );
      chunks.push(chunk);
    }
  } catch (error) {
    if (error instanceof HarnessError) throw error;
    if (!signal.aborted)
      throw new HarnessError(
        "not_readable",
        `piped input cannot be read: ${reasonOf(error)}; add < /dev/null if there is none`,
        { cause: error },
      );
  } finally {
    clearTimeout(silent);
    signal.removeEventListener("abort", stop);
  }
  return new TextDecoder("utf-8").decode(Buffer.concat(chunks));
}
