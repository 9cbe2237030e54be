import type { Json, JsonObject } from "../contracts/call.ts";
import type { Chart } from "./chart/chart.ts";
import type { Patch } from "./patch.ts";

/**
 * What the page and the process say to each other: one JSON object a message, over one websocket. An exported page holds
 * a `Recording` and no socket. Everything in it is data and is shown as text, never as HTML.
 */

/** What there is to see: a chart and runs through it. */
export interface Recording {
  /** Where it comes from: a turn at work, a journal, or a machine that a person steps. */
  source: "live" | "recorded" | "machine";
  /** The question, the file's name, or the machine's id. */
  title: string;
  /** Of broharness. */
  version: string;
  chart: Chart;
  runs: Run[];
  /** In an exported page: every text that prompts are made of, once. Else null: prompts are asked for. */
  prompts: ExportedPrompts | null;
}

/** Prompts by `${run} ${step}`; their texts are numbers of `texts`, because most of a prompt stands in the one before. */
export interface ExportedPrompts {
  texts: string[];
  prompts: Record<
    string,
    { system: number; messages: { role: string; text: number }[]; note: string }
  >;
}

/** A way through the chart. Run 0 is the one that was opened; the others are what-if forks of it or of each other. */
export interface Run {
  id: number;
  /** "as it was", "what if 1", … */
  name: string;
  /** The session's id; null without a journal. */
  session: string | null;
  /** Where it leaves another run: `step` is the first that is another. Null for run 0. */
  fork: { run: number; step: number } | null;
  steps: StepView[];
}

/** What kind of thing happened: it chooses sign and colour in the timeline. */
export type EventKind =
  | "turn" // a turn begins with a question, or a machine with its input
  | "model"
  | "tool"
  | "reply" // the user's
  | "wait"
  | "abort"
  | "crash"
  | "event"; // of any other machine

/** One thing that reached the machine from outside, and what it made of it. */
export interface StepView {
  /** The turn of the session, from 1. A machine has one. */
  turn: number;
  /** Of the journal, from 1; null where there is none. */
  line: number | null;
  /** Milliseconds since 1970. */
  at: number;
  kind: EventKind;
  /** XState's event type: "xstate.done.actor.tool_use". */
  type: string;
  /** One line for the timeline: "read_note" or "refused: text_outside". Never longer than 200 characters. */
  title: string;
  /** False for a refusal, failure or crash; null where neither word fits. */
  ok: boolean | null;
  /** Whether a person or a recording stood in for the actor; null for its own work. */
  by: "hand" | "recording" | null;
  /** Ids of the active states without active children, before and after. `from` is empty for a first step. */
  from: string[];
  to: string[];
  /** Arcs in the order they were looked at: `allowed` ones were taken, the others had a guard that said no. */
  arcs: { id: string; allowed: boolean }[];
  /** Actions that ran, by name, in order. */
  actions: string[];
  /** Against the step before in this run; against {} for the first one. */
  patch: Patch;
  /** What the event brought, as data: the actor's output, the error, or the event itself. What a what-if edits. */
  output: Json;
  /** The same for people, in the order to show it. */
  blocks: Block[];
  /** What is left of each budget; null for a machine without them. */
  budget: { retries: number; steps: number; asks: number } | null;
  /** The proved most that can still come after this step. Null while it is being proved, and for other machines. */
  remaining: { model_calls: number; tool_runs: number; questions: number } | null;
  /** Whether an actor of the state after this step asks a model, so that there is a prompt to show. */
  asks_model: boolean;
  /** Whether a what-if can begin by putting another outcome in this one's place. */
  can_fork: boolean;
  /** "answered", "fallback", … once the run (or this turn of it) has ended; null while it goes on. */
  ended: string | null;
}

export interface Block {
  /** "Reply", "Thinking", "Call", "Output", "Refused because", "Error", "Question", "Answer". */
  label: string;
  /** `code` keeps its spaces; `thinking` is set apart. */
  tone: "text" | "code" | "thinking" | "good" | "bad";
  text: string;
  /** Beside the label: ["12 ms", "exit 0"]. */
  facts: string[];
}

export interface PromptView {
  system: string;
  messages: { role: string; text: string }[];
  /** What makes it perhaps not the exact one: "the skill notes has changed since". "" when it is exact. */
  note: string;
}

/** Where a live run or a fork at work is. */
export interface Status {
  run: number;
  /**
   * `working`: an actor is. `held`: the turn waits before a transition, for Step or Run. `asking`: for the user's reply.
   * `by_hand`: for a person to say what the actor gave back. `ended`: the run has. `gone`: the process has, or its socket.
   */
  phase: "working" | "held" | "asking" | "by_hand" | "ended" | "gone";
  /** The state at work. */
  state: string;
  /** In `held`: the step that comes next, not taken yet; null before the very first. */
  next: StepView | null;
  /** In `asking`. `confirm` takes yes or no. */
  question: { kind: "open" | "confirm"; text: string } | null;
  /** In `by_hand`: what the actor may give back, by kind, as drafts to edit. */
  drafts: Draft[];
  /** In `by_hand`: why nothing recorded fits any more; "" where a person was to say it. */
  why: string;
  /** Where it stops by itself: "every" (before each transition), "error", "tool", or states' names. */
  breakpoints: string[];
}

export interface Draft {
  name: string;
  output: Json;
}

/** What goes on once the edited outcome has been taken: the recorded outcomes where they fit, a live model, or a person. */
export type Remainder = "recorded" | "live" | "hand";

/** An event that a machine would take now. */
export interface Accepted {
  type: string;
  /** For people: "done", "after 100 ms". */
  label: string;
  /** The state that takes it, and the guards on its ways. */
  from: string;
  guards: string[];
}

/** From the process to the page. */
export type ToPage =
  /** First, and again after a lost connection. Runs come without steps; `steps` messages follow. */
  | {
      type: "hello";
      recording: Recording;
      status: Status[];
      can_control: boolean;
      can_fork: boolean;
    }
  /** Steps of a run from index `from` on. */
  | { type: "steps"; run: number; from: number; steps: StepView[] }
  | { type: "run"; run: Run }
  | { type: "status"; status: Status }
  /** The proved rest for steps of a run, once it is known: index and figures. */
  | { type: "remaining"; run: number; values: [step: number, remaining: StepView["remaining"]][] }
  | { type: "prompt"; run: number; step: number; prompt: PromptView | null }
  | { type: "accepted"; run: number; step: number; events: Accepted[] }
  /** A request that could not be met, in one sentence for people. */
  | { type: "refused"; request: string; message: string };

/** From the page to the process. */
export type FromPage =
  | { type: "step"; run: number }
  | { type: "go"; run: number }
  /** Holds before the next transition. */
  | { type: "pause"; run: number }
  | { type: "go_to"; run: number; state: string }
  | { type: "breakpoints"; run: number; breakpoints: string[] }
  | { type: "answer"; run: number; text: string }
  | { type: "stop"; run: number }
  /** The prompt of the model at work in the state after this step. */
  | { type: "prompt"; run: number; step: number }
  /**
   * Another outcome in the place of this step's; answered by `run` and `steps`, or `refused`. Of a model `{ reply }` is
   * enough: what it writes, judged as it would be from a model.
   */
  | { type: "fork"; run: number; step: number; output: Json; remainder: Remainder }
  /** In `by_hand`: what the actor gave back, as in `fork`. `remainder` may hand the rest over. */
  | { type: "outcome"; run: number; output: Json; remainder: Remainder }
  /** Of a machine: the events it would take after this step. */
  | { type: "accepted"; run: number; step: number }
  /** An event for a machine, after this step. After any but the last one it begins another run. */
  | { type: "send"; run: number; step: number; event: JsonObject & { type: string } };
