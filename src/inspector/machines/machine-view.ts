import type { Json } from "../../contracts/call.ts";
import { labelFor } from "./accepted-events.ts";
import { patchBetween } from "../patch.ts";
import { plainJson } from "./plain-json.ts";
import type { Block, StepView } from "../protocol.ts";
import type { SimulatedStep } from "./simulate.ts";

const TITLE_MAX = 200;

/** A machine's first step. `input` is shown where there is one. */
export function firstView(step: SimulatedStep, input: Json | undefined, at: number): StepView {
  const blocks = input === undefined ? [] : [codeBlock("Input", input)];
  return {
    ...viewOf(null, step, at),
    kind: "turn",
    type: "xstate.init",
    title: "start",
    output: input ?? null,
    blocks: [...blocks, ...stateBlocks(step)],
  };
}

/** What an event made of a machine. */
export function eventView(before: SimulatedStep, step: SimulatedStep, at: number): StepView {
  const event = plainJson(step.event);
  const type = step.event?.type ?? "";
  const isTaken = step.arcs.some(({ allowed }) => allowed) || step.ended !== null;
  const title = isTaken ? labelFor(type) : `${labelFor(type)}: every guard said no`;
  return {
    ...viewOf(before, step, at),
    kind: "event",
    type,
    title: title.slice(0, TITLE_MAX),
    ok: okOf(type, isTaken),
    output: event,
    blocks: [codeBlock("Event", event), ...stateBlocks(step)],
  };
}

function okOf(type: string, isTaken: boolean): boolean | null {
  if (!isTaken || type.startsWith("xstate.error.")) return false;
  return type.startsWith("xstate.done.") ? true : null;
}

/** What all steps of a machine have in common. */
const viewOf = (before: SimulatedStep | null, step: SimulatedStep, at: number) => ({
  turn: 1,
  line: null,
  at,
  ok: null,
  by: null,
  from: before?.states ?? [],
  to: step.states,
  arcs: step.arcs,
  actions: step.actions,
  patch: patchBetween(before?.context ?? {}, step.context),
  budget: null,
  remaining: null,
  asks_model: false,
  can_fork: false,
  ended: step.ended,
});

function stateBlocks({ snapshot, working, ended }: SimulatedStep): Block[] {
  const blocks: Block[] = [];
  if (working.length > 0) {
    const text = working.map(({ id, src }) => `${id}: ${src}`).join("\n");
    blocks.push({ label: "Actors", tone: "code", text, facts: ["not started here"] });
  }
  if (ended === "error")
    blocks.push({ ...codeBlock("Error", plainJson(snapshot.error)), tone: "bad" });
  if (ended === "done" && snapshot.output !== undefined)
    blocks.push({ ...codeBlock("Output", plainJson(snapshot.output)), tone: "good" });
  return blocks;
}

const codeBlock = (label: string, value: Json): Block => ({
  label,
  tone: "code",
  text: JSON.stringify(value, null, 2),
  facts: [],
});
