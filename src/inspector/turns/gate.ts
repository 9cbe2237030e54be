import { nearest } from "../../contracts/nearest.ts";
import { turnMachine } from "../../machine/turn.machine.ts";
import type { StepView } from "../protocol.ts";

/** Decides before which transitions a run is held, and holds it. */
export class Gate {
  /** "every", "error", "tool", or states. */
  breakpoints: readonly string[];
  #stopsNext: boolean;
  #goal: string | null = null;
  #free: () => void = () => {};

  /** "start" among the breakpoints holds before the very first actor begins. */
  constructor(breakpoints: readonly string[]) {
    this.#stopsNext = breakpoints.includes("start");
    this.breakpoints = breakpoints.filter((point) => point !== "start");
  }

  /** Whether to hold before this step is taken; before the first actor of a run begins, that is the step it begins with. */
  stopsAt(step: StepView | null): boolean {
    if (this.#stopsNext || this.breakpoints.includes("every")) return true;
    if (!step) return false;
    return [...this.breakpoints, this.#goal ?? ""].some((point) => isMet(point, step));
  }

  /** Resolves with the next Step or Run, or when `signal` aborts. */
  async hold(signal: AbortSignal): Promise<void> {
    this.#stopsNext = false;
    this.#goal = null;
    const freed = new Promise<void>((resolve) => {
      this.#free = resolve;
    });
    signal.addEventListener("abort", this.#free, { once: true });
    if (signal.aborted) this.#free();
    await freed;
    signal.removeEventListener("abort", this.#free);
  }

  /** Lets one transition happen. */
  step(): void {
    this.#stopsNext = true;
    this.#free();
  }

  /** Goes on up to the next breakpoint, or to a transition that enters the state `goal`. */
  go(goal: string | null = null): void {
    this.#stopsNext = false;
    this.#goal = goal;
    this.#free();
  }

  /** Holds before the next transition. */
  pause(): void {
    this.#stopsNext = true;
  }
}

function isMet(point: string, { kind, ok, to }: StepView): boolean {
  if (point === "error") return ok === false || kind === "crash";
  const state = point === "tool" ? "tool_use" : point;
  return to.some((id) => id === state || id.endsWith(`.${state}`));
}

const words = ["every", "error", "tool"];
const states = Object.keys(turnMachine.root.states);
const nameOf = (state: string) => state.replace(`${turnMachine.id}.`, "");

/** Why there is no such breakpoint, in a sentence; null if all can be. `others`: more words that can. */
export function breakpointFault(points: readonly string[], others: readonly string[] = []) {
  return faultOf(points, [...others, ...words, ...states], "breakpoint");
}

/** Why this is no state of a turn, in a sentence; null if it is one. Its id and its name will do. */
export const stateFault = (state: string): string | null => faultOf([state], states, "state");

function faultOf(given: readonly string[], known: readonly string[], what: string): string | null {
  const wrong = given.find((name) => !known.includes(nameOf(name)));
  if (wrong === undefined) return null;
  const near = nearest(wrong, known);
  return `no ${what} is called "${wrong}"${near ? `; did you mean ${near}?` : `: there are ${known.join(", ")}`}`;
}
