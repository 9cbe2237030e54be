import type { Json, JsonObject } from "../../contracts/call.ts";
import type { FoldedTurn, Step } from "../../journal/fold.ts";
import {
  consideredArcs,
  consideredAtStart,
  type ConsideredArc,
} from "../../machine/explain-step.ts";
import type { TurnSnapshot } from "../../machine/turn.machine.ts";
import type { Turn } from "../../machine/turn.types.ts";
import { blocksOf, turnBlocks } from "./blocks.ts";
import type { ChartActions } from "./chart-actions.ts";
import { arcId } from "../chart/chart-of.ts";
import { patchBetween } from "../patch.ts";
import type { Block, StepView } from "../protocol.ts";
import { titleOf, type Told } from "./step-title.ts";
import { oneLine, textOf } from "./text.ts";

/** Where a view stands in its run: the number of its turn, from 1, and the turn as the view before left it; null for the first. */
export interface Standing {
  turn: number;
  before: Turn | null;
  actions: ChartActions;
}

/** A turn's first view: its question. */
export function viewOfStart(
  turn: FoldedTurn,
  { turn: number, before, actions }: Standing,
): StepView {
  const { record, input, first } = turn;
  const { question, attachment = "", skills, limits } = input;
  const arcs = arcsOf(consideredAtStart(input));
  const output = { question, attachment, skills, limits } as unknown as JsonObject;
  return {
    ...placeOf(number, record),
    kind: "turn",
    type: "xstate.init",
    title: oneLine(question),
    ok: null,
    by: null,
    from: [],
    arcs,
    actions: actions.atStart(arcs),
    output,
    blocks: readable(() => turnBlocks(turn), asJson(output)),
    can_fork: false,
    ...afterIt(first, before),
  };
}

/** One event of a turn. */
export function viewOfStep(step: Step, { turn, before, actions }: Standing): StepView {
  const { record, event } = step;
  const from = idOf(step.before);
  const arcs = arcsOf(consideredArcs(step.before, event));
  const output = outputOf(record);
  const told = readable<Told>(() => titleOf(step), { kind: "event", title: event.type, ok: null });
  return {
    ...placeOf(turn, record),
    type: event.type,
    ...told,
    title: oneLine(told.title),
    by: record.type === "outcome" ? (record.by ?? null) : null,
    from: [from],
    arcs,
    actions: actions.along(from, arcs),
    output,
    blocks: readable(() => blocksOf(step), asJson(output)),
    can_fork: record.type === "outcome",
    ...afterIt(step.after, before),
  };
}

const placeOf = (
  turn: number,
  { n, at }: { n: number; at: number },
): Pick<StepView, "turn" | "line" | "at"> => ({ turn, line: n, at });

type AfterIt = Pick<StepView, "to" | "patch" | "budget" | "remaining" | "asks_model" | "ended">;

function afterIt(snapshot: TurnSnapshot, before: Turn | null): AfterIt {
  const { context, value, status } = snapshot;
  const { retries, steps, asks } = context.budget;
  return {
    to: [idOf(snapshot)],
    patch: patchBetween((before ?? {}) as JsonObject, context as unknown as JsonObject),
    budget: { retries, steps, asks },
    remaining: null,
    asks_model: ["skill_call", "tool_call", "answer"].includes(value),
    ended: status === "done" ? value : null,
  };
}

/** XState's id of the active state. */
const idOf = ({ machine, value }: TurnSnapshot): string => `${machine.id}.${value}`;

const arcsOf = (considered: readonly ConsideredArc[]): StepView["arcs"] =>
  considered.map(({ source, event, index, allowed }) => ({
    id: arcId(source, event, index),
    allowed,
  }));

function outputOf(record: Step["record"]): Json {
  if (record.type === "abort") return { by: record.by };
  if (record.type === "crash") return { ...record.error };
  return "output" in record ? ((record.output ?? null) as unknown as Json) : null;
}

const asJson = (output: Json): Block[] => [
  { label: "As data", tone: "code", text: textOf(output), facts: [] },
];

/** A journal may have been written by anyone, and the machine does not look at every part of an outcome. */
function readable<T>(read: () => T, otherwise: T): T {
  try {
    return read();
  } catch {
    return otherwise;
  }
}
