import type { Chart } from "../src/inspector/chart/chart.ts";
import type { EventKind, Recording, Status, StepView } from "../src/inspector/protocol.ts";

/** A state as people call it: "tool_use". Several at once are joined: "red + walk". */
export function stateNames(chart: Chart, ids: readonly string[]): string {
  return ids.map((id) => chart.nodes.find((node) => node.id === id)?.name ?? id).join(" + ");
}

/** Names of the states in which a turn can be stopped: those that have no states inside and are not its end. */
export function stoppableStates({ nodes }: Chart): string[] {
  const names = nodes.filter(({ kind }) => kind === "atomic").map(({ name }) => name);
  return [...new Set(names)];
}

/** The index of the first step of this step's turn. Turns only grow along a run. */
export function turnStart(steps: readonly Pick<StepView, "turn">[], index: number): number {
  const turn = steps[index]?.turn ?? 0;
  let low = 0;
  let high = index;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((steps[middle]?.turn ?? 0) < turn) low = middle + 1;
    else high = middle;
  }
  return low;
}

const two = (part: number): string => String(part % 60).padStart(2, "0");

/** Time since a turn began: "+12 ms", "+3.4 s", "+2:05", "+1:02:05". A clock that went back counts as none. */
export function sinceText(milliseconds: number): string {
  const since = Math.max(0, Math.round(milliseconds));
  if (since < 1000) return `+${since} ms`;
  if (since < 59_950) return `+${(since / 1000).toFixed(1)} s`;
  const seconds = Math.round(since / 1000);
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `+${minutes}:${two(seconds)}`;
  return `+${Math.floor(minutes / 60)}:${two(minutes)}:${two(seconds)}`;
}

const KIND_WORDS: Record<EventKind, string> = {
  turn: "Question",
  model: "Model",
  tool: "Tool",
  reply: "Your reply",
  wait: "Wait",
  abort: "Stopped",
  crash: "Crash",
  event: "Event",
};

/** What a row of the timeline says to those who do not see its sign and colour. */
export function stepWords({ kind, ok, by }: StepView): string {
  const failed = ok === false ? ", failed" : "";
  const instead = by === null ? "" : `, by ${by}`;
  return `${KIND_WORDS[kind]}${failed}${instead}: `;
}

/** "step 4 of 12: tool_call". */
export function positionText(chart: Chart, steps: readonly StepView[], index: number): string {
  const step = steps[index];
  if (!step) return "no steps yet";
  return `step ${index + 1} of ${steps.length}: ${stateNames(chart, step.to)}`;
}

export interface StatusText {
  text: string;
  tone: "busy" | "held" | "asks" | "ended" | "gone";
}

/** Where a run is, for the chip in the header. `last` is its newest step; no status: nobody is at work on it. */
export function statusText(
  recording: Pick<Recording, "chart" | "source">,
  status: Status | null,
  last: StepView | null,
): StatusText {
  switch (status?.phase) {
    case "working":
      return { text: `working in ${status.state}`, tone: "busy" };
    case "held":
      return { text: `held before ${nextState(recording.chart, status)}`, tone: "held" };
    case "asking":
      return { text: "asks you", tone: "asks" };
    case "by_hand":
      return { text: `waits for you in ${status.state}`, tone: "asks" };
    case "gone":
      if (!last?.ended) return { text: "process is gone", tone: "gone" };
      return restText(recording, last);
    case "ended":
    case undefined:
      return restText(recording, last);
  }
}

function nextState(chart: Chart, { next }: Status): string {
  return next ? stateNames(chart, next.to) : "the first step";
}

function restText(
  { chart, source }: Pick<Recording, "chart" | "source">,
  last: StepView | null,
): StatusText {
  if (last?.ended) return { text: `ended: ${last.ended}`, tone: "ended" };
  if (source === "machine" && last)
    return { text: `in ${stateNames(chart, last.to)}`, tone: "held" };
  return { text: last ? "recorded" : "no events yet", tone: "ended" };
}
