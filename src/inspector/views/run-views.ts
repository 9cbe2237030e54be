import { emptyFold, extend, type FoldedTurn, type Step } from "../../journal/fold.ts";
import type { JournalFault } from "../../journal/line.ts";
import type { Stamped } from "../../journal/record.ts";
import type { TurnSnapshot } from "../../machine/turn.machine.ts";
import { ChartActions } from "./chart-actions.ts";
import type { Chart } from "../chart/chart.ts";
import type { StepView } from "../protocol.ts";
import { viewOfStart, viewOfStep } from "./step-view.ts";

/** What is behind a view: `step` is null for the first one of a turn. */
interface Place {
  turn: FoldedTurn;
  step: Step | null;
}

/** The same by number: a turn becomes another object when the next one begins. */
interface Spot {
  turn: number;
  step: number | null;
}

/** The records of one session as what the page shows of them, kept up to date record by record. */
export class RunViews {
  readonly views: StepView[] = [];
  /** Those that were legal, in order. */
  readonly records: Stamped[] = [];
  readonly folded = emptyFold();
  readonly #spots: Spot[] = [];
  readonly #actions: ChartActions;

  constructor(chart: Chart) {
    this.#actions = new ChartActions(chart);
  }

  /**
   * Adds one record. `from` is the index of the first view that is new, or no more: a "resume" that undoes an abort or a
   * reply that nobody gave takes the last one away. After a fault nothing is added any more.
   */
  add(record: Stamped): { from: number; steps: StepView[]; fault: JournalFault | null } {
    const fault = extend(this.folded, record);
    if (fault) return { from: this.views.length, steps: [], fault };
    this.records.push(record);
    if (record.type === "resume") this.#dropUndone();
    const from = this.views.length;
    const place = this.#placeOf(record);
    if (place) this.#show(place);
    return { from, steps: this.views.slice(from), fault: null };
  }

  /** What is behind a view, and the snapshot after it; null where there is no such view. */
  at(index: number): (Place & { snapshot: TurnSnapshot }) | null {
    const spot = this.#spots[index];
    const turn = spot && this.folded.turns[spot.turn];
    if (!turn) return null;
    const step = spot.step === null ? null : (turn.steps[spot.step] ?? null);
    return { turn, step, snapshot: step ? step.after : turn.first };
  }

  /** Of a record that was just added; null for one that adds no view. */
  #placeOf({ type }: Stamped): Place | null {
    const turn = this.folded.turns.at(-1);
    if (!turn) return null;
    if (type === "turn") return { turn, step: null };
    const step = turn.steps.at(-1);
    return step && ["outcome", "crash", "abort"].includes(type) ? { turn, step } : null;
  }

  #dropUndone(): void {
    const kept = (this.folded.turns.at(-1)?.steps.length ?? 0) - 1;
    if ((this.#spots.at(-1)?.step ?? -1) === kept) return;
    this.#spots.pop();
    this.views.pop();
  }

  #show({ turn, step }: Place): void {
    const { length } = this.folded.turns;
    const standing = {
      turn: length,
      before: this.at(this.#spots.length - 1)?.snapshot.context ?? null,
      actions: this.#actions,
    };
    this.views.push(step ? viewOfStep(step, standing) : viewOfStart(turn, standing));
    this.#spots.push({ turn: length - 1, step: step ? turn.steps.length - 1 : null });
  }
}
