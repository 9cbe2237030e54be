import { signature, type Call } from "../contracts/call.ts";
import { startingTurn } from "../machine/turn.start.ts";
import type { Turn } from "../machine/turn.types.ts";
import type { Ran } from "../guardrails/repeat.ts";
import type { Machine, Snapshot } from "./machine.ts";

export const budgets = ["retries", "steps", "asks"] as const;
export type Budget = (typeof budgets)[number];

/** What stands for "some left": the first is spent and leaves some, the second leaves none. */
export const SOME = 2;
const LAST = 1;

/** A turn of which nothing is known any more. */
const nothing: Turn = {
  ...startingTurn({
    messages: [],
    loaded_skills: [],
    question: "?",
    nonce: "",
    skills: [],
    limits: { max_retries: 0, max_steps: 0, max_asks: 0 },
  }),
  called_in: "tool_call",
  return_to: "tool_call",
};

const ran = (name: string, effect: Ran["effect"]): Ran => ({ signature: `${name} {}`, effect });
/** One call that may not be made again, two that go round, and any other is new. */
const someRan: Ran[] = [
  ran("again", "denied"),
  ran("here", "write"),
  ran("there", "write"),
  ran("here", "write"),
];
const refusedBefore: Call = { name: "failing", input: {} };

/** A skill that cannot be loaded stays what it is, for the model may only ask for it again. */
const sameRefused = ({ reply, times }: Turn["refused"]): string => {
  if (times === 0) return "";
  return reply.startsWith("load_skill {") ? reply : signature(refusedBefore);
};

/** Once the answer has begun, no calls come any more. */
const isAnswering = (value: Snapshot["value"], { return_to, pending }: Turn): boolean =>
  value === "answer" ||
  (value === "fail_recovery" && return_to === "answer") ||
  (value === "ask_user_question" && pending?.kind === "open" && pending.asked_in === "answer");

const some = (left: number) => (left > 0 ? SOME : 0);

/**
 * A configuration without what no guard of the chart reads: texts, history, counts of tokens; and of each budget only
 * whether any is left. There are finitely many of these, whatever the limits.
 */
export function abstract({ value, status, context }: Snapshot): {
  value: Snapshot["value"];
  context: Turn;
} {
  if (status !== "active") return { value, context: nothing };
  const { budget, refused, questions } = context;
  const queue = context.queue
    .slice(0, 2)
    .map((call, index) => canonical(call, index, refused.reply));
  return {
    value,
    context: {
      ...nothing,
      budget: { retries: some(budget.retries), steps: some(budget.steps), asks: some(budget.asks) },
      queue,
      questions: questions.map(() => "?"),
      ...questionAndYes(context, queue),
      refused: { reply: sameRefused(refused), times: refused.times },
      asked_again: context.asked_again,
      ...(value === "fail_recovery"
        ? { problem: { code: "empty" }, return_to: context.return_to }
        : {}),
      // Then what ran and what is loaded decides nothing any more.
      ...(isAnswering(value, context) ? {} : callsAhead(context)),
    },
  };
}

/** What may decide about calls that are still to come. */
const callsAhead = ({ loaded_skills, skills, ran: all, queue, called_in }: Turn) => ({
  loaded_skills,
  skills,
  ran: all.length > 0 ? someRan : [],
  called_in: queue.length > 0 ? called_in : nothing.called_in,
});

function questionAndYes(
  { pending, allowed, queue: [was] }: Turn,
  [head]: Call[],
): Pick<Turn, "pending" | "allowed"> {
  const isAllowed = was !== undefined && allowed.includes(signature(was));
  const yes = isAllowed && head ? [signature(head)] : [];
  if (pending?.kind === "open") return { pending: { ...pending, question: "?" }, allowed: yes };
  if (!pending || !head) return { pending: null, allowed: yes };
  return { pending: { kind: "confirm", question: "?", call: head }, allowed: yes };
}

function canonical(call: Call, index: number, refusedReply: string): Call {
  if (call.name === "load_skill") return call;
  return signature(call) === refusedReply ? refusedBefore : { name: "tool", input: { n: index } };
}

/** A configuration to go on from, its actors at work. `last`: the budget of which only one is left. */
export function concrete(
  machine: Machine,
  { value, context }: ReturnType<typeof abstract>,
  template: Snapshot,
  last: Budget | null,
): Snapshot {
  const budget = last ? { ...context.budget, [last]: LAST } : context.budget;
  const { children } = template;
  return Object.assign(machine.resolveState({ value, context: { ...context, budget } }), {
    children,
  });
}
