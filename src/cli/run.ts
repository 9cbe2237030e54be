import {
  createAsker,
  createHarness,
  exitCodeOf,
  newConversation,
  nobody,
  type HarnessEvent,
} from "../index.ts";
import { harnessOptions } from "./config.ts";
import type { Flags } from "./flags.ts";
import { createReporter } from "./report.ts";
import { readPipedInput } from "./stdin.ts";

/** One turn from the command line; resolves to the exit code. */
export async function runQuestion(words: string, flags: Flags): Promise<number> {
  const piped = process.stdin.isTTY ? "" : await readPipedInput(process.stdin, process.stderr);
  const question = words.trim() === "" ? piped.trim() : words;
  const attachment = words.trim() === "" ? "" : piped.trim();
  const options = await harnessOptions(flags);
  const asker =
    process.stdin.isTTY && !flags.print
      ? createAsker({ input: process.stdin, output: process.stderr })
      : nobody;
  const reporter = createReporter(flags, {
    stdout: process.stdout,
    stderr: process.stderr,
    environment: process.env,
  });
  const harness = createHarness({
    ...options,
    asker: {
      ask: (input, signal) => reporter.paused(() => asker.ask(input, signal)),
      close: asker.close,
    },
    onEvent: (event: HarnessEvent) => reporter.show(event),
  });
  const stop = listenForStop(flags.timeout);
  try {
    const turn = await harness.run(
      { ...newConversation(), question, attachment },
      { signal: stop.signal },
    );
    return exitCodeOf(turn);
  } finally {
    stop.release();
    asker.close();
    reporter.end();
  }
}

const SECOND_CTRL_C_MS = 2000;

/** Ctrl-C, SIGTERM and the time limit as one signal. A second Ctrl-C within two seconds does not wait for anything. */
function listenForStop(timeoutSeconds: number): { signal: AbortSignal; release: () => void } {
  const stopped = new AbortController();
  let interruptedAt = 0;
  const interrupt = () => {
    if (interruptedAt > 0 && Date.now() - interruptedAt < SECOND_CTRL_C_MS) process.exit(130);
    interruptedAt = Date.now();
    stopped.abort("user");
  };
  const terminate = () => stopped.abort("terminate");
  const timer = setTimeout(
    () => stopped.abort(new DOMException(`no answer within ${timeoutSeconds} s`, "TimeoutError")),
    timeoutSeconds * 1000,
  );
  process.on("SIGINT", interrupt);
  process.on("SIGTERM", terminate);
  return {
    signal: stopped.signal,
    release: () => {
      clearTimeout(timer);
      process.off("SIGINT", interrupt);
      process.off("SIGTERM", terminate);
    },
  };
}
