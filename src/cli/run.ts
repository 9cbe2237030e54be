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
import { createReporter, type Reporter } from "./report.ts";
import { readPipedInput } from "./stdin.ts";

/** One turn from the command line; resolves to the exit code. */
export async function runQuestion(words: string, flags: Flags): Promise<number> {
  let reporter: Reporter | undefined;
  // From here on, so that the time limit holds for a pipe that never ends, too.
  const stop = listenForStop(flags.timeout, () => reporter?.end());
  // A question on a stderr that is no terminal would be waited for unseen.
  const isAsking = process.stdin.isTTY && process.stderr.isTTY && !flags.print;
  const asker = isAsking ? createAsker({ input: process.stdin, output: process.stderr }) : nobody;
  try {
    const input = await questionOf(words, stop.signal);
    const options = await harnessOptions(flags);
    const { stdout, stderr, env: environment } = process;
    const shown = createReporter(flags, { stdout, stderr, environment, isAsking });
    reporter = shown;
    const harness = createHarness({
      ...options,
      asker: { ...asker, ask: (pending, signal) => shown.paused(() => asker.ask(pending, signal)) },
      onEvent: (event: HarnessEvent) => shown.show(event),
    });
    const turn = await harness.run({ ...newConversation(), ...input }, { signal: stop.signal });
    return exitCodeOf(turn);
  } finally {
    stop.release();
    asker.close();
    reporter?.end();
  }
}

/** The question from the command line, with what is piped in added to it; or what is piped in. */
async function questionOf(words: string, signal: AbortSignal) {
  const piped = process.stdin.isTTY
    ? ""
    : await readPipedInput(process.stdin, process.stderr, signal);
  if (words.trim() !== "") return { question: words, attachment: piped.trim() };
  // Whoever stops the reading is told that it was stopped, not that the question is missing.
  return { question: piped.trim() || (signal.aborted ? "(none yet)" : ""), attachment: "" };
}

const onTerminal = () => [process.stdin, process.stdout, process.stderr].some(({ isTTY }) => isTTY);

const SECOND_CTRL_C_MS = 2000;
/** Node turns a longer delay into 1 ms. */
const TIMER_MS_MAX = 2 ** 31 - 1;

/**
 * Ctrl-C, SIGTERM, the end of the terminal and the time limit as one signal. A second Ctrl-C within two seconds does not
 * wait for anything but `cleanUp`.
 */
function listenForStop(
  timeoutSeconds: number,
  cleanUp: () => void,
): { signal: AbortSignal; release: () => void } {
  const stopped = new AbortController();
  let interruptedAt = 0;
  const interrupt = () => {
    if (interruptedAt > 0 && Date.now() - interruptedAt < SECOND_CTRL_C_MS) {
      cleanUp();
      process.exit(130);
    }
    interruptedAt = Date.now();
    stopped.abort("user");
  };
  const terminate = () => stopped.abort("terminate");
  const timer = setTimeout(
    () => stopped.abort(new DOMException(`no answer within ${timeoutSeconds} s`, "TimeoutError")),
    Math.min(timeoutSeconds * 1000, TIMER_MS_MAX),
  );
  process.on("SIGINT", interrupt);
  process.on("SIGTERM", terminate);
  // Default handling would leave scripts running. Without a terminal it is left alone: nohup has it ignored.
  if (onTerminal()) process.on("SIGHUP", terminate);
  return {
    signal: stopped.signal,
    release: () => {
      clearTimeout(timer);
      process.off("SIGINT", interrupt);
      process.off("SIGTERM", terminate);
      process.off("SIGHUP", terminate);
    },
  };
}
