import { signature, type Call } from "../contracts/call.ts";
import { startingTurn } from "../machine/turn.start.ts";
import { hasTools, routable } from "../machine/turn.guards.ts";
import type { SkillCard, Turn } from "../machine/turn.types.ts";
import { noInput } from "../machine/step.ts";
import type { Ran } from "../guardrails/repeat.ts";
import type { TurnMachine, TurnSnapshot } from "../machine/turn.machine.ts";

export const budgets = ["retries", "steps", "asks"] as const;
export type Budget = (typeof budgets)[number];

/** What stands for "some left": spending one leaves some. */
export const SOME = 2;

/** A turn of which nothing is known any more. */
const nothing: Turn = {
  ...startingTurn(noInput),
  called_in: "tool_call",
  return_to: "tool_call",
};

const ran = (name: string, effect: Ran["effect"]): Ran => ({ signature: `${name} {}`, effect });
/** One call that may not be made again, two that go round, and any other is new. It is taken as given that something ran. */
const someRan: Ran[] = [
  ran("again", "denied"),
  ran("here", "write"),
  ran("there", "write"),
  ran("here", "write"),
];
const refusedBefore: Call = { name: "failing", input: {} };

const loading: Call = { name: "load_skill", input: { skill_name: "skill" } };

/** Once the answer has begun, no calls come any more. */
const isAnswering = (value: TurnSnapshot["value"], { return_to, pending }: Turn): boolean =>
  value === "answer" ||
  (value === "fail_recovery" && return_to === "answer") ||
  (value === "ask_user_question" && pending?.kind === "open" && pending.asked_in === "answer");

const some = (left: number) => (left > 0 ? SOME : 0);

/**
 * A configuration without what no guard of the chart reads: texts, history, counts of tokens; and of each budget only
 * whether any is left. There are finitely many of these, whatever the limits.
 */
export function abstract({ value, status, context }: TurnSnapshot): {
  value: TurnSnapshot["value"];
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
      refused: {
        reply: refused.times > 0 ? signature(refusedBefore) : "",
        times: refused.times,
      },
      asked_again: context.asked_again,
      ...(value === "fail_recovery"
        ? { problem: { code: "empty" }, return_to: context.return_to }
        : {}),
      // Then what ran and what is loaded decides nothing any more.
      ...(isAnswering(value, context) ? {} : callsAhead(context)),
    },
  };
}

/** What may decide about calls that are still to come: of the skills, whether any has tools and whether one can be loaded. */
function callsAhead(turn: Turn): Pick<Turn, "skills" | "ran" | "called_in"> {
  return {
    skills: skillsOf(hasTools(turn), routable(turn).length > 0),
    ran: someRan,
    called_in: turn.queue.length > 0 ? turn.called_in : nothing.called_in,
  };
}

/** All skill sets that the chart tells apart: are there tools at hand, and can a skill be loaded? */
export const skillsOf = (has_tools: boolean, loadable: boolean): SkillCard[] => [
  ...(has_tools ? [{ name: "base", is_default: true, has_tools }] : []),
  ...(loadable ? [{ name: "skill", is_default: false, has_tools: false }] : []),
];

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
  if (call.name === "load_skill") return loading;
  return signature(call) === refusedReply ? refusedBefore : { name: "tool", input: { n: index } };
}

/** A text for what two abstract configurations can differ in; writing all of one takes three times as long. */
export function keyOf({ value, context }: ReturnType<typeof abstract>): string {
  const { budget, queue, questions, pending, refused, skills } = context;
  return [
    value,
    ...budgets.map((name) => budget[name]),
    ...queue.map(({ name, input }) => `${name}${JSON.stringify(input)}`),
    questions.length,
    pending?.kind === "open" ? pending.asked_in : pending?.kind,
    context.allowed.length,
    refused.reply,
    refused.times,
    context.asked_again,
    context.return_to,
    context.called_in,
    ...skills.map(({ name, has_tools }) => `${name}${has_tools}`),
  ].join();
}

/** A configuration to go on from, its actors at work. */
export function concrete(
  machine: TurnMachine,
  { value, context }: ReturnType<typeof abstract>,
  { children }: TurnSnapshot,
): TurnSnapshot {
  return Object.assign(machine.resolveState({ value, context }), { children });
}
