import { Readable, Writable } from "node:stream";
import {
  createAsker,
  createHarness,
  exitCodeOf,
  newConversation,
  nobody,
  resumptionOf,
  type Asker,
  type Harness,
  type HarnessEvent,
  type RunOptions,
  type Turn,
} from "../index.ts";
import { terminalText } from "../terminal-text.ts";
import { harnessOptions } from "./config.ts";
import { keptOf, withKept, type Flags } from "./flags.ts";
import { print } from "./print.ts";
import { createReporter, type Reporter } from "./report.ts";
import { isWaiting, openSession, type Session } from "./session.ts";
import { readPipedInput } from "./stdin.ts";

/** One turn from the command line; resolves to the exit code. */
export async function runQuestion(
  words: string,
  given: Flags,
  isGiven: (flag: string) => boolean,
): Promise<number> {
  let reporter: Reporter | undefined;
  // From here on, so that the time limit holds for a pipe that never ends, too.
  const stop = listenForStop(given.timeout, () => reporter?.end());
  const { isAsking, person } = personFor(given);
  let session: Session | null = null;
  try {
    const input = await questionOf(words, goesOn(given), stop.signal);
    // Stopped before there was a question: nothing has begun that could be gone on with.
    session = stop.signal.aborted ? null : await openSession(given);
    const flags = session?.last ? withKept(given, session.last.record.settings, isGiven) : given;
    const options = await harnessOptions(flags);
    const { stdout, stderr, env: environment } = process;
    const shown = createReporter(flags, { stdout, stderr, environment, isAsking });
    reporter = shown;
    const reply = input && session && isWaiting(session) ? input.question : null;
    const asker = reply === null ? person : replying(reply, person);
    const harness = createHarness({
      ...options,
      asker: { ...asker, ask: (pending, signal) => shown.paused(() => asker.ask(pending, signal)) },
      onEvent: (event: HarnessEvent) => shown.show(event),
    });
    const turn = await takeTurn(harness, session, reply === null ? input : null, {
      signal: stop.signal,
      settings: keptOf(flags),
    });
    if (session) tellHowToGoOn(turn, session.id);
    return exitCodeOf(turn);
  } finally {
    stop.release();
    person.close();
    reporter?.end();
    session?.journal.close();
  }
}

function tellHowToGoOn({ outcome }: Turn, id: string): void {
  if (outcome?.kind === "stopped" || outcome?.kind === "needs_input")
    process.stderr.write(`broharness: to go on in this turn: broharness --resume ${id}\n`);
}

/** Without a person a question ends the turn; on a stderr that is no terminal it would be waited for unseen. */
function personFor({ print: isPrinting }: Flags): { isAsking: boolean; person: Asker } {
  const isAsking = process.stdin.isTTY && process.stderr.isTTY && !isPrinting;
  const streams = { input: process.stdin, output: process.stderr };
  return { isAsking, person: isAsking ? createAsker(streams) : nobody };
}

type Input = { question: string; attachment: string };

/** A new turn, or the rest of one that was cut short; of one that had ended, its end again. */
async function takeTurn(
  harness: Harness,
  session: Session | null,
  input: Input | null,
  { signal, settings }: Required<Pick<RunOptions, "signal" | "settings">>,
): Promise<Turn> {
  if (!session)
    return harness.run({ ...newConversation(), ...(input ?? NOTHING) }, { signal, settings });
  const { journal, conversation, last } = session;
  if (input) {
    if (last?.snapshot.status === "active")
      process.stderr.write(
        `broharness: the turn before was cut short and stays so; --resume ${session.id} without a question goes on in it\n`,
      );
    return harness.run({ ...conversation, ...input }, { signal, settings, journal });
  }
  if (!last) return harness.run({ ...conversation, ...NOTHING }, { signal, settings, journal });
  if (resumptionOf(last)) return harness.resume(last, { signal, journal });
  const { context } = last.snapshot;
  process.stderr.write("broharness: this turn had ended; its end again (ask something to go on)\n");
  if (context.outcome?.kind === "answered") print(context.outcome.text);
  if (context.outcome?.kind === "fallback")
    process.stderr.write(`${terminalText(context.outcome.text)}\n`);
  return context;
}

/** Gives the words of the command line to the question that waits, and leaves every further one to the person. */
function replying(words: string, person: Asker): Asker {
  const output = new Writable({ write: (_chunk, _encoding, done) => done() });
  let first: Asker | null = createAsker({ input: Readable.from([`${oneLine(words)}\n`]), output });
  return {
    close: person.close,
    async ask(input, signal) {
      const asker = first ?? person;
      first = null;
      return asker.ask(input, signal);
    },
  };
}

const oneLine = (words: string) => words.replaceAll(/\s*[\r\n]+\s*/g, " ");

const NOTHING: Input = { question: "", attachment: "" };

const goesOn = ({ continue: newest, resume }: Flags) => newest === true || resume !== undefined;

/** The question from the command line, with what is piped in added to it; or what is piped in. */
async function questionOf(
  words: string,
  mayBeNone: boolean,
  signal: AbortSignal,
): Promise<Input | null> {
  const piped = process.stdin.isTTY
    ? ""
    : await readPipedInput(process.stdin, process.stderr, signal);
  if (words.trim() !== "") return { question: words, attachment: piped.trim() };
  if (mayBeNone && piped.trim() === "") return null;
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
