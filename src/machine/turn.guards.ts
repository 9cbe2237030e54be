import type { Problem } from "../contracts/problem.ts";
import { isGoingRound, isRepeat } from "../guardrails/repeat.ts";
import type {
  AskForCallsOutput,
  AskForTextOutput,
  AskUserOutput,
  Turn,
  TurnEvent,
  UseToolOutput,
} from "./turn.types.ts";

/** The third time the same words are refused, another try would be the fourth. */
const SAME_REPLY_MAX = 3;

interface Args {
  context: Turn;
  event: TurnEvent;
}

/** The reply that just came from the model, if the event is one. */
export function replyOf(event: TurnEvent): AskForCallsOutput | AskForTextOutput | undefined {
  return event.type === "xstate.done.actor.skill_call" ||
    event.type === "xstate.done.actor.tool_call" ||
    event.type === "xstate.done.actor.answer"
    ? event.output
    : undefined;
}

export function toolOutputOf(event: TurnEvent): UseToolOutput | undefined {
  return event.type === "xstate.done.actor.tool_use" ? event.output : undefined;
}

export function userOutputOf(event: TurnEvent): AskUserOutput | undefined {
  return event.type === "xstate.done.actor.ask_user_question" ? event.output : undefined;
}

// ——— facts about a turn ———

/** Skills the model may still load. */
export function routable(turn: Turn): string[] {
  return turn.skills
    .filter((skill) => !skill.is_default && !turn.loaded_skills.includes(skill.name))
    .map((skill) => skill.name);
}

/** Does any loaded skill have tools or references? */
export function hasTools(turn: Turn): boolean {
  return turn.skills.some(
    (skill) => skill.has_tools && (skill.is_default || turn.loaded_skills.includes(skill.name)),
  );
}

const isClaim = (problem: Problem) =>
  problem.code === "claimed_effect" || problem.code === "announced_only";

function callsOf(event: TurnEvent) {
  const reply = replyOf(event);
  return reply?.kind === "calls" ? reply.calls : [];
}

const wantsCalls = (event: TurnEvent) => callsOf(event).length > 0;
const wantsNothing = (event: TurnEvent) =>
  replyOf(event)?.kind === "calls" && callsOf(event).length === 0;
const ran = (event: TurnEvent) =>
  ["result", "skill_loaded", "already_done"].includes(toolOutputOf(event)?.kind ?? "");
const needsPermission = (event: TurnEvent) => toolOutputOf(event)?.kind === "needs_permission";
const asks = (event: TurnEvent) => replyOf(event)?.kind === "question";
const replied = (event: TurnEvent) => userOutputOf(event)?.kind === "reply";
const askedIn = (turn: Turn) => (turn.pending?.kind === "open" ? turn.pending.asked_in : undefined);
const onlyRepeats = ({ context, event }: Args) =>
  wantsCalls(event) && callsOf(event).every((call) => isRepeat(call, context.ran));
const goesRound = ({ context, event }: Args) =>
  callsOf(event)
    .slice(0, 1)
    .some((call) => isGoingRound(call, context.ran));
const madeNoProgress = (turn: Turn) => turn.refused.times >= SAME_REPLY_MAX;
const answerGivenUp = (turn: Turn) =>
  turn.return_to === "answer" && (turn.budget.retries === 0 || madeNoProgress(turn));

/**
 * Every guard of the chart by name. The chart lists them in order, the first true one decides; each is written so
 * that it needs no knowledge of its neighbours.
 */
export const guards = {
  // routing without a model
  only_tools_at_hand: ({ context }: Args) => routable(context).length === 0 && hasTools(context),
  nothing_at_hand: ({ context }: Args) => routable(context).length === 0 && !hasTools(context),
  no_tools_at_hand: ({ context }: Args) => !hasTools(context),

  // a reply of the model
  asks: ({ context, event }: Args) => asks(event) && context.budget.asks > 0,
  max_asks: ({ context, event }: Args) => asks(event) && context.budget.asks === 0,
  wants_nothing: ({ event }: Args) => wantsNothing(event),
  wants_no_skill: ({ context, event }: Args) => wantsNothing(event) && hasTools(context),
  wants_only_repeats: onlyRepeats,
  goes_round: goesRound,
  wants_calls: ({ context, event }: Args) => wantsCalls(event) && context.budget.steps > 0,
  max_steps: ({ context, event }: Args) => wantsCalls(event) && context.budget.steps === 0,
  answers: ({ event }: Args) => replyOf(event)?.kind === "text",
  claims_again: ({ context, event }: Args) => {
    const reply = replyOf(event);
    return (
      reply?.kind === "refused" &&
      isClaim(reply.problem) &&
      (context.asked_again || context.budget.retries === 0)
    );
  },
  is_refused: ({ event }: Args) => replyOf(event)?.kind === "refused",
  fails_for_now: ({ event }: Args) => {
    const reply = replyOf(event);
    return reply?.kind === "failed" && reply.problem.retryable;
  },
  fails_for_good: ({ event }: Args) => {
    const reply = replyOf(event);
    return reply?.kind === "failed" && !reply.problem.retryable;
  },

  // what became of a call
  needs_permission: ({ context, event }: Args) => needsPermission(event) && context.budget.asks > 0,
  max_asks_for_permission: ({ context, event }: Args) =>
    needsPermission(event) && context.budget.asks === 0,
  call_failed: ({ event }: Args) => toolOutputOf(event)?.kind === "failed",
  ran_more_queued: ({ context, event }: Args) =>
    ran(event) && context.queue.length > 1 && context.budget.steps > 0,
  ran_max_steps: ({ context, event }: Args) =>
    ran(event) && context.queue.length > 1 && context.budget.steps === 0,
  ran_all: ({ context, event }: Args) => ran(event) && context.queue.length <= 1,

  // what the user said
  said_yes: ({ event }: Args) => userOutputOf(event)?.kind === "yes",
  said_no: ({ event }: Args) => userOutputOf(event)?.kind === "no",
  nobody_answers_answer: ({ context, event }: Args) =>
    userOutputOf(event)?.kind === "no_reply" && askedIn(context) === "answer",
  nobody_answers: ({ event }: Args) => userOutputOf(event)?.kind === "no_reply",
  replied_more_questions: ({ context, event }: Args) =>
    replied(event) && context.questions.length > 0 && context.budget.asks > 0,
  replied_in_skill_call: ({ context, event }: Args) =>
    replied(event) && askedIn(context) === "skill_call",
  replied_in_tool_call: ({ context, event }: Args) =>
    replied(event) && askedIn(context) === "tool_call",
  replied_in_answer: ({ context, event }: Args) => replied(event) && askedIn(context) === "answer",

  // recovery
  answer_given_up: ({ context }: Args) => answerGivenUp(context),
  no_progress: ({ context }: Args) => madeNoProgress(context),
  max_retries: ({ context }: Args) => context.budget.retries === 0,
  back_to_skill_call: ({ context }: Args) => context.return_to === "skill_call",
  back_to_tool_call: ({ context }: Args) => context.return_to === "tool_call",
  back_to_answer: ({ context }: Args) => context.return_to === "answer",
};
