import { describe, expect, test } from "vitest";
import type { Chart, ChartNode } from "../../src/inspector/chart/chart.ts";
import type { Status, StepView } from "../../src/inspector/protocol.ts";
import {
  positionText,
  sinceText,
  stateNames,
  statusText,
  stepWords,
  stoppableStates,
  turnStart,
} from "../../visualizer/step-text.ts";
import { rowsInWindow, topToShow } from "../../visualizer/timeline-window.ts";

const node = (id: string, kind: ChartNode["kind"]): ChartNode => ({
  id,
  name: id.split(".").at(-1) ?? id,
  kind,
  parent: null,
  initial: false,
  description: "",
  entry: [],
  exit: [],
  invoke: [],
  tags: [],
});

const chart: Chart = {
  id: "turn",
  nodes: [
    node("turn", "compound"),
    node("turn.tool_call", "atomic"),
    node("turn.tool_use", "atomic"),
    node("turn.answered", "final"),
  ],
  arcs: [],
};

const step = (changes: Partial<StepView> = {}): StepView => ({
  turn: 1,
  line: null,
  at: 0,
  kind: "model",
  type: "xstate.done.actor.tool_call",
  title: "read_note",
  ok: true,
  by: null,
  from: ["turn.tool_call"],
  to: ["turn.tool_use"],
  arcs: [],
  actions: [],
  patch: {},
  output: null,
  blocks: [],
  budget: null,
  remaining: null,
  asks_model: false,
  can_fork: false,
  ended: null,
  ...changes,
});

const status = (changes: Partial<Status>): Status => ({
  run: 0,
  phase: "working",
  state: "tool_call",
  next: null,
  question: null,
  drafts: [],
  why: "",
  breakpoints: [],
  ...changes,
});

describe("rowsInWindow", () => {
  const rows = { height: 320, rowHeight: 32, count: 50_000 };

  test("has spare rows beyond both edges", () => {
    expect(rowsInWindow({ ...rows, top: 3200 })).toEqual({ from: 94, to: 116 });
  });

  test("stays within the list at its ends", () => {
    expect(rowsInWindow({ ...rows, top: 0 })).toEqual({ from: 0, to: 16 });
    expect(rowsInWindow({ ...rows, top: 1_599_680 })).toEqual({ from: 49_984, to: 50_000 });
  });

  test("is empty for an empty list, and for one that became shorter than the scroll", () => {
    expect(rowsInWindow({ ...rows, top: 0, count: 0 })).toEqual({ from: 0, to: 0 });
    expect(rowsInWindow({ ...rows, top: 9600, count: 3 })).toEqual({ from: 3, to: 3 });
  });
});

describe("topToShow", () => {
  const rows = { top: 320, height: 320, rowHeight: 32, count: 100 };

  test("does not scroll to a row that is seen with its neighbours", () => {
    expect(topToShow(15, rows)).toBe(320);
    expect(topToShow(11, rows)).toBe(320);
    expect(topToShow(18, rows)).toBe(320);
  });

  test("scrolls as little as shows the row and its neighbour", () => {
    expect(topToShow(10, rows)).toBe(288);
    expect(topToShow(19, rows)).toBe(352);
  });

  test("knows the ends of the list", () => {
    expect(topToShow(0, rows)).toBe(0);
    expect(topToShow(99, rows)).toBe(2880);
  });

  test("leaves a list alone that is shorter than its place", () => {
    expect(topToShow(2, { ...rows, top: 0, count: 3 })).toBe(0);
  });
});

describe("turnStart", () => {
  const steps = [1, 1, 1, 2, 2, 5].map((turn) => ({ turn }));

  test("is the first step of the same turn", () => {
    expect([0, 1, 2, 3, 4, 5].map((index) => turnStart(steps, index))).toEqual([0, 0, 0, 3, 3, 5]);
  });
});

describe("sinceText", () => {
  test.each([
    [0, "+0 ms"],
    [999, "+999 ms"],
    [1000, "+1.0 s"],
    [59_949, "+59.9 s"],
    [59_950, "+1:00"],
    [125_400, "+2:05"],
    [3_599_499, "+59:59"],
    [3_725_000, "+1:02:05"],
    [-20, "+0 ms"],
  ])("%d milliseconds are %s", (milliseconds, text) => {
    expect(sinceText(milliseconds)).toBe(text);
  });
});

describe("names of states", () => {
  test("are the states' own names, joined where several are active", () => {
    expect(stateNames(chart, ["turn.tool_call", "turn.tool_use"])).toBe("tool_call + tool_use");
  });

  test("are the id where the chart has no such state", () => {
    expect(stateNames(chart, ["elsewhere"])).toBe("elsewhere");
  });

  test("a turn can be stopped in states without states inside, and not at its end", () => {
    expect(stoppableStates(chart)).toEqual(["tool_call", "tool_use"]);
  });
});

describe("what a step says without its sign", () => {
  test("names kind, failure and who stood in", () => {
    expect(stepWords(step())).toBe("Model: ");
    expect(stepWords(step({ kind: "tool", ok: false, by: "hand" }))).toBe(
      "Tool, failed, by hand: ",
    );
  });

  test("and where it is among the steps", () => {
    expect(positionText(chart, [step(), step({ to: ["turn.answered"] })], 1)).toBe(
      "step 2 of 2: answered",
    );
    expect(positionText(chart, [], 0)).toBe("no steps yet");
  });
});

describe("statusText", () => {
  const live = { chart, source: "live" } as const;
  const ended = step({ ended: "answered" });

  test.each([
    [status({}), null, "working in tool_call", "busy"],
    [status({ phase: "held", next: step() }), step(), "held before tool_use", "held"],
    [status({ phase: "held" }), null, "held before the first step", "held"],
    [status({ phase: "asking" }), step(), "asks you", "asks"],
    [status({ phase: "by_hand", state: "tool_use" }), step(), "waits for you in tool_use", "asks"],
    [status({ phase: "ended" }), ended, "ended: answered", "ended"],
    [status({ phase: "gone" }), step(), "process is gone", "gone"],
    [status({ phase: "gone" }), ended, "ended: answered", "ended"],
    [null, ended, "ended: answered", "ended"],
    [null, step(), "recorded", "ended"],
    [null, null, "no events yet", "ended"],
  ])("%#: a run says where it is", (where, last, text, tone) => {
    expect(statusText(live, where, last)).toEqual({ text, tone });
  });

  test("a machine that nobody works on is in a state", () => {
    expect(statusText({ chart, source: "machine" }, null, step())).toEqual({
      text: "in tool_use",
      tone: "held",
    });
  });
});
