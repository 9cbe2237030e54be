import { signature } from "../contracts/call.ts";
import { replyOf, toolOutputOf, userOutputOf } from "../machine/turn.guards.ts";
import type { Turn } from "../machine/turn.types.ts";
import type { TaskName } from "../session/task.ts";
import { budgets } from "./abstract.ts";
import { MODEL_WORDS } from "./outcomes.ts";
import {
  askedInAnswer,
  changedValues,
  given,
  outcomesOf,
  canAct,
  hasRun,
  implies,
  isActive,
  isNothing,
  isPlainJson,
  isRefusal,
  mentions,
  ofSteps,
  openFrom,
  same,
  sourceOf,
  toolInputOf,
  type Step,
} from "./step-facts.ts";

/** What is true of every step of every turn. `says` is one sentence. */
export interface Invariant {
  name: string;
  says: string;
  holds(step: Step): boolean;
}

/** The text of a prompt, as the harness would send it. */
export type Render = (task: TaskName, turn: Turn) => string;

/** Goes with every reply of the model of a proof, as if its thinking had not been taken out. */
export const MODEL_THOUGHTS = "⟨thinking of the model⟩";

/** What the chart may never do. Each is written from what a turn should be, not from how the chart is made. */
export const invariants: readonly Invariant[] = [
  {
    name: "nothing_runs_after_refusal",
    says: "After a refused reply or a failed call no call runs, and none waits, until the model has been asked again.",
    holds: ofSteps(({ before, event, after }) =>
      implies(
        isRefusal(event) || before.value === "fail_recovery",
        () => after.value !== "tool_use" && after.context.queue.length === 0,
      ),
    ),
  },
  {
    name: "answer_has_no_executor",
    says: "In the answer a model may write text only, and nothing after it leads back to calls.",
    holds: ({ before, after }) =>
      implies(
        after.value === "answer",
        () => after.context.queue.length === 0 && sourceOf(after) === "askForText",
      ) &&
      implies(
        before?.value === "answer" || askedInAnswer(before),
        () => !["skill_call", "tool_call", "tool_use"].includes(after.value),
      ),
  },
  {
    name: "question_is_alone",
    says: "While a question waits there is exactly one, no call waits beside an open one, and a confirmation is about the next call.",
    holds: ({ after }) => {
      const { pending, queue, questions } = after.context;
      if (after.value !== "ask_user_question")
        return !isActive(after) || (pending === null && questions.length === 0);
      if (pending?.kind === "open") return queue.length === 0;
      return pending !== null && same(pending.call, queue[0]) && questions.length === 0;
    },
  },
  {
    name: "no_tool_without_permission",
    says: "A call that needs permission runs only after a yes, a yes is for one run, and after a no nothing is left to run.",
    holds: ofSteps(({ before, event, after }) => {
      const { queue, allowed } = before.context;
      const said = userOutputOf(event)?.kind;
      const [call] = queue;
      const isUsed = hasRun(event) && toolOutputOf(event)?.kind !== "already_done";
      return (
        implies(
          toolOutputOf(event)?.kind === "needs_permission",
          () => after.value !== "tool_use",
        ) &&
        implies(
          said !== undefined && said !== "yes",
          () =>
            (after.context.queue.length === 0 && after.value !== "tool_use") || !isActive(after),
        ) &&
        implies(after.context.allowed.length > allowed.length, () => said === "yes") &&
        implies(
          isUsed,
          () => call !== undefined && !after.context.allowed.includes(signature(call)),
        )
      );
    }),
  },
  {
    name: "model_text_never_runs",
    says: "What runs is a call of an accepted reply, as it was read: never a text that the model wrote.",
    holds: ({ before, event, after }) => {
      if (after.value !== "tool_use" || !before || !event) return after.value !== "tool_use";
      const reply = replyOf(event);
      const { queue } = after.context;
      const was = before.context.queue;
      const accepted = reply?.kind === "calls" ? reply.calls : hasRun(event) ? was.slice(1) : was;
      const call = toolInputOf(after)?.call;
      return same(queue, accepted) && same(call, queue[0]) && !mentions(call, MODEL_WORDS);
    },
  },
  {
    name: "refused_text_in_no_prompt",
    says: "The words of a refused reply are not in the log, so that no prompt shows them.",
    holds: ofSteps(({ event, after }) => {
      const reply = replyOf(event);
      const texts = [reply?.kind === "refused" ? reply.reply : "", after.context.refused.reply];
      return texts.every((text) => text === "" || !mentions(after.context.log, text));
    }),
  },
  {
    name: "thinking_in_no_prompt",
    says: "Nothing of the model's thinking is kept, even if an actor lets it through.",
    holds: (step) => !mentions(changedValues(step), MODEL_THOUGHTS),
  },
  {
    name: "error_goes_where_it_can_be_acted_on",
    says: "A bad reply is tried again by the task that wrote it, a failed call by a task that can act on the problem.",
    holds: ofSteps(({ before, event, after }) => {
      const { return_to } = before.context;
      if (event.type === "xstate.done.actor.fail_recovery")
        return after.value === openFrom(return_to, after.context) && canAct(return_to, before);
      return implies(
        after.value === "fail_recovery" && replyOf(event) !== undefined,
        () => after.context.return_to === before.value,
      );
    }),
  },
  {
    name: "recovery_knows_the_problem",
    says: "Recovery is entered with a problem, and only there.",
    holds: ({ after }) =>
      implies(after.value === "fail_recovery", () => after.context.problem !== null),
  },
  {
    name: "no_problem_after_good_step",
    says: "After a step that went well no problem and no mistake is held against the next one.",
    holds: ofSteps(({ event, after }) => {
      const reply = replyOf(event);
      const isGood =
        reply?.kind === "question" ||
        (reply?.kind === "calls" && reply.calls.length === 0) ||
        (hasRun(event) && toolOutputOf(event)?.kind !== "already_done") ||
        userOutputOf(event)?.kind === "no";
      const { problem, mistakes, attempt, faults, refused } = after.context;
      return implies(isGood && isActive(after), () =>
        isNothing([problem, mistakes, attempt, faults, refused]),
      );
    }),
  },
  {
    name: "flush_leaves_nothing",
    says: "A turn begins with what its caller gave and full budgets; nothing else is left of the turn before.",
    holds: ({ before, after: { context } }) => {
      const { budget, limits } = context;
      const rest = Object.entries(context).filter(
        ([key]) => key !== "budget" && !given.includes(key),
      );
      const isFull = budgets.every((name) => budget[name] === limits[`max_${name}`]);
      return before !== null || (isFull && rest.every(([, value]) => isNothing(value)));
    },
  },
  {
    name: "budgets_only_fall",
    says: "A budget never rises, and never falls below nothing.",
    holds: ofSteps(({ before, after }) =>
      budgets.every((name) => {
        const left = after.context.budget[name];
        return left >= 0 && left <= before.context.budget[name];
      }),
    ),
  },
  {
    name: "each_round_is_paid",
    says: "Each call costs a step, each question an ask, each way back from recovery a retry: exactly one.",
    holds: ofSteps(({ before, event, after }) => {
      const said = userOutputOf(event)?.kind;
      const due = {
        retries: event.type === "xstate.done.actor.fail_recovery",
        steps: after.value === "tool_use" && said !== "yes",
        asks: after.value === "ask_user_question",
      };
      return budgets.every(
        (name) => before.context.budget[name] - after.context.budget[name] === Number(due[name]),
      );
    }),
  },
  {
    name: "log_only_grows",
    says: "What is in the log stays as it is; new entries come at its end.",
    holds: ofSteps(({ before, after }) =>
      before.context.log.every((entry, index) => {
        const kept = after.context.log[index];
        return kept === entry || same(kept, entry);
      }),
    ),
  },
  {
    name: "abort_stops",
    says: "An abort ends the turn at once, in every state, with nothing in flight.",
    holds: ofSteps(({ event, after }) =>
      implies(
        event.type === "abort",
        () =>
          after.value === "stopped" &&
          after.context.outcome?.kind === "stopped" &&
          Object.keys(after.children).length === 0,
      ),
    ),
  },
  {
    name: "finals_have_an_outcome",
    says: "A turn that has ended has an outcome of its kind, and no other turn has one.",
    holds: ({ after }) => {
      const { outcome } = after.context;
      if (after.status === "error") return false;
      if (isActive(after)) return outcome === null;
      return outcome !== null && (outcomesOf[after.value]?.includes(outcome.kind) ?? false);
    },
  },
  {
    name: "one_actor_named_like_its_state",
    says: "Each state at work waits for one actor, which has the state's name; a turn that has ended waits for none.",
    holds: ({ after }) => same(Object.keys(after.children), isActive(after) ? [after.value] : []),
  },
  {
    name: "context_is_plain_json",
    says: "All that a turn knows survives being written down and read again.",
    holds: (step) => changedValues(step).every(isPlainJson),
  },
];

/** The same prompt again would be answered in the same way. `render` is how the harness writes prompts. */
export const retriesChangeThePrompt = (render: Render): Invariant => ({
  name: "retries_change_the_prompt",
  says: "After a refused reply or a failed call the task that tries again sees another prompt.",
  holds: ofSteps(({ before, event, after }) => {
    const tasks =
      isRefusal(event) && after.value === "fail_recovery" ? [after.context.return_to] : [];
    return tasks.every((task) => render(task, after.context) !== render(task, before.context));
  }),
});
