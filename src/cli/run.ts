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
  type HarnessOptions,
  type RunOptions,
  type Turn,
} from "../index.ts";
import { terminalText } from "../terminal-text.ts";
import { harnessOptions } from "./config.ts";
import { keptOf, withKept, type Flags } from "./flags.ts";
import type { InspectedTurn, inspectTurn } from "./inspect-turn.ts";
import { print } from "./print.ts";
import { createReporter, type Reporter } from "./report.ts";
import { isWaiting, openSession, type Session } from "./session.ts";
import { readPipedInput } from "./stdin.ts";
import { listenForStop, type Stop } from "./stop.ts";

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
  let inspected: InspectedTurn | null = null;
  const release = () => {
    stop.release();
    person.close();
    reporter?.end();
    session?.journal.close();
  };
  try {
    const input = await questionOf(words, goesOn(given), stop.signal);
    // Stopped before there was a question: nothing has begun that could be gone on with.
    session = stop.signal.aborted ? null : await openSession(given);
    const flags = session?.last ? withKept(given, session.last.record.settings, isGiven) : given;
    const options = await harnessOptions(flags);
    const reply = session ? replyIn(session, input) : null;
    const asked = reply === null ? input : null;
    inspected = await inspectedTurn(flags, { question: asked?.question, session, stop, isGiven });
    // After the address has its line: the live one begins with this.
    const { stdout, stderr, env: environment } = process;
    const shown = createReporter(flags, { stdout, stderr, environment, isAsking });
    reporter = shown;
    const asker = reply === null ? person : replying(reply, person);
    const harness = createHarness({ ...options, ...watching(shown, asker, inspected) });
    const turn = await takeTurn(harness, session, asked, {
      ...runOptions({ stop, session, inspected }),
      settings: keptOf(flags),
    });
    if (session) tellHowToGoOn(turn, session.id);
    release();
    await inspected?.stay();
    return exitCodeOf(turn);
  } finally {
    release();
    await inspected?.close();
  }
}

/** The words of the command line, where the session waits with a question. */
const replyIn = (session: Session, input: Input | null): string | null =>
  input && isWaiting(session) ? input.question : null;

/** What shows a turn is not even loaded for one that nobody wants to see, or that cannot begin. */
async function inspectedTurn(
  flags: Flags,
  options: Parameters<typeof inspectTurn>[1],
): Promise<InspectedTurn | null> {
  const { stop, question } = options;
  if (!flags.inspect || stop.signal.aborted || question?.trim() === "") return null;
  const { inspectTurn: begin } = await import("./inspect-turn.ts");
  return begin(flags, options);
}

/** Who is told of the turn, and who is asked in it. */
const watching = (
  shown: Reporter,
  person: Asker,
  inspected: InspectedTurn | null,
): Pick<HarnessOptions, "asker" | "onEvent" | "pause"> => {
  const asker = inspected?.asker(person) ?? person;
  return {
    asker: { ...asker, ask: (pending, signal) => shown.paused(() => asker.ask(pending, signal)) },
    onEvent: (event: HarnessEvent) => shown.show(event),
    ...(inspected ? { pause: inspected.pause } : {}),
  };
};

function runOptions({
  stop,
  session,
  inspected,
}: {
  stop: Stop;
  session: Session | null;
  inspected: InspectedTurn | null;
}): RunOptions {
  if (inspected) return { journal: inspected.journal, signal: inspected.signal };
  return { signal: stop.signal, ...(session ? { journal: session.journal } : {}) };
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
  options: RunOptions,
): Promise<Turn> {
  if (!session) return harness.run({ ...newConversation(), ...(input ?? NOTHING) }, options);
  const { conversation, last } = session;
  if (input) {
    if (last?.snapshot.status === "active")
      process.stderr.write(
        `broharness: the turn before was cut short and stays so; --resume ${session.id} without a question goes on in it\n`,
      );
    return harness.run({ ...conversation, ...input }, options);
  }
  if (!last) return harness.run({ ...conversation, ...NOTHING }, options);
  if (resumptionOf(last)) return harness.resume(last, options);
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
