import type { JsonObject } from "../../contracts/call.ts";
import { HarnessError } from "../../errors.ts";
import type { HarnessOptions } from "../../harness.ts";
import type { Journal } from "../../journal/journal.ts";
import type { JournalFault } from "../../journal/line.ts";
import type { SessionRecord, Stamped } from "../../journal/record.ts";
import { version } from "../../version.ts";
import type { Chart } from "../chart/chart.ts";
import { fillRemaining, proveRemaining } from "../views/fill-remaining.ts";
import type { Hub, PageLink } from "../hub.ts";
import { LiveRun, type LiveOptions } from "./live.ts";
import { PromptViews } from "../views/prompt-views.ts";
import type { FromPage, PromptView, Recording, Run, ToPage } from "../protocol.ts";
import { RunViews } from "../views/run-views.ts";
import { ShownRun } from "./shown-run.ts";
import { statelyStep, statelyTurn } from "../server/stately.ts";
import { teeJournal } from "./tee.ts";
import { WhatIf, whatIfFault, type WhatIfOptions, type WhatIfPorts } from "./what-if.ts";

export interface TurnHubOptions extends WhatIfPorts {
  source: "live" | "recorded";
  title: string;
  chart: Chart;
  /** What stands in the session's journal, up to its end or its first fault. */
  records: readonly Stamped[];
  fault?: JournalFault | null;
  /** The session's id; null for one that is kept nowhere. */
  session: string | null;
  /** What writes the prompts of turns with these settings again; its model is not asked. */
  promptOptionsOf: (settings: JsonObject) => Promise<HarnessOptions>;
}

/** A turn at work for a hub to watch. */
export interface WatchOptions extends LiveOptions {
  /** Where the turn is kept; null for nowhere. */
  journal: Journal | null;
  /** How its session begins, if it is a new one. */
  session: SessionRecord;
  /** Whether a page is on its way, so that it is worth waiting for. */
  isPageComing: boolean;
}

/** Tells one page. */
type Tell = (message: ToPage) => void;

/** The runs of one session, live or recorded, and all what-ifs of them. */
export class TurnHub implements Hub {
  readonly #options: TurnHubOptions;
  readonly #runs: ShownRun[] = [];
  readonly #atWork = new Map<number, Pick<LiveRun, "receive">>();
  readonly #whatIfs = new Set<Promise<void>>();
  readonly #closed = new AbortController();
  readonly #pages = new Set<Tell>();
  readonly #receivers = new Set<(event: object) => void>();
  readonly #prompts: PromptViews;
  #isWatched = false;
  #live: LiveRun | null = null;

  /** A line that is not legal, and all after it, are left out: see `fault`. */
  constructor(options: TurnHubOptions) {
    this.#options = options;
    this.#prompts = new PromptViews(options.promptOptionsOf);
    const views = new RunViews(options.chart);
    for (const record of options.records) if (views.add(record).fault) break;
    this.#addRun({ name: "as it was", session: options.session, fork: null }, views);
  }

  /** The first line that is damaged or that the machine could not have written, and why. */
  get fault(): JournalFault | null {
    return this.#first.views.folded.fault ?? this.#options.fault ?? null;
  }

  /** For people, and how far it goes where that is not to the end. */
  get title(): string {
    const { title } = this.#options;
    return this.fault ? `${title} (only up to line ${this.fault.line})` : title;
  }

  /** Whether no turn has begun yet. */
  get isEmpty(): boolean {
    return this.#first.views.views.length === 0;
  }

  get #first(): ShownRun {
    const [run] = this.#runs;
    if (!run) throw new Error("a hub has a run from the beginning");
    return run;
  }

  #addRun(run: Omit<Run, "id" | "steps">, views: RunViews): ShownRun {
    const id = this.#runs.length;
    const shown = new ShownRun({
      run: { id, ...run },
      views,
      tell: (message) => this.#tellAll(message),
      onShown: (from) => {
        fillRemaining(views, from);
        if (id === 0) for (const send of this.#receivers) tellReceiver(shown, from, send);
      },
    });
    this.#runs.push(shown);
    return shown;
  }

  #tellAll(message: ToPage): void {
    for (const tell of this.#pages) tell(message);
  }

  // ——— a turn at work ———

  /** Watches a turn that is about to begin in this session. Give the harness its journal, its `pause` and its asker. */
  watch(options: WatchOptions): { live: LiveRun; journal: Journal } {
    this.#isWatched ||= options.isPageComing;
    const live = new LiveRun(this.#first, () => this.#isWatched, options);
    const { records, newRedactor, now } = this.#options;
    const { journal, session } = options;
    const heard = (record: Stamped) => {
      live.hear(record);
      if (record.type === "turn" && this.#pages.size > 0) void this.#prove();
    };
    this.#live = live;
    this.#atWork.set(0, live);
    return {
      live,
      journal: teeJournal({ journal, records, session, redactor: newRedactor(), now, heard }),
    };
  }

  /** No page is there and none is coming: nothing waits for one any more. */
  leftAlone(): void {
    this.#isWatched = false;
    this.#live?.leftAlone();
  }

  /** Stops every what-if. Resolves when all have ended. */
  async close(): Promise<void> {
    this.#closed.abort("user");
    await Promise.all(this.#whatIfs);
  }

  // ——— pages ———

  connectPage(tell: Tell): PageLink {
    this.#isWatched = true;
    const status = this.#runs.flatMap((run) => run.status ?? []);
    const recording = this.#recording(() => []);
    tell({ type: "hello", recording, status, can_control: true, can_fork: true });
    for (const run of this.#runs) for (const message of run.stepMessages()) tell(message);
    this.#pages.add(tell);
    void this.#prove();
    return {
      receive: (message) => {
        const why = this.#receive(message, tell);
        if (why !== null) tell({ type: "refused", request: message.type, message: why });
      },
      leave: () => {
        this.#pages.delete(tell);
      },
    };
  }

  #recording(stepsOf: (run: ShownRun) => Run["steps"]): Recording {
    const { title } = this;
    const { source, chart } = this.#options;
    const runs = this.#runs.map((shown) => ({ ...shown.run, steps: stepsOf(shown) }));
    return { source, title, version, chart, runs, prompts: null };
  }

  /** Does what a page wants. Gives back why it cannot be, in a sentence, or null. */
  #receive(message: FromPage, tell: Tell): string | null {
    const run = this.#runs[message.run];
    if (!run) return `there is no run ${message.run}: load the page again`;
    if (message.type === "fork") return this.#fork(run, message, tell);
    if (message.type === "prompt") {
      void this.#tellPrompt(run, message.step, tell);
      return null;
    }
    const atWork = this.#atWork.get(message.run);
    return atWork ? atWork.receive(message) : "nobody is at work on this run";
  }

  async #tellPrompt(run: ShownRun, step: number, tell: Tell): Promise<void> {
    const place = run.views.at(step);
    if (place) await this.#prompts.prepare([place.turn]);
    const prompt = this.#prompts.promptOf(run.views, step);
    tell({ type: "prompt", run: run.run.id, step, prompt });
  }

  // ——— what if ———

  #fork(
    from: ShownRun,
    { step, output, remainder }: Extract<FromPage, { type: "fork" }>,
    tell: Tell,
  ): string | null {
    const fault = whatIfFault(from, step, output);
    if (fault !== null) return fault;
    const refuse = (why: string) => tell({ type: "refused", request: "fork", message: why });
    const work = this.#runWhatIf({ from, step, output, remainder }, refuse);
    this.#whatIfs.add(work);
    void work.finally(() => this.#whatIfs.delete(work));
    return null;
  }

  /** Never rejects: whatever breaks in a what-if, the run that it left goes on. */
  async #runWhatIf(
    what: Pick<WhatIfOptions, "from" | "step" | "output" | "remainder">,
    refuse: (why: string) => void,
  ): Promise<void> {
    try {
      const whatIf = new WhatIf({
        ...this.#options,
        ...what,
        isWatched: () => this.#isWatched,
        onBegin: (begun, run, views) => this.#begin(begun, run, views),
        onNotKept: (why) => refuse(`this what-if is kept in memory only: ${why}`),
      });
      await whatIf.run(this.#closed.signal);
    } catch (error) {
      refuse(whyNot(error));
    }
  }

  #begin(whatIf: WhatIf, run: Pick<Run, "session" | "fork">, views: RunViews): ShownRun {
    const shown = this.#addRun({ name: `what if ${this.#runs.length}`, ...run }, views);
    fillRemaining(views);
    this.#atWork.set(shown.run.id, whatIf);
    this.#tellAll({ type: "run", run: { ...shown.run, steps: [] } });
    for (const message of shown.stepMessages()) this.#tellAll(message);
    return shown;
  }

  // ——— what is asked for or takes its time ———

  /** Proves beside everything else, and tells when it is done. */
  async #prove(): Promise<void> {
    await proveRemaining(this.#first.views);
    for (const { run, views } of this.#runs) {
      const values = fillRemaining(views);
      if (values.length > 0) this.#tellAll({ type: "remaining", run: run.id, values });
    }
  }

  /** All there is, for a page without a process: what it may ask for is ready. */
  async export(): Promise<{
    recording: Recording;
    promptOf: (run: number, step: number) => PromptView | null;
  }> {
    const { views } = this.#first;
    // The thread of a proof keeps no process alive, but here its figures are waited for.
    const alive = setInterval(() => undefined, 60_000);
    try {
      await Promise.all([proveRemaining(views), this.#prompts.prepare(views.folded.turns)]);
    } finally {
      clearInterval(alive);
    }
    for (const run of this.#runs) fillRemaining(run.views);
    const promptOf = (run: number, step: number) => {
      const shown = this.#runs[run];
      return shown ? this.#prompts.promptOf(shown.views, step) : null;
    };
    return { recording: this.#recording(({ steps }) => steps), promptOf };
  }

  connectReceiver(send: (event: object) => void): { leave(): void } {
    tellReceiver(this.#first, 0, send);
    this.#receivers.add(send);
    return {
      leave: () => {
        this.#receivers.delete(send);
      },
    };
  }
}

/** Tells a receiver of the steps from this one on. */
function tellReceiver({ views, steps }: ShownRun, from: number, send: (event: object) => void) {
  for (const [index, view] of steps.entries()) {
    const place = index >= from ? views.at(index) : null;
    if (!place) continue;
    const { turn, step } = place;
    const events = step ? statelyStep(step, view.turn) : statelyTurn(turn, view.turn);
    for (const event of events) send(event);
  }
}

function whyNot(error: unknown): string {
  if (error instanceof HarnessError) return error.message;
  const message = error instanceof Error ? error.message : String(error);
  return `this what-if broke, a bug in broharness or in a backend of yours: ${message}`;
}
