import { patched } from "../src/inspector/patch.ts";
import type {
  Accepted,
  FromPage,
  PromptView,
  Recording,
  Run,
  Status,
  StepView,
  ToPage,
} from "../src/inspector/protocol.ts";
import type { JsonObject } from "../src/contracts/call.ts";

/** Every so many steps a context is kept, so that going anywhere applies at most this many patches. */
const KEPT_EVERY = 64;

/** What the page shows: a recording, and where the person is in it. Panels read it and are told when it changed. */
export class Store {
  recording: Recording;
  /** The run and step that are shown. */
  run = 0;
  step = 0;
  /** The run beside it, to compare; null for none. */
  beside: number | null = null;
  /** Whether the newest step is gone to as it comes. */
  following = true;
  /** What the process allows: stepping a run at work, beginning a fork. Both false without a process. */
  canControl = false;
  canFork = false;
  /** The last request that could not be met; "" once it is out of date. */
  trouble = "";
  readonly #status = new Map<number, Status>();
  readonly #prompts = new Map<string, PromptView | null | "asked">();
  readonly #accepted = new Map<string, Accepted[] | "asked">();
  readonly #contexts = new Map<string, JsonObject>();
  readonly #listeners = new Set<() => void>();
  #socket: { send(message: FromPage): void } | null = null;
  #isTold = true;

  constructor(recording: Recording) {
    this.recording = recording;
  }

  subscribe(listener: () => void): void {
    this.#listeners.add(listener);
  }

  get shownRun(): Run {
    return this.runOf(this.run);
  }

  /** Null before the first step has come. */
  get shownStep(): StepView | null {
    return this.shownRun.steps[this.step] ?? null;
  }

  get lastStep(): number {
    return Math.max(0, this.shownRun.steps.length - 1);
  }

  runOf(id: number): Run {
    const run = this.recording.runs.find((candidate) => candidate.id === id);
    if (!run) throw new Error(`there is no run ${id}`);
    return run;
  }

  /** Null for a run that nobody is at work on. */
  statusOf(run: number): Status | null {
    return this.#status.get(run) ?? null;
  }

  get isConnected(): boolean {
    return this.#socket !== null;
  }

  /** Shows a step of the shown run; out of range becomes the nearest. The last one is followed. */
  goTo(step: number): void {
    this.step = Math.min(Math.max(0, step), this.lastStep);
    this.following = this.step === this.lastStep;
    this.changed();
  }

  /** Shows a run, at the step where it leaves the other or at its end. */
  choose(run: number, step = this.runOf(run).steps.length - 1): void {
    this.run = run;
    this.goTo(step);
  }

  compareWith(run: number | null): void {
    this.beside = run;
    this.changed();
  }

  /** The whole context after a step. */
  contextAt(run: number, step: number): JsonObject {
    const { steps } = this.runOf(run);
    let from = step;
    while (from >= 0 && !this.#contexts.has(`${run} ${from}`)) from -= 1;
    let context = this.#contexts.get(`${run} ${from}`) ?? {};
    for (let at = from + 1; at <= step; at++) {
      context = patched(context, steps[at]?.patch ?? {});
      if (at % KEPT_EVERY === 0 || at === step) this.#contexts.set(`${run} ${at}`, context);
    }
    return context;
  }

  /** The prompt of the model at work after a step; "asked" while it is on its way, null where there is none. */
  promptAt(run: number, step: number): PromptView | null | "asked" {
    if (!this.runOf(run).steps[step]?.asks_model) return null;
    const exported = this.recording.prompts;
    const key = `${run} ${step}`;
    if (exported) return exportedPrompt(exported, key);
    const known = this.#prompts.get(key);
    if (known !== undefined) return known;
    if (!this.#socket) return null;
    this.#prompts.set(key, "asked");
    this.ask({ type: "prompt", run, step });
    return "asked";
  }

  /** The events that a machine takes after a step; "asked" while they are on their way. */
  acceptedAt(run: number, step: number): Accepted[] | "asked" {
    const key = `${run} ${step}`;
    const known = this.#accepted.get(key);
    if (known !== undefined) return known;
    if (!this.#socket) return [];
    this.#accepted.set(key, "asked");
    this.ask({ type: "accepted", run, step });
    return "asked";
  }

  ask(message: FromPage): void {
    this.trouble = "";
    this.#socket?.send(message);
  }

  connected(socket: { send(message: FromPage): void }): void {
    this.#socket = socket;
    this.changed();
  }

  disconnected(): void {
    this.#socket = null;
    this.canControl = false;
    this.canFork = false;
    for (const [run, status] of this.#status) this.#status.set(run, { ...status, phase: "gone" });
    this.changed();
  }

  /** Takes in what the process says. */
  hear(message: ToPage): void {
    switch (message.type) {
      case "hello":
        this.#begin(message);
        break;
      case "run":
        this.#show(message.run);
        break;
      case "steps":
        this.#take(message);
        break;
      case "status":
        this.#status.set(message.status.run, message.status);
        break;
      case "refused":
        this.trouble = message.message;
        break;
      case "remaining":
      case "prompt":
      case "accepted":
        this.#learn(message);
        break;
    }
    this.changed();
  }

  /** What was asked for, or comes later than its step. */
  #learn(message: Extract<ToPage, { type: "remaining" | "prompt" | "accepted" }>): void {
    if (message.type === "remaining") {
      const { steps } = this.runOf(message.run);
      for (const [step, remaining] of message.values)
        if (steps[step]) steps[step].remaining = remaining;
      return;
    }
    const key = `${message.run} ${message.step}`;
    if (message.type === "prompt") this.#prompts.set(key, message.prompt);
    else this.#accepted.set(key, message.events);
  }

  #show(run: Run): void {
    this.recording.runs.push(run);
    this.beside = run.fork?.run ?? null;
    this.run = run.id;
    this.following = true;
  }

  #begin({ recording, status, can_control, can_fork }: Extract<ToPage, { type: "hello" }>): void {
    this.recording = recording;
    this.canControl = can_control;
    this.canFork = can_fork;
    for (const kept of [this.#status, this.#prompts, this.#accepted, this.#contexts]) kept.clear();
    for (const one of status) this.#status.set(one.run, one);
    if (!recording.runs.some(({ id }) => id === this.run)) this.run = 0;
    this.beside = null;
  }

  #take({ run, from, steps }: Extract<ToPage, { type: "steps" }>): void {
    const known = this.runOf(run).steps;
    this.#forget(run, from);
    known.length = Math.min(known.length, from);
    for (const step of steps) known.push(step);
    if (run !== this.run) return;
    if (this.following) this.step = this.lastStep;
    this.step = Math.min(this.step, this.lastStep);
  }

  /** Steps from this one on are others now. */
  #forget(run: number, from: number): void {
    for (const kept of [this.#prompts, this.#accepted, this.#contexts])
      for (const key of kept.keys()) {
        const [ofRun, step] = key.split(" ").map(Number);
        if (ofRun === run && (step ?? 0) >= from) kept.delete(key);
      }
  }

  /** Tells the listeners, once for all changes of one frame. */
  changed(): void {
    if (!this.#isTold) return;
    this.#isTold = false;
    requestAnimationFrame(() => {
      this.#isTold = true;
      for (const listener of this.#listeners) listener();
    });
  }
}

function exportedPrompt(
  { texts, prompts }: NonNullable<Recording["prompts"]>,
  key: string,
): PromptView | null {
  const found = prompts[key];
  if (!found) return null;
  const { system, messages, note } = found;
  return {
    system: texts[system] ?? "",
    messages: messages.map(({ role, text }) => ({ role, text: texts[text] ?? "" })),
    note,
  };
}
