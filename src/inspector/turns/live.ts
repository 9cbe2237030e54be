import type { Asker } from "../../actors/ask-user.ts";
import type { HarnessOptions } from "../../harness.ts";
import type { Stamped } from "../../journal/record.ts";
import { Asking } from "./asking.ts";
import { breakpointFault, Gate, stateFault } from "./gate.ts";
import type { FromPage, Status } from "../protocol.ts";
import type { ShownRun } from "./shown-run.ts";

export interface LiveOptions {
  /** Where it stops by itself, "start" among them for the very beginning. */
  breakpoints: readonly string[];
  /** Ends the turn as the user's Ctrl-C would. */
  stop: () => void;
  /** Called when the turn begins to wait for a page and when it goes on: no time limit should count that. */
  onHold?: (isHeld: boolean) => void;
}

const CONTROLS = ["step", "go", "go_to", "pause", "breakpoints", "answer", "stop"] as const;
type Control = Extract<FromPage, { type: (typeof CONTROLS)[number] }>;

const isControl = (message: FromPage): message is Control =>
  (CONTROLS as readonly string[]).includes(message.type);

/** A turn at work, as pages control it: held before transitions, asked for replies, stopped. */
export class LiveRun {
  readonly shown: ShownRun;
  readonly #gate: Gate;
  readonly #asking: Asking;
  readonly #isWatched: () => boolean;
  readonly #options: LiveOptions;

  /** `isWatched`: whether a page is there or on its way. Nobody else can let a held turn go on. */
  constructor(shown: ShownRun, isWatched: () => boolean, options: LiveOptions) {
    this.shown = shown;
    this.#isWatched = isWatched;
    this.#options = options;
    this.#gate = new Gate(options.breakpoints);
    this.#asking = new Asking({
      isWatched,
      onQuestion: (pending) => {
        if (!pending) return this.report("working");
        const { kind, question: text } = pending;
        this.report("asking", { question: { kind, text } });
      },
    });
  }

  report(phase: Status["phase"], given: Partial<Status> = {}): void {
    this.shown.report(phase, { ...given, breakpoints: [...this.#gate.breakpoints] });
  }

  /** Takes in a record of this turn. What the machine has not taken yet is not shown before it has passed the gate. */
  hear(record: Stamped): void {
    this.shown.show();
    this.shown.add(record);
    if (record.type === "outcome" || record.type === "crash") return;
    this.shown.show();
    if (record.type === "end") this.report("ended");
    else if (record.type !== "session") this.report("working");
  }

  /** For the harness: holds the turn as long as a page wants it to. */
  readonly pause: NonNullable<HarnessOptions["pause"]> = async (signal) => {
    const { next, steps } = this.shown;
    const isHeld = this.#isWatched() && this.#gate.stopsAt(next ?? steps.at(-1) ?? null);
    if (isHeld && !signal.aborted) {
      this.report("held", { next });
      this.#options.onHold?.(true);
      await this.#gate.hold(signal);
      this.#options.onHold?.(false);
    }
    this.shown.show();
    this.report("working");
  };

  /** For the harness: asks the pages, too. */
  asker(person: Asker): Asker {
    return this.#asking.with(person);
  }

  /** No page is there any more, and none is waited for: what only a page could go on with goes on. */
  leftAlone(): void {
    this.#gate.go();
    this.#asking.leftAlone();
  }

  /** The turn is over, however it ended. */
  ended(): void {
    this.shown.show();
    if (this.shown.status?.phase !== "ended") this.report("ended");
  }

  /** Does what a page wants. Gives back why it cannot be, in a sentence, or null. */
  receive(message: FromPage): string | null {
    if (this.shown.status?.phase === "ended") return "this run has ended";
    return isControl(message)
      ? this.#control(message)
      : `a turn at work takes no "${message.type}"`;
  }

  #control(message: Control): string | null {
    switch (message.type) {
      case "step":
      case "go":
      case "go_to":
        return this.#free(message);
      case "pause":
        this.#gate.pause();
        return null;
      case "breakpoints":
        return breakpointFault(message.breakpoints) ?? this.#setBreakpoints(message.breakpoints);
      case "answer":
        return this.#asking.answer(message.text);
      case "stop":
        this.#options.stop();
        return null;
    }
  }

  #free(message: Extract<FromPage, { type: "step" | "go" | "go_to" }>): string | null {
    if (this.shown.status?.phase !== "held") return "this run is not held";
    if (message.type === "step") this.#gate.step();
    else if (message.type === "go") this.#gate.go();
    else return stateFault(message.state) ?? this.#goTo(message.state);
    return null;
  }

  #goTo(state: string): null {
    this.#gate.go(state);
    return null;
  }

  #setBreakpoints(breakpoints: readonly string[]): null {
    this.#gate.breakpoints = breakpoints;
    const { status } = this.shown;
    if (status) this.report(status.phase, { ...status });
    return null;
  }
}
