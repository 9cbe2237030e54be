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

// Both views are written out in one piece: an object put together from others takes ten times the memory and time.

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
    turn: number,
    line: record.n,
    at: record.at,
    kind: "turn",
    type: "xstate.init",
    title: oneLine(question),
    ok: null,
    by: null,
    from: [],
    to: [idOf(first)],
    arcs,
    actions: actions.atStart(arcs),
    patch: patchOf(before, first),
    output,
    blocks: readable(() => turnBlocks(turn), asJson(output)),
    budget: budgetOf(first),
    remaining: null,
    asks_model: asksModel(first),
    can_fork: false,
    ended: endOf(first),
  };
}

/** One event of a turn. */
export function viewOfStep(step: Step, { turn, before, actions }: Standing): StepView {
  const { record, event, after } = step;
  const from = idOf(step.before);
  const arcs = arcsOf(consideredArcs(step.before, event));
  const output = outputOf(record);
  const told = readable<Told>(() => titleOf(step), { kind: "event", title: event.type, ok: null });
  return {
    turn,
    line: record.n,
    at: record.at,
    kind: told.kind,
    type: event.type,
    title: oneLine(told.title),
    ok: told.ok,
    by: record.type === "outcome" ? (record.by ?? null) : null,
    from: [from],
    to: [idOf(after)],
    arcs,
    actions: actions.along(from, arcs),
    patch: patchOf(before, after),
    output,
    blocks: readable(() => blocksOf(step), asJson(output)),
    budget: budgetOf(after),
    remaining: null,
    asks_model: asksModel(after),
    can_fork: record.type === "outcome",
    ended: endOf(after),
  };
}

const patchOf = (before: Turn | null, { context }: TurnSnapshot): StepView["patch"] =>
  patchBetween((before ?? {}) as JsonObject, context as unknown as JsonObject);

function budgetOf({ context: { budget } }: TurnSnapshot): StepView["budget"] {
  const { retries, steps, asks } = budget;
  return { retries, steps, asks };
}

const asksModel = ({ value }: TurnSnapshot): boolean =>
  ["skill_call", "tool_call", "answer"].includes(value);

const endOf = ({ status, value }: TurnSnapshot): StepView["ended"] =>
  status === "done" ? value : null;

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
