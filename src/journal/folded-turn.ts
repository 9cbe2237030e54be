import type { TurnSnapshot } from "../machine/turn.machine.ts";
import type { TurnEvent, TurnInput } from "../machine/turn.types.ts";
import type { Message } from "../session/message.ts";
import type {
  AbortRecord,
  CrashRecord,
  EndRecord,
  IntentRecord,
  OutcomeRecord,
  Stamped,
  TurnRecord,
} from "./record.ts";

/** A record that stands for an event. */
export type EventRecord = OutcomeRecord | CrashRecord | AbortRecord;

/** One event from outside, and what the machine made of it. */
export interface Step {
  line: number;
  at: number;
  /** What stands in the journal for it. */
  record: Stamped<EventRecord>;
  event: TurnEvent;
  before: TurnSnapshot;
  after: TurnSnapshot;
}

/** A turn, computed again from its records. */
export interface FoldedTurn {
  line: number;
  record: Stamped<TurnRecord>;
  input: TurnInput;
  first: TurnSnapshot;
  steps: Step[];
  /** Where the turn is after its last record. */
  snapshot: TurnSnapshot;
  /** A script that was started, and of which nobody knows what it did. */
  intent: IntentRecord | null;
  end: EndRecord | null;
}

/** All messages of a session so far. A turn's own are the first so many of them. */
export interface Said {
  all: readonly Message[];
}

/** Takes a list in that goes on where the others end, or is the beginning of them; false for any other. */
export function takeIn(said: Said, messages: readonly Message[]): boolean {
  const most = Math.min(said.all.length, messages.length);
  for (let at = 0; at < most; at++) if (said.all[at] !== messages[at]) return false;
  if (messages.length > said.all.length) said.all = messages;
  return true;
}

const NONE: Message[] = [];

/** A snapshot without its messages and actors, which are most of what it takes; they are put in again when it is looked at. */
class Kept {
  readonly #said: Said | null;
  readonly #count: number;
  readonly #snapshot: TurnSnapshot;

  constructor(snapshot: TurnSnapshot, said: Said | null) {
    const { messages } = snapshot.context;
    this.#said = said;
    this.#count = messages.length;
    this.#snapshot = withParts(snapshot, said ? NONE : messages, waitingIn(snapshot));
  }

  get whole(): TurnSnapshot {
    const messages = this.#said?.all.slice(0, this.#count);
    return messages ? withParts(this.#snapshot, messages, this.#snapshot.children) : this.#snapshot;
  }
}

const withParts = (
  snapshot: TurnSnapshot,
  messages: Message[],
  children: TurnSnapshot["children"],
): TurnSnapshot => ({ ...snapshot, context: { ...snapshot.context, messages }, children });

const stubs = new Map<string, TurnSnapshot["children"]>();

/** Of the actors of a turn that never goes on, only their names are asked for. */
function waitingIn({ children }: TurnSnapshot): TurnSnapshot["children"] {
  const ids = Object.keys(children);
  const key = ids.join(" ");
  const known = stubs.get(key) ?? Object.fromEntries(ids.map((id) => [id, stub(id)]));
  stubs.set(key, known);
  return known;
}

function stub(id: string): never {
  const getPersistedSnapshot = (): never => {
    throw new Error(`${id} cannot go on: another turn came after this one`);
  };
  return { id, getPersistedSnapshot } as never;
}

class PastStep implements Step {
  readonly line: number;
  readonly at: number;
  readonly record: Stamped<EventRecord>;
  readonly event: TurnEvent;
  readonly #before: Kept;
  readonly #after: Kept;

  constructor({ line, at, record, event }: Step, before: Kept, after: Kept) {
    this.line = line;
    this.at = at;
    this.record = record;
    this.event = event;
    this.#before = before;
    this.#after = after;
  }

  get before(): TurnSnapshot {
    return this.#before.whole;
  }

  get after(): TurnSnapshot {
    return this.#after.whole;
  }
}

/**
 * A turn that another one follows: it never changes again. Each turn has a list of all messages before it, so that in a
 * session of thousands of turns these lists would be most of the memory.
 */
export class PastTurn implements FoldedTurn {
  readonly line: number;
  readonly record: Stamped<TurnRecord>;
  readonly steps: Step[];
  readonly intent: IntentRecord | null;
  readonly end: EndRecord | null;
  readonly #input: Omit<TurnInput, "messages">;
  readonly #first: Kept;

  /** `said` is what the session said up to this turn's end. */
  constructor(turn: FoldedTurn, said: Said) {
    const { messages } = turn.input;
    const keep = (snapshot: TurnSnapshot): Kept => {
      const own = snapshot.context.messages;
      return new Kept(snapshot, own === messages || takeIn(said, own) ? said : null);
    };
    this.line = turn.line;
    this.record = turn.record;
    this.intent = turn.intent;
    this.end = turn.end;
    this.#input = { ...turn.input, messages: NONE } as Omit<TurnInput, "messages">;
    this.#first = keep(turn.first);
    let last = this.#first;
    this.steps = turn.steps.map((step) => {
      const before = last;
      last = keep(step.after);
      return new PastStep(step, before, last);
    });
  }

  get input(): TurnInput {
    return { ...this.#input, messages: this.first.context.messages };
  }

  get first(): TurnSnapshot {
    return this.#first.whole;
  }

  get snapshot(): TurnSnapshot {
    return this.steps.at(-1)?.after ?? this.first;
  }
}
