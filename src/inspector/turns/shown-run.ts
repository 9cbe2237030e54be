import { choices } from "../../proof/outcomes.ts";
import type { Stamped } from "../../journal/record.ts";
import type { Json } from "../../contracts/call.ts";
import type { Draft, Run, Status, StepView, ToPage } from "../protocol.ts";
import type { RunViews } from "../views/run-views.ts";

/** How many steps one message brings, so that a page has something to show before it has read all of a long journal. */
const STEPS_IN_MESSAGE = 500;

interface ShownRunOptions {
  run: Omit<Run, "steps">;
  views: RunViews;
  /** Tells all pages. */
  tell: (message: ToPage) => void;
  /** Told of the steps that pages are shown, from this one on. */
  onShown: (from: number) => void;
}

/** A run as pages see it: a step is made as soon as it is recorded, and shown when the machine takes it. */
export class ShownRun {
  readonly run: Omit<Run, "steps">;
  readonly views: RunViews;
  /** Null as long as nobody is at work on it. */
  status: Status | null = null;
  readonly #options: ShownRunOptions;
  /** How many steps pages have been shown; fewer than there are while the last one is not taken yet. */
  #shown: number;
  #isUpToDate = true;

  constructor(options: ShownRunOptions) {
    this.#options = options;
    this.run = options.run;
    this.views = options.views;
    this.#shown = options.views.views.length;
  }

  /** The steps that pages have been shown. */
  get steps(): StepView[] {
    return this.views.views.slice(0, this.#shown);
  }

  /** The step that was recorded and not taken yet. */
  get next(): StepView | null {
    return this.views.views[this.#shown] ?? null;
  }

  /** The name of the state where the run is, what was recorded and not taken yet included. */
  get state(): string {
    return this.views.folded.turns.at(-1)?.snapshot.value ?? "";
  }

  /** Adds a record without showing it. */
  add(record: Stamped): void {
    const { from, fault } = this.views.add(record);
    if (from < this.#shown || this.views.views.length < this.#shown) this.#isUpToDate = false;
    this.#shown = Math.min(this.#shown, from, this.views.views.length);
    if (fault)
      this.#options.tell({
        type: "refused",
        request: "steps",
        message: `line ${fault.line}: ${fault.why}; the page cannot follow this run any further`,
      });
  }

  /** Shows all that was added. */
  show(): void {
    const from = this.#shown;
    const { length } = this.views.views;
    if (this.#isUpToDate && from === length) return;
    this.#isUpToDate = true;
    this.#shown = length;
    this.#options.onShown(from);
    for (const message of this.stepMessages(from)) this.#options.tell(message);
  }

  /** What brings a page up to date that has the steps before `from`. */
  stepMessages(from = 0): ToPage[] {
    const { id: run, session } = this.run;
    // Where nothing is written there are no lines, either.
    const steps =
      session === null ? this.steps.map((step) => ({ ...step, line: null })) : this.steps;
    const messages: ToPage[] = [];
    for (let at = from; at === from || at < steps.length; at += STEPS_IN_MESSAGE)
      messages.push({
        type: "steps",
        run,
        from: at,
        steps: steps.slice(at, at + STEPS_IN_MESSAGE),
      });
    return messages;
  }

  /** Tells the pages where the run is. */
  report(phase: Status["phase"], given: Partial<Status> = {}): void {
    const breakpoints = given.breakpoints ?? this.status?.breakpoints ?? [];
    const state = this.status && phase === "held" ? this.status.state : this.state;
    const rest = { next: null, question: null, drafts: [], why: "", ...given, breakpoints };
    this.status = { run: this.run.id, phase, state, ...rest };
    this.#options.tell({ type: "status", status: this.status });
  }

  /** What the actor at work may give back, to begin with when a person says it. */
  drafts(): Draft[] {
    const snapshot = this.views.folded.turns.at(-1)?.snapshot;
    return (snapshot ? choices(snapshot) : []).flatMap(({ name, event }) =>
      "output" in event ? [{ name, output: (event.output ?? null) as Json }] : [],
    );
  }
}
