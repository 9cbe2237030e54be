import { signature } from "../contracts/call.ts";
import type { Problem } from "../contracts/problem.ts";
import type { Entry, Notice } from "../session/entry.ts";
import {
  countUse,
  droppedCalls,
  endEarly,
  finish,
  noteBackendFailure,
  noteCallFailure,
  noteRefusal,
  noteReply,
  noteRun,
  notice,
  ranCall,
  taskOf,
  well,
  type Change,
} from "./turn.changes.ts";
import { replyOf, toolOutputOf } from "./turn.guards.ts";
import { freshTurn } from "./turn.start.ts";
import { fallbackText, NOTHING_RAN } from "./turn.wording.ts";
import type { EarlyEnd, Turn, TurnEvent } from "./turn.types.ts";

type Update = (turn: Turn, event: TurnEvent) => Change;

/** The reply stays in the log though nothing comes of it: the prompt that asked for it was sent, and only grows. */
function endEarlyOnReply(turn: Turn, event: TurnEvent, why: EarlyEnd, said: Notice): Change {
  const reply = replyOf(event);
  const task = taskOf(event);
  const log = [...turn.log];
  if (reply?.kind === "calls") log.push({ kind: "calls", task, calls: reply.calls });
  if (reply?.kind === "question")
    log.push({ kind: "question", task, question: reply.questions.join(" ") });
  return { ...endEarly({ ...turn, log }, why, [said]), usage: countUse(turn, event) };
}

/** A journal keeps of an error what this reads of it, so that both give the same problem. */
function nameAndMessage(error: unknown): { name: string; message: string } {
  if (typeof error !== "object" || !error || !("name" in error) || !("message" in error))
    return { name: "Error", message: String(error) };
  return { name: String(error.name), message: String(error.message) };
}

/** What each action changes. All are pure; none throws. */
export const updates = {
  clear_turn: (turn) => freshTurn(turn.limits),

  // budgets
  spend_step: (turn) => ({ budget: { ...turn.budget, steps: turn.budget.steps - 1 } }),
  spend_ask: (turn) => ({ budget: { ...turn.budget, asks: turn.budget.asks - 1 } }),
  spend_retry: (turn) => ({ budget: { ...turn.budget, retries: turn.budget.retries - 1 } }),

  // a good reply
  queue_calls: (turn, event) => {
    const reply = replyOf(event);
    const task = taskOf(event);
    if (reply?.kind !== "calls" || task === "answer") return {};
    const log: Entry[] = [...turn.log, { kind: "calls", task, calls: reply.calls }];
    // `attempt` stays: a well-formed call may still fail like the one before it.
    return { log, queue: reply.calls, called_in: task, faults: 0, usage: countUse(turn, event) };
  },
  note_nothing_wanted: (turn, event) => ({
    log: [...turn.log, { kind: "calls", task: taskOf(event), calls: [] }],
    usage: countUse(turn, event),
    ...well,
  }),
  note_repeats: (turn, event) => {
    const reply = replyOf(event);
    const calls = reply?.kind === "calls" ? reply.calls : [];
    const task = taskOf(event);
    const log: Entry[] = [
      ...turn.log,
      { kind: "calls", task, calls },
      notice({ code: "only_repeats", calls }),
    ];
    return { log, usage: countUse(turn, event), ...well };
  },
  take_questions: (turn, event) => {
    const reply = replyOf(event);
    if (reply?.kind !== "question") return {};
    const [question = "", ...questions] = reply.questions;
    const asked_in = taskOf(event);
    return {
      log: [...turn.log, { kind: "question", task: asked_in, question }],
      questions,
      pending: { kind: "open", question, asked_in },
      usage: countUse(turn, event),
      ...well,
    };
  },
  keep_answer: (turn, event) => {
    const reply = replyOf(event);
    const text =
      reply?.kind === "text"
        ? reply.text
        : reply?.kind === "question"
          ? reply.questions.join("\n")
          : "";
    return { ...finish(turn, text), usage: countUse(turn, event) };
  },
  keep_answer_with_truth: (turn, event) => {
    const reply = replyOf(event);
    return {
      ...finish(turn, `${reply?.reply.trim() ?? ""}\n\n${NOTHING_RAN}`),
      usage: countUse(turn, event),
    };
  },
  keep_question_as_answer: (turn) => (turn.pending ? finish(turn, turn.pending.question) : {}),

  // calls
  note_run: noteRun,
  note_call_failure: noteCallFailure,
  take_confirmation: (turn, event) => {
    const output = toolOutputOf(event);
    const [call] = turn.queue;
    if (output?.kind !== "needs_permission" || !call) return {};
    const { kind: _, ...asked } = output;
    return { pending: { kind: "confirm", call, ...asked } };
  },
  allow_call: ({ pending, allowed }) => {
    if (pending?.kind !== "confirm") return {};
    const { call, trusts } = pending;
    return { allowed: [...allowed, signature(call), ...(trusts ? [trusts] : [])], pending: null };
  },
  note_denial: (turn) => {
    const [call, ...rest] = turn.queue;
    if (!call) return {};
    return {
      log: [...turn.log, notice({ code: "denied", call }), ...droppedCalls(rest)],
      // A call the user said no to is settled: writing it again is a repeat, not a second question.
      ran: [...turn.ran, ranCall(call, "denied")],
      queue: [],
      pending: null,
      ...well,
    };
  },
  note_reply: noteReply,

  // ends and detours
  end_by_max_asks: (turn, event) => {
    const reply = replyOf(event);
    const question = reply?.kind === "question" ? reply.questions.join(" ") : "";
    return endEarlyOnReply(turn, event, "max_asks", { code: "max_asks", question });
  },
  end_by_max_asks_for_permission: (turn, event) => {
    const output = toolOutputOf(event);
    const question = output?.kind === "needs_permission" ? output.question : "";
    const undone: Notice = { code: "dropped", calls: turn.queue };
    return endEarly(turn, "max_asks", [{ code: "max_asks", question }, undone]);
  },
  end_by_max_steps: (turn, event) => {
    const reply = replyOf(event);
    const undone = reply?.kind === "calls" ? reply.calls : turn.queue;
    return endEarlyOnReply(turn, event, "max_steps", { code: "max_steps", undone });
  },
  end_by_going_round: (turn, event) => {
    const reply = replyOf(event);
    const calls = reply?.kind === "calls" ? reply.calls : [];
    return endEarlyOnReply(turn, event, "going_round", { code: "going_round", calls });
  },
  // The event of these two is still the reply that was noted on the way into fail_recovery, its cost counted there.
  end_by_max_retries: (turn) =>
    endEarly(
      turn,
      "max_retries",
      turn.problem ? [{ code: "max_retries", problem: turn.problem }] : [],
    ),
  end_by_no_progress: (turn) =>
    endEarly(
      turn,
      "no_progress",
      turn.problem ? [{ code: "no_progress", problem: turn.problem }] : [],
    ),

  // what went wrong
  note_refusal: noteRefusal,
  note_backend_failure: noteBackendFailure,
  note_crash: (_turn, event) => {
    const error: unknown = "error" in event ? event.error : undefined;
    return { problem: { code: "internal", ...nameAndMessage(error) } };
  },
  give_up: (turn) => {
    const problem: Problem = turn.problem ?? {
      code: "internal",
      name: "Error",
      message: "no problem was noted",
    };
    return { outcome: { kind: "fallback", text: fallbackText(problem, turn.log), problem } };
  },
  note_abort: (_turn, event) =>
    event.type === "abort" ? { outcome: { kind: "stopped", by: event.by }, pending: null } : {},
  note_needs_input: (turn) => ({
    outcome: { kind: "needs_input", question: turn.pending?.question ?? "" },
  }),
} satisfies Record<string, Update>;
