import type { FoldedTurn, Step } from "../../journal/fold.ts";
import { turnMachine, type TurnSnapshot } from "../../machine/turn.machine.ts";
import type { Turn, TurnEvent, TurnInput, TurnOutcome } from "../../machine/turn.types.ts";

/** The version of `@statelyai/inspect` whose protocol this is. */
const VERSION = "0.7.2";

interface Base {
  _version: typeof VERSION;
  /** Milliseconds since 1970. */
  createdAt: string;
  id: string;
  rootId: string;
  sessionId: string;
}

type StatelySnapshot = { value: string; context: Turn; error: undefined } & (
  | { status: "active" | "stopped"; output: undefined }
  | { status: "done"; output: TurnOutcome | undefined }
);

/** What `@statelyai/inspect` tells its receivers. Plain JSON, but for keys that are undefined. */
export type StatelyEvent =
  | (Base & {
      type: "@xstate.actor";
      name: string;
      /** The chart as JSON, its states in document order. */
      definition: string;
      parentId: undefined;
      snapshot: StatelySnapshot;
    })
  | (Base & { type: "@xstate.event"; event: TurnEvent; sourceId: string | undefined })
  | (Base & {
      type: "@xstate.snapshot";
      event: TurnEvent | { type: "xstate.init"; input: TurnInput };
      snapshot: StatelySnapshot;
    });

let definition: string | null = null;

/** A turn begins: an actor of its own, by the name `turn:${number}`, with its chart and its first snapshot. */
export function statelyTurn(
  { record, input, first }: Pick<FoldedTurn, "record" | "input" | "first">,
  turn: number,
): StatelyEvent[] {
  definition ??= JSON.stringify(turnMachine.config);
  const base = baseOf(turn, record);
  const snapshot = snapshotOf(first);
  return [
    {
      type: "@xstate.actor",
      ...base("actor"),
      name: turnMachine.id,
      definition,
      parentId: undefined,
      snapshot,
    },
    {
      type: "@xstate.snapshot",
      ...base("snapshot"),
      event: { type: "xstate.init", input },
      snapshot,
    },
  ];
}

/** Something reaches a turn, and what the machine makes of it. */
export function statelyStep(
  { record, event, after }: Pick<Step, "record" | "event" | "after">,
  turn: number,
): StatelyEvent[] {
  const base = baseOf(turn, record);
  const sourceId = record.type === "abort" ? undefined : `${sessionOf(turn)}/${record.of}`;
  return [
    { type: "@xstate.event", ...base("event"), event, sourceId },
    { type: "@xstate.snapshot", ...base("snapshot"), event, snapshot: snapshotOf(after) },
  ];
}

const sessionOf = (turn: number): string => `turn:${turn}`;

const baseOf =
  (turn: number, { n, at }: { n: number; at: number }) =>
  (what: string): Base => ({
    _version: VERSION,
    createdAt: String(at),
    id: `${sessionOf(turn)}/${n}/${what}`,
    rootId: sessionOf(turn),
    sessionId: sessionOf(turn),
  });

function snapshotOf({ status, value, context, output }: TurnSnapshot): StatelySnapshot {
  const plain = { value, context, error: undefined };
  if (status === "done") return { ...plain, status, output };
  return { ...plain, status: status === "active" ? status : "stopped", output: undefined };
}
