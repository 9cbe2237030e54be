import { describe, expect, test } from "vitest";
import { breakpointFault, Gate, stateFault } from "../../../src/inspector/turns/gate.ts";
import type { StepView } from "../../../src/inspector/protocol.ts";

const view = (given: Partial<StepView>) =>
  ({ kind: "model", ok: true, to: [], ...given }) as StepView;
const toTools = view({ to: ["turn.tool_use"] });
const refused = view({ to: ["turn.fail_recovery"], ok: false });
const crashed = view({ to: ["turn.fallback"], kind: "crash", ok: false });
const answered = view({ to: ["turn.answered"] });
const all = [toTools, refused, crashed, answered];

const stops = (breakpoints: string[]) => {
  const gate = new Gate(breakpoints);
  return all.map((step) => gate.stopsAt(step));
};

describe("a breakpoint", () => {
  test.each([
    [["every"], [true, true, true, true]],
    [["error"], [false, true, true, false]],
    [["tool"], [true, false, false, false]],
    [["answered"], [false, false, false, true]],
    [["turn.answered"], [false, false, false, true]],
    [
      ["tool", "error"],
      [true, true, true, false],
    ],
    [[], [false, false, false, false]],
  ])("%j holds before its own steps", (breakpoints, expected) => {
    expect(stops(breakpoints)).toEqual(expected);
  });

  test("start holds once, before anything has come", async () => {
    const gate = new Gate(["start"]);
    expect(gate.breakpoints).toEqual([]);
    expect(gate.stopsAt(null)).toBe(true);
    const held = gate.hold(new AbortController().signal);
    gate.go();
    await held;
    expect(gate.stopsAt(answered)).toBe(false);
  });

  test("that is none is named, with what was meant", () => {
    expect(breakpointFault(["every", "tool", "skill_call"])).toBe(null);
    expect(breakpointFault(["tol"])).toBe('no breakpoint is called "tol"; did you mean tool?');
    expect(breakpointFault(["start"])).toContain('no breakpoint is called "start"');
    expect(breakpointFault(["start"], ["start"])).toBe(null);
    expect(stateFault("turn.answer")).toBe(null);
    expect(stateFault("tool")).toContain('no state is called "tool"');
  });
});

describe("a gate", () => {
  test("that was asked to pause stops at the next step, and at no further one", async () => {
    const gate = new Gate([]);
    gate.pause();
    expect(gate.stopsAt(answered)).toBe(true);
    const held = gate.hold(new AbortController().signal);
    gate.go();
    await held;
    expect(gate.stopsAt(answered)).toBe(false);
  });

  test("stops again after one step", async () => {
    const gate = new Gate(["start"]);
    const held = gate.hold(new AbortController().signal);
    gate.step();
    await held;
    expect(gate.stopsAt(answered)).toBe(true);
  });

  test("goes on to a state, and forgets it once it is held there", async () => {
    const gate = new Gate([]);
    const first = gate.hold(new AbortController().signal);
    gate.go("answered");
    await first;
    expect(all.map((step) => gate.stopsAt(step))).toEqual([false, false, false, true]);
    const second = gate.hold(new AbortController().signal);
    gate.go();
    await second;
    expect(gate.stopsAt(answered)).toBe(false);
  });

  test("opens when the turn is aborted, before or while it holds", async () => {
    const gate = new Gate([]);
    await gate.hold(AbortSignal.abort());
    const stop = new AbortController();
    const held = gate.hold(stop.signal);
    stop.abort();
    await expect(held).resolves.toBe(undefined);
  });
});
