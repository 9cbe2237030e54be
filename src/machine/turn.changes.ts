import { signature, type Call } from "../contracts/call.ts";
import type { Problem } from "../contracts/problem.ts";
import { metaToolNames } from "../guardrails/ledger.ts";
import type { Ran } from "../guardrails/repeat.ts";
import type { Entry, Notice } from "../session/entry.ts";
import type { TaskName } from "../session/task.ts";
import { replyOf, toolOutputOf, userOutputOf } from "./turn.guards.ts";
import type { EarlyEnd, Turn, TurnEvent } from "./turn.types.ts";

/** What an event changes about a turn. All functions here are pure, and none throws. */
export type Change = Partial<Turn>;

export const notice = (value: Notice): Entry => ({ kind: "notice", notice: value });
export const well = {
  problem: null,
  mistakes: [],
  attempt: 0,
  faults: 0,
  refused: { reply: "", times: 0 },
} satisfies Change;
export const droppedCalls = (calls: Call[]): Entry[] =>
  calls.length > 0 ? [notice({ code: "dropped", calls })] : [];
export const ranCall = (call: Call, effect: Ran["effect"]): Ran => ({
  signature: signature(call),
  effect,
});

/** A yes is for one run: the same call later in the turn is a new deed, and is asked about again. */
const useUpYes = ({ allowed }: Turn, call: Call) =>
  allowed.filter((allowedCall) => allowedCall !== signature(call));

const sameAgain = ({ refused }: Turn, reply: string) => ({
  reply,
  times: refused.reply === reply ? refused.times + 1 : 1,
});

/** One more mistake, counted by its kind: a first failure of a script is a first one, whatever went wrong before it. */
function counted({ mistakes }: Turn, { code }: Problem): Pick<Turn, "mistakes" | "attempt"> {
  const all = [...mistakes, code];
  return { mistakes: all, attempt: all.filter((earlier) => earlier === code).length };
}

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

/** Ends the calls of a turn before their time. What the reply of this event cost is not counted here. */
export function endEarly(turn: Turn, why: EarlyEnd, said: Notice[]): Change {
  return {
    log: [...turn.log, ...said.map(notice)],
    queue: [],
    questions: [],
    pending: null,
    ended_early: why,
    ...well,
  };
}

/** Which model state can act on the problem of a call: only skill_call can choose another skill, only tool_call scripts. */
function whoCanAct(problem: Problem, { name }: Call, turn: Turn): TaskName {
  if (problem.code === "unknown_skill") return "skill_call";
  return problem.code === "unknown_tool" || metaToolNames.has(name) ? turn.called_in : "tool_call";
}

export function finish(turn: Turn, text: string): Change {
  const asked = turn.attachment === "" ? turn.question : `${turn.question}\n\n${turn.attachment}`;
  return {
    messages: [...turn.messages, { role: "user", text: asked }, { role: "assistant", text }],
    // It is in the messages now; left here, it would be put to the next question as well.
    attachment: "",
    outcome: { kind: "answered", text, ended_early: turn.ended_early },
  };
}

export function noteRefusal(turn: Turn, event: TurnEvent): Change {
  const reply = replyOf(event);
  if (reply?.kind !== "refused") return {};
  const task = taskOf(event);
  const { problem, example } = reply;
  const count = counted(turn, problem);
  const { attempt } = count;
  return {
    log: [...turn.log, { kind: "refusal", task, problem, example, attempt }],
    problem,
    return_to: task,
    ...count,
    faults: 0,
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
    faults: turn.faults + 1,
    usage: countUse(turn, event),
  };
}

export function noteCallFailure(turn: Turn, event: TurnEvent): Change {
  const output = toolOutputOf(event);
  const [call, ...rest] = turn.queue;
  if (output?.kind !== "failed" || !call) return {};
  const { problem, effect, observation } = output;
  const count = counted(turn, problem);
  const { attempt } = count;
  const return_to = whoCanAct(problem, call, turn);
  return {
    refused: sameAgain(turn, signature(call)),
    log: [
      ...turn.log,
      { kind: "failure", call, effect, problem, observation, attempt },
      ...droppedCalls(rest),
    ],
    // Only what has really run counts as run: a refused call may be sent again, corrected.
    ran: observation ? [...turn.ran, ranCall(call, effect)] : turn.ran,
    allowed: useUpYes(turn, call),
    queue: [],
    problem,
    return_to,
    ...count,
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
      const ran = [...turn.ran, ranCall(call, effect)];
      return { log, ran, allowed: useUpYes(turn, call), queue, ...well };
    }
    case "skill_loaded":
      return {
        log: [...turn.log, { kind: "skill", name: output.name }],
        loaded_skills: [...turn.loaded_skills, output.name],
        skills: withCard(turn, output),
        ran: [...turn.ran, ranCall(call, "read")],
        queue,
        ...well,
      };
    case "already_done":
      // Not `well`: nothing new came of it, and the mistake beside it may be the one of the time before.
      return {
        log: [...turn.log, notice({ code: "already_done", call })],
        ran: [...turn.ran, ranCall(call, "read")],
        queue,
      };
    case "needs_permission":
    case "failed":
      return {};
  }
}

/** A skill may be loaded that the turn did not know before, and may turn out to have other tools. */
function withCard({ skills }: Turn, { name, has_tools }: { name: string; has_tools: boolean }) {
  const card = { name, is_default: false, has_tools };
  return skills.some((skill) => skill.name === name)
    ? skills.map((skill) => (skill.name === name ? { ...skill, has_tools } : skill))
    : [...skills, card];
}

export function noteReply(turn: Turn, event: TurnEvent): Change {
  const output = userOutputOf(event);
  if (output?.kind !== "reply" || turn.pending?.kind !== "open") return {};
  const [question, ...questions] = turn.questions;
  const log: Entry[] = [...turn.log, { kind: "reply", text: output.text }];
  if (question === undefined) return { log, pending: null };
  if (turn.budget.asks === 0) {
    const left = notice({ code: "max_asks", question: turn.questions.join(" ") });
    return { log: [...log, left], pending: null, questions: [] };
  }
  const { asked_in } = turn.pending;
  log.push({ kind: "question", task: asked_in, question });
  return { log, questions, pending: { kind: "open", question, asked_in } };
}
