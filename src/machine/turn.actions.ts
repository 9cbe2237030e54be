import { signature, type Call } from "../contracts/call.ts";
import type { Problem } from "../contracts/problem.ts";
import type { Ran } from "../guardrails/repeat.ts";
import type { Effect, Entry, Notice } from "../session/entry.ts";
import type { TaskName } from "../session/offer.ts";
import { replyOf, toolOutputOf, userOutputOf } from "./turn.guards.ts";
import { fallbackText, NOTHING_RAN } from "./turn.wording.ts";
import type { EarlyEnd, Turn, TurnEvent, TurnInput } from "./turn.types.ts";

type Change = Partial<Turn>;
type Update = (turn: Turn, event: TurnEvent) => Change;

const noUse = { calls: 0, input_tokens: 0, output_tokens: 0, estimated: false };

/** All that is true only within one turn, as it is before the first event. */
export function freshTurn(limits: Turn["limits"]) {
  return {
    budget: { retries: limits.max_retries, steps: limits.max_steps, asks: limits.max_asks },
    log: [],
    queue: [],
    called_in: "skill_call",
    questions: [],
    pending: null,
    allowed: [],
    ran: [],
    problem: null,
    return_to: "skill_call",
    attempt: 0,
    refused: { reply: "", times: 0 },
    asked_again: false,
    ended_early: null,
    outcome: null,
    usage: { skill_call: noUse, tool_call: noUse, answer: noUse },
  } satisfies Change;
}

/** The turn as it is given: what the caller's state held comes along until `clear_turn` has run. */
export function startingTurn(input: TurnInput): Turn {
  return { attachment: "", ...freshTurn(input.limits), ...input };
}

// ——— small parts ———

const notice = (value: Notice): Entry => ({ kind: "notice", notice: value });
const well = { problem: null, attempt: 0, refused: { reply: "", times: 0 } } satisfies Change;
const droppedCalls = (calls: Call[]): Entry[] =>
  calls.length > 0 ? [notice({ code: "dropped", calls })] : [];
const ranCall = (call: Call, effect: Effect): Ran => ({ signature: signature(call), effect });

const sameAgain = ({ refused }: Turn, reply: string) => ({
  reply,
  times: refused.reply === reply ? refused.times + 1 : 1,
});

function taskOf(event: TurnEvent): TaskName {
  if (event.type === "xstate.done.actor.tool_call") return "tool_call";
  return event.type === "xstate.done.actor.answer" ? "answer" : "skill_call";
}

function countUse(turn: Turn, event: TurnEvent): Turn["usage"] {
  const reply = replyOf(event);
  if (!reply) return turn.usage;
  const task = taskOf(event);
  const before = turn.usage[task];
  return {
    ...turn.usage,
    [task]: {
      calls: before.calls + 1,
      input_tokens: before.input_tokens + reply.usage.input_tokens,
      output_tokens: before.output_tokens + reply.usage.output_tokens,
      estimated: before.estimated || reply.usage.estimated,
    },
  };
}

function endEarly(turn: Turn, event: TurnEvent, why: EarlyEnd, said: Notice[]): Change {
  return {
    log: [...turn.log, ...said.map(notice)],
    queue: [],
    questions: [],
    pending: null,
    ended_early: why,
    usage: countUse(turn, event),
    ...well,
  };
}

/** Which model state can act on the problem of a call: only skill_call can choose another skill. */
function whoCanAct(problem: Problem, turn: Turn): TaskName {
  return problem.code === "unknown_skill" ? "skill_call" : turn.called_in;
}

function finish(turn: Turn, text: string): Change {
  const asked = turn.attachment === "" ? turn.question : `${turn.question}\n\n${turn.attachment}`;
  return {
    messages: [...turn.messages, { role: "user", text: asked }, { role: "assistant", text }],
    outcome: { kind: "answered", text, ended_early: turn.ended_early },
  };
}

function noteRefusal(turn: Turn, event: TurnEvent): Change {
  const reply = replyOf(event);
  if (reply?.kind !== "refused") return {};
  const task = taskOf(event);
  const attempt = turn.attempt + 1;
  const { problem, example } = reply;
  return {
    log: [...turn.log, { kind: "refusal", task, problem, example, attempt }],
    problem,
    return_to: task,
    attempt,
    refused: sameAgain(turn, reply.reply),
    asked_again:
      turn.asked_again || problem.code === "claimed_effect" || problem.code === "announced_only",
    usage: countUse(turn, event),
  };
}

function noteBackendFailure(turn: Turn, event: TurnEvent): Change {
  const reply = replyOf(event);
  if (reply?.kind !== "failed") return {};
  return {
    problem: reply.problem,
    return_to: taskOf(event),
    attempt: turn.attempt + 1,
    usage: countUse(turn, event),
  };
}

function noteCallFailure(turn: Turn, event: TurnEvent): Change {
  const output = toolOutputOf(event);
  const [call, ...rest] = turn.queue;
  if (output?.kind !== "failed" || !call) return {};
  const { problem, effect, observation } = output;
  const attempt = turn.attempt + 1;
  const return_to = whoCanAct(problem, turn);
  return {
    refused: sameAgain(turn, signature(call)),
    log: [
      ...turn.log,
      { kind: "failure", call, effect, problem, observation, attempt },
      ...droppedCalls(rest),
    ],
    // Only what has really run counts as run: a refused call may be sent again, corrected.
    ran: observation ? [...turn.ran, ranCall(call, effect)] : turn.ran,
    queue: [],
    problem,
    return_to,
    attempt,
  };
}

function noteRun(turn: Turn, event: TurnEvent): Change {
  const output = toolOutputOf(event);
  const [call, ...queue] = turn.queue;
  if (!output || !call) return {};
  switch (output.kind) {
    case "result": {
      const { effect, observation } = output;
      const log: Entry[] = [...turn.log, { kind: "result", call, effect, observation }];
      return { log, ran: [...turn.ran, ranCall(call, effect)], queue, ...well };
    }
    case "skill_loaded":
      return {
        log: [...turn.log, { kind: "skill", name: output.name }],
        loaded_skills: [...turn.loaded_skills, output.name],
        ran: [...turn.ran, ranCall(call, "read")],
        queue,
        ...well,
      };
    case "already_done":
      return { log: [...turn.log, notice({ code: "already_done", call })], queue, ...well };
    case "needs_permission":
    case "failed":
      return {};
  }
}

function noteReply(turn: Turn, event: TurnEvent): Change {
  const output = userOutputOf(event);
  if (output?.kind !== "reply" || turn.pending?.kind !== "open") return {};
  const [question, ...questions] = turn.questions;
  const log: Entry[] = [...turn.log, { kind: "reply", text: output.text }];
  if (question === undefined) return { log, pending: null };
  if (turn.budget.asks === 0)
    return { log: [...log, notice({ code: "max_asks", question })], pending: null, questions: [] };
  const { asked_in } = turn.pending;
  log.push({ kind: "question", task: asked_in, question });
  return { log, questions, pending: { kind: "open", question, asked_in } };
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
    return { log, queue: reply.calls, called_in: task, usage: countUse(turn, event) };
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
    return { pending: { kind: "confirm", question: output.question, call } };
  },
  allow_call: (turn) =>
    turn.pending?.kind === "confirm"
      ? { allowed: [...turn.allowed, signature(turn.pending.call)], pending: null }
      : {},
  note_denial: (turn) => {
    const [call, ...rest] = turn.queue;
    if (!call) return {};
    return {
      log: [...turn.log, notice({ code: "denied", call }), ...droppedCalls(rest)],
      // A call the user said no to is settled: writing it again is a repeat, not a second question.
      ran: [...turn.ran, ranCall(call, "read")],
      queue: [],
      pending: null,
      ...well,
    };
  },
  note_reply: noteReply,

  // ends and detours
  end_by_max_asks: (turn, event) => {
    const reply = replyOf(event);
    const question = reply?.kind === "question" ? (reply.questions[0] ?? "") : "";
    return endEarly(turn, event, "max_asks", [{ code: "max_asks", question }]);
  },
  end_by_max_asks_for_permission: (turn, event) => {
    const output = toolOutputOf(event);
    const question = output?.kind === "needs_permission" ? output.question : "";
    const undone: Notice = { code: "dropped", calls: turn.queue };
    return endEarly(turn, event, "max_asks", [{ code: "max_asks", question }, undone]);
  },
  end_by_max_steps: (turn, event) => {
    const reply = replyOf(event);
    const undone = reply?.kind === "calls" ? reply.calls : turn.queue;
    return endEarly(turn, event, "max_steps", [{ code: "max_steps", undone }]);
  },
  end_by_going_round: (turn, event) => {
    const reply = replyOf(event);
    const calls = reply?.kind === "calls" ? reply.calls : [];
    return endEarly(turn, event, "going_round", [{ code: "going_round", calls }]);
  },
  end_by_max_retries: (turn, event) =>
    endEarly(
      turn,
      event,
      "max_retries",
      turn.problem ? [{ code: "max_retries", problem: turn.problem }] : [],
    ),
  end_by_no_progress: (turn, event) =>
    endEarly(
      turn,
      event,
      "no_progress",
      turn.problem ? [{ code: "no_progress", problem: turn.problem }] : [],
    ),

  // what went wrong
  note_refusal: noteRefusal,
  note_backend_failure: noteBackendFailure,
  note_crash: (_turn, event) => {
    const error: unknown = "error" in event ? event.error : undefined;
    const { name, message } =
      error instanceof Error ? error : { name: "Error", message: String(error) };
    return { problem: { code: "internal", name, message } };
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
