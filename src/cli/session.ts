import { createInterface } from "node:readline/promises";
import {
  conversationAfter,
  createJournal,
  createRedactor,
  findSession,
  fold,
  forkSession,
  HarnessError,
  listSessions,
  type loadJournal,
  newConversation,
  newestSession,
  newSessionId,
  openJournal,
  resumptionOf,
  secretsOf,
  sessionPath,
  sessionsFolder,
  version,
  type Conversation,
  type FoldedTurn,
  type Journal,
} from "../index.ts";
import { terminalText } from "../terminal-text.ts";
import type { Flags } from "./flags.ts";

/** The session of one run of the command line. */
export interface Session {
  id: string;
  journal: Journal;
  conversation: Conversation;
  /** The last turn in it; null in a new session. */
  last: FoldedTurn | null;
  /** What stands in its journal. */
  records: ReturnType<typeof loadJournal>["records"];
}

/** Opens the session that the flags name, or begins one; null with --no-session. */
export async function openSession(flags: Flags): Promise<Session | null> {
  const goesOn = flags.continue === true || flags.resume !== undefined;
  if (flags.forkSession && !goesOn)
    throw new HarnessError("usage", "--fork-session: say which session, with -c or -r ID");
  if (!flags.session) return null;
  const folder = sessionsFolder(process.env);
  if (!goesOn) return beginSession(folder);
  const found = await idOf(flags, folder);
  return continueSession(folder, flags.forkSession ? copyOf(folder, found) : found);
}

const options = () => ({
  redactor: createRedactor(secretsOf(process.env)),
  now: () => Date.now(),
});

const newId = () => newSessionId(Date.now(), Math.random());

/** Its file is made with its first turn: a question that never became one leaves nothing behind. */
function beginSession(folder: string): Session {
  const id = newId();
  let made: Journal | null = null;
  const make = () => {
    const journal = createJournal({ path: sessionPath(folder, id), ...options() });
    const cwd = process.cwd();
    made = journal;
    journal.write({ type: "session", format: 1, id, version, cwd, forked_from: null });
    return journal;
  };
  const journal: Journal = {
    left: null,
    get redacted() {
      return made?.redacted ?? false;
    },
    write: (record) => (made ?? make()).write(record),
    close: () => made?.close(),
  };
  return { id, journal, conversation: newConversation(), last: null, records: [] };
}

function copyOf(folder: string, id: string): string {
  const copy = newId();
  forkSession(folder, id, copy);
  return copy;
}

function continueSession(folder: string, id: string): Session {
  const path = sessionPath(folder, id);
  const { journal, text } = openJournal({ path, ...options() });
  if (text.torn !== null)
    process.stderr.write(
      `broharness: session ${id}: half a line at its end was dropped; it was never acted on\n`,
    );
  const { turns, fault } = fold(text);
  if (fault) {
    journal.close();
    throw new HarnessError("config", `session ${id}, line ${fault.line}: ${fault.why}`);
  }
  const last = turns.at(-1) ?? null;
  const conversation = last ? conversationAfter(last) : newConversation();
  journal.left = last ? conversation : null;
  return { id, journal, conversation, last, records: text.records };
}

/** Whether words on the command line are the reply to a question that this session waits with. */
export const isWaiting = ({ last }: Session): boolean =>
  last !== null && resumptionOf(last)?.snapshot.value === "ask_user_question";

async function idOf(flags: Flags, folder: string): Promise<string> {
  if (typeof flags.resume === "string") return findSession(folder, flags.resume);
  if (flags.resume === undefined) {
    const id = newestSession(folder, process.cwd());
    if (id === null) throw new HarnessError("usage", "--continue: no session in this folder yet");
    return id;
  }
  return pickSession(folder);
}

const CHOICES_MAX = 10;

/** `--resume` without an id: a list to choose from. */
async function pickSession(folder: string): Promise<string> {
  const sessions = listSessions(folder).slice(0, CHOICES_MAX);
  if (sessions.length === 0) throw new HarnessError("usage", "--resume: there is no session yet");
  if (!process.stdin.isTTY || !process.stderr.isTTY)
    throw new HarnessError("usage", "--resume: name a session; `broharness sessions` lists them");
  for (const [index, { id, state, first_question: question }] of sessions.entries())
    process.stderr.write(terminalText(`${index + 1}. ${id} (${state}) ${question}\n`));
  const lines = createInterface({ input: process.stdin, output: process.stderr });
  const line = await lines.question("Which one? ");
  lines.close();
  const chosen = sessions[Number(line.trim()) - 1];
  if (!chosen) throw new HarnessError("usage", `--resume: no session has the number "${line}"`);
  return chosen.id;
}
