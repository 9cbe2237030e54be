import { signature, type Call } from "../contracts/call.ts";
import type { Problem } from "../contracts/problem.ts";
import type { Ran } from "../guardrails/repeat.ts";
import type { Effect, Entry, Notice } from "../session/entry.ts";
import type { TaskName } from "../session/task.ts";
import { replyOf, toolOutputOf, userOutputOf } from "./turn.guards.ts";
import type { EarlyEnd, Turn, TurnEvent } from "./turn.types.ts";

/** What an event changes about a turn. All functions here are pure, and none throws. */
export type Change = Partial<Turn>;

export const notice = (value: Notice): Entry => ({ kind: "notice", notice: value });
export const well = {
  problem: null,
  attempt: 0,
  refused: { reply: "", times: 0 },
} satisfies Change;
export const droppedCalls = (calls: Call[]): Entry[] =>
  calls.length > 0 ? [notice({ code: "dropped", calls })] : [];
export const ranCall = (call: Call, effect: Effect): Ran => ({
  signature: signature(call),
  effect,
});

const sameAgain = ({ refused }: Turn, reply: string) => ({
  reply,
  times: refused.reply === reply ? refused.times + 1 : 1,
});

export function taskOf(event: TurnEvent): TaskName {
  if (event.type === "xstate.done.actor.tool_call") return "tool_call";
  return event.type === "xstate.done.actor.answer" ? "answer" : "skill_call";
}

export function countUse(turn: Turn, event: TurnEvent): Turn["usage"] {
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

export function endEarly(turn: Turn, event: TurnEvent, why: EarlyEnd, said: Notice[]): Change {
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

export function finish(turn: Turn, text: string): Change {
  const asked = turn.attachment === "" ? turn.question : `${turn.question}\n\n${turn.attachment}`;
  return {
    messages: [...turn.messages, { role: "user", text: asked }, { role: "assistant", text }],
    outcome: { kind: "answered", text, ended_early: turn.ended_early },
  };
}

export function noteRefusal(turn: Turn, event: TurnEvent): Change {
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

export function noteBackendFailure(turn: Turn, event: TurnEvent): Change {
  const reply = replyOf(event);
  if (reply?.kind !== "failed") return {};
  return {
    problem: reply.problem,
    return_to: taskOf(event),
    attempt: turn.attempt + 1,
    usage: countUse(turn, event),
  };
}

export function noteCallFailure(turn: Turn, event: TurnEvent): Change {
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

export function noteRun(turn: Turn, event: TurnEvent): Change {
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

export function noteReply(turn: Turn, event: TurnEvent): Change {
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
