import { signature } from "../contracts/call.ts";
import { machineHash } from "../machine/machine-hash.ts";
import { stepsOf, type Steps } from "../machine/step.ts";
import { turnMachine, type TurnMachine, type TurnSnapshot } from "../machine/turn.machine.ts";
import type { Conversation, TurnEvent, TurnInput } from "../machine/turn.types.ts";
import { PastTurn, takeIn, type EventRecord, type FoldedTurn, type Said } from "./folded-turn.ts";
import type { JournalFault, JournalText } from "./line.ts";
import type {
  EndRecord,
  IntentRecord,
  JournalRecord,
  SessionRecord,
  Stamped,
  TurnRecord,
} from "./record.ts";
import { shapeFault } from "./shape.ts";

export type { FoldedTurn, Step } from "./folded-turn.ts";

export interface Folded {
  session: SessionRecord | null;
  turns: FoldedTurn[];
  /** The first line that the machine could not have written, and why. */
  fault: JournalFault | null;
}

/** The event that a record stands for; null for a record that is none. */
export function eventOf(record: JournalRecord): TurnEvent | null {
  switch (record.type) {
    case "outcome":
      return {
        type: `xstate.done.actor.${record.of}`,
        actorId: record.of,
        output: "output" in record ? record.output : undefined,
      } as TurnEvent;
    case "crash":
      return {
        type: `xstate.error.actor.${record.of}`,
        actorId: record.of,
        error: record.error,
      } as TurnEvent;
    case "abort":
      return { type: "abort", by: record.by };
    case "session":
    case "turn":
    case "intent":
    case "resume":
    case "end":
      return null;
  }
}

/** Whether the turn of this snapshot ended only because it was stopped, or because there was nobody to ask. */
export const isStopped = ({ context: { outcome } }: TurnSnapshot): boolean =>
  outcome?.kind === "stopped" || outcome?.kind === "needs_input";

/** What the next turn goes on with. */
export function conversationAfter(turn: FoldedTurn): Conversation {
  const { messages, loaded_skills } = turn.snapshot.context;
  return { messages, loaded_skills };
}

/** Computes a session again from its records, by pure transitions. Stops at the first line that is not legal. */
export function fold(
  { records, fault }: Pick<JournalText, "records" | "fault">,
  machine: TurnMachine = turnMachine,
): Folded {
  const folded = emptyFold();
  for (const record of records) if (extend(folded, record, machine)) return folded;
  return { ...folded, fault };
}

/** A session without a record. */
export const emptyFold = (): Folded => ({ session: null, turns: [], fault: null });

/** Adds one record. What cannot stand there changes nothing but `fault`, and from then on nothing can be added. */
export function extend(
  folded: Folded,
  record: Stamped,
  machine: TurnMachine = turnMachine,
): JournalFault | null {
  if (folded.fault) return folded.fault;
  const why = addOrFault(folded, record, machine);
  if (why !== null) folded.fault = { line: record.n, why };
  return folded.fault;
}

/** A file may have been written by anyone: what the machine stumbles over is a fault of the line, not ours. */
function addOrFault(folded: Folded, record: Stamped, machine: TurnMachine): string | null {
  try {
    return shapeFault(record) ?? add(folded, record, machine);
  } catch (error) {
    return `the machine cannot read this: ${messageOf(error)}`;
  }
}

/** Adds one record, or says why it cannot stand here. */
function add(folded: Folded, record: Stamped, machine: TurnMachine): string | null {
  if (record.type === "session") {
    if (record.n !== 1) return "a second session begins in the middle of a file";
    folded.session = record;
    return null;
  }
  if (!folded.session) return "the file does not begin with its session";
  if (record.type === "turn") return beginTurn(folded, record, machine);
  const turn = folded.turns.at(-1);
  if (!turn) return `${record.type} before any turn`;
  switch (record.type) {
    case "intent":
      return addIntent(turn, record);
    case "resume":
      return addResume(turn);
    case "end":
      return addEnd(turn, record);
    case "outcome":
    case "crash":
    case "abort":
      return addEvent(turn, record, machine);
  }
}

const saidIn = new WeakMap<Folded, Said>();

/** Puts the turn before a new one away, and goes on with what was said. */
function putAway(folded: Folded, { messages }: TurnInput): void {
  const last = folded.turns.pop();
  let said = saidIn.get(folded) ?? { all: [] };
  if (last) folded.turns.push(new PastTurn(last, said));
  // A turn that was given another conversation begins another list.
  if (!takeIn(said, messages)) said = { all: messages };
  saidIn.set(folded, said);
}

const made = new WeakMap<TurnMachine, { hash: string; steps: Steps }>();

/** What is made of a machine once only: a session may have thousands of turns. */
function madeOf(machine: TurnMachine): { hash: string; steps: Steps } {
  const known = made.get(machine) ?? {
    hash: machineHash(machine.config),
    steps: stepsOf(machine),
  };
  made.set(machine, known);
  return known;
}

function beginTurn(
  folded: Folded,
  record: Stamped<TurnRecord>,
  machine: TurnMachine,
): string | null {
  const { hash, steps } = madeOf(machine);
  if (record.machine !== hash)
    return `this turn was taken by another version of the machine (${record.machine}; this one is ${hash}): use the version of broharness that wrote it`;
  const before = folded.turns.at(-1);
  const left: Conversation = before
    ? conversationAfter(before)
    : { messages: [], loaded_skills: [] };
  const input = inputFrom(left, record.input);
  const first = steps.first(input);
  if (first.status === "error") return `no turn can begin like this: ${messageOf(first.error)}`;
  putAway(folded, input);
  folded.turns.push({
    line: record.n,
    record,
    input,
    first,
    steps: [],
    snapshot: first,
    intent: null,
    end: null,
  });
  return null;
}

function addIntent(turn: FoldedTurn, record: IntentRecord): string | null {
  const [next] = turn.snapshot.context.queue;
  if (turn.snapshot.value !== "tool_use" || !next)
    return `a script starts in ${turn.snapshot.value}`;
  if (signature(next) !== signature(record.call))
    return `${record.call.name} starts, but the next call is ${next.name}`;
  if (turn.intent && turn.intent.effect !== "read")
    return `${record.call.name} starts a second time, though its first start has no outcome`;
  turn.intent = record;
  return null;
}

/** A stop, or a reply that nobody gave, is undone; what was interrupted by a crash simply goes on. */
function addResume(turn: FoldedTurn): string | null {
  if (turn.snapshot.status === "active") return null;
  if (!isStopped(turn.snapshot)) return "a turn that has ended goes on";
  const undone = turn.steps.pop();
  if (!undone) return "a turn goes on that never began";
  turn.snapshot = undone.before;
  turn.end = null;
  return null;
}

function addEnd(turn: FoldedTurn, record: EndRecord): string | null {
  if (turn.snapshot.status !== "done") return `the turn is still in ${turn.snapshot.value}`;
  if (turn.end) return "the turn ends twice";
  if (turn.snapshot.value !== record.state)
    return `the turn ends in ${turn.snapshot.value}, not in ${record.state}`;
  turn.end = record;
  return null;
}

function addEvent(
  turn: FoldedTurn,
  record: Stamped<EventRecord>,
  machine: TurnMachine,
): string | null {
  const before = turn.snapshot;
  const step = stepOrFault(before, record, machine);
  if ("why" in step) return step.why;
  turn.steps.push({ line: record.n, at: record.at, record, before, ...step });
  turn.snapshot = step.after;
  if (record.type !== "abort") turn.intent = null;
  return null;
}

/** What the machine makes of a record, or why it cannot come here. Throws what a guard throws on an ill-formed output. */
export function stepOrFault(
  before: TurnSnapshot,
  record: EventRecord,
  machine: TurnMachine = turnMachine,
): { event: TurnEvent; after: TurnSnapshot } | { why: string } {
  if (before.status !== "active") return { why: `the turn had ended in ${before.value}` };
  if (record.type !== "abort" && !(record.of in before.children))
    return { why: `something came from ${record.of}, but the turn is in ${before.value}` };
  const event = eventOf(record);
  if (!event) return { why: "no event" };
  if (!before.can(event)) return { why: `${before.value} has no way on for this` };
  const after = madeOf(machine).steps.next(before, event);
  return after.status === "error"
    ? { why: `the machine breaks on this: ${messageOf(after.error)}` }
    : { event, after };
}

const messageOf = (error: unknown): string =>
  error instanceof Error ? error.message : String(error);

/** Where a turn that was cut short goes on: its last state at work, and the script of which nobody knows what it did. */
export interface Resumption {
  input: TurnInput;
  snapshot: TurnSnapshot;
  intent: IntentRecord | null;
}

/** Null for a turn that has ended. */
export function resumptionOf({ input, snapshot, steps, intent }: FoldedTurn): Resumption | null {
  if (snapshot.status === "active") return { input, snapshot, intent };
  const last = steps.at(-1);
  return last && isStopped(snapshot) ? { input, snapshot: last.before, intent } : null;
}

/** The machine's input as a turn record and the conversation before it give it: its keys always in one order. */
export function inputFrom(left: Conversation, given: TurnRecord["input"]): TurnInput {
  const { messages, loaded_skills } = { ...left, ...given };
  const { question, attachment = "", nonce, skills, limits } = given;
  return { messages, loaded_skills, question, attachment, nonce, skills, limits };
}
