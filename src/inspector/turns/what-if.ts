import { nobody } from "../../actors/ask-user.ts";
import type { Json, JsonObject } from "../../contracts/call.ts";
import { HarnessError } from "../../errors.ts";
import { createHarness, type Harness, type HarnessOptions } from "../../harness.ts";
import type { FoldedTurn, Step } from "../../journal/fold.ts";
import type { Journal } from "../../journal/journal.ts";
import { sessionPath } from "../../journal/load-sessions.ts";
import type { Stamped } from "../../journal/record.ts";
import type { Redactor } from "../../journal/redact.ts";
import { createJournal, openJournal } from "../../journal/save-journal.ts";
import { forkRecords } from "../../journal/save-sessions.ts";
import type { TaskName } from "../../session/task.ts";
import type { Chart } from "../chart/chart.ts";
import { LiveRun } from "./live.ts";
import type { FromPage, Remainder, Run } from "../protocol.ts";
import { RunViews } from "../views/run-views.ts";
import type { ShownRun } from "./shown-run.ts";
import { saidFault, StandIns } from "./stand-ins.ts";
import { teeJournal } from "./tee.ts";

/** What a what-if needs of the world. */
export interface WhatIfPorts {
  /** What a harness is made of for the settings of a turn: its model and its tools work in the rest of a what-if. */
  optionsOf: (settings: JsonObject) => Promise<HarnessOptions>;
  /** The folder of sessions; null where none are kept. */
  folder: string | null;
  newId: () => string;
  newRedactor: () => Redactor;
  /** Milliseconds since 1970. */
  now: () => number;
}

export interface WhatIfOptions extends WhatIfPorts {
  chart: Chart;
  /** The run that is left, and at which of its steps. */
  from: ShownRun;
  step: number;
  output: Json;
  remainder: Remainder;
  isWatched: () => boolean;
  /** Makes the run known: called once it has begun, and never for one that cannot begin. */
  onBegin: (whatIf: WhatIf, run: Pick<Run, "session" | "fork">, views: RunViews) => ShownRun;
  /** Told why it is kept in memory only. */
  onNotKept: (why: string) => void;
}

/** Why no what-if can begin by putting this output in the place of a step's, in a sentence; null if one can. */
export function whatIfFault(from: ShownRun, step: number, output: Json): string | null {
  const place = from.views.at(step);
  if (!place?.step || !from.steps[step]?.can_fork)
    return "no what-if can begin at this step: choose one in which an actor gave something back";
  return saidFault(place.step.before, output);
}

/** A turn up to a step, another outcome in that step's place, and the rest run anew. The run that is left stays as it is. */
export class WhatIf {
  readonly #options: WhatIfOptions;
  readonly #kept: Stamped[];
  readonly #views: RunViews;
  readonly #turn: FoldedTurn;
  readonly #standIns: StandIns;
  readonly #stopped = new AbortController();
  #harness: Harness | null = null;
  #live: LiveRun | null = null;

  /** For a step and an output that `whatIfFault` has no word against. */
  constructor(options: WhatIfOptions) {
    const { from, output, remainder, chart } = options;
    const place = from.views.at(options.step);
    if (!place?.step) throw new Error("a what-if begins at a step");
    this.#options = options;
    this.#kept = recordsBefore(from.views.records, place.step);
    this.#views = new RunViews(chart);
    for (const record of this.#kept) this.#views.add(record);
    this.#turn = lastTurn(this.#views);
    this.#standIns = new StandIns({
      output,
      remainder,
      judge: (reply) => this.#judge(reply),
      recorded: place.turn.steps.slice(place.turn.steps.indexOf(place.step) + 1),
      snapshot: () => lastTurn(this.#views).snapshot,
      onHand: (waits) => this.#waitForHand(waits),
    });
  }

  /**
   * Runs the rest; resolves when the turn has ended. Throws HarnessError where that cannot be done here. When `signal` aborts,
   * the turn is stopped.
   */
  async run(signal: AbortSignal): Promise<void> {
    const { optionsOf, newRedactor, now } = this.#options;
    this.#harness = createHarness({
      ...(await optionsOf(this.#turn.record.settings)),
      asker: { ask: (input, left) => this.#begun.asker(nobody).ask(input, left), close: () => {} },
      pause: (left) => this.#begun.pause(left),
      standIn: this.#standIns.standIn,
    });
    const journal = teeJournal({
      journal: new LateJournal(() => this.#begin()),
      records: this.#kept,
      redactor: newRedactor(),
      now,
      heard: (record) => this.#begun.hear(record),
    });
    try {
      const either = AbortSignal.any([signal, this.#stopped.signal]);
      await this.#harness.resume(this.#turn, { journal, signal: either });
    } finally {
      journal.close();
      this.#live?.ended();
    }
  }

  /** Does what a page wants. Gives back why it cannot be, in a sentence, or null. */
  receive(message: FromPage): string | null {
    return message.type === "outcome"
      ? this.#standIns.say(message.output, message.remainder)
      : this.#begun.receive(message);
  }

  get #begun(): LiveRun {
    if (!this.#live) throw new Error("a what-if goes on that has not begun");
    return this.#live;
  }

  async #judge(reply: string): Promise<Json> {
    const { value, context } = lastTurn(this.#views).snapshot;
    if (!this.#harness) throw new Error("nothing is judged before a what-if runs");
    return (await this.#harness.judge(value as TaskName, context, reply)) as unknown as Json;
  }

  #begin(): Journal | null {
    const { from, step, isWatched, onBegin } = this.#options;
    const { session, journal } = this.#openFile();
    const run = { session, fork: { run: from.run.id, step } };
    const shown = onBegin(this, run, this.#views);
    const stop = () => this.#stopped.abort("user");
    this.#live = new LiveRun(shown, isWatched, { breakpoints: [], stop });
    return journal;
  }

  /** A session of its own; where none can be kept, none. */
  #openFile(): { session: string | null; journal: Journal | null } {
    const { folder, from, newId, newRedactor, now, onNotKept } = this.#options;
    if (folder === null) return { session: null, journal: null };
    const session = newId();
    const file = { path: sessionPath(folder, session), redactor: newRedactor(), now };
    try {
      // A journal without a line leaves nothing behind but the folder it is in.
      createJournal(file).close();
      forkRecords(this.#kept, { path: file.path, id: session, forkedFrom: from.run.session });
      return { session, journal: openJournal(file).journal };
    } catch (error) {
      if (!(error instanceof HarnessError)) throw error;
      onNotKept(error.message);
      return { session: null, journal: null };
    }
  }

  #waitForHand(waits: { why: string } | null): void {
    const { shown } = this.#begun;
    if (waits) this.#begun.report("by_hand", { drafts: shown.drafts(), why: waits.why });
    else this.#begun.report("working");
  }
}

/** All that came before a step, but for a script's start that belongs to it. */
function recordsBefore(records: readonly Stamped[], { line }: Step): Stamped[] {
  const before = records.filter(({ n }) => n < line);
  while (before.at(-1)?.type === "intent") before.pop();
  return before;
}

function lastTurn({ folded }: RunViews): FoldedTurn {
  const turn = folded.turns.at(-1);
  if (!turn) throw new Error("a what-if has no turn");
  return turn;
}

/** A journal whose file is made with its first record. */
class LateJournal implements Journal {
  left = null;
  readonly #open: () => Journal | null;
  #journal: Journal | null | undefined;

  constructor(open: () => Journal | null) {
    this.#open = open;
  }

  get redacted(): boolean {
    return this.#journal?.redacted ?? false;
  }

  write(record: Parameters<Journal["write"]>[0]): void {
    if (this.#journal === undefined) this.#journal = this.#open();
    this.#journal?.write(record);
  }

  close(): void {
    this.#journal?.close();
  }
}
