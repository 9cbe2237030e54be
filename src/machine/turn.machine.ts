import { assign, fromPromise, setup, type SnapshotFrom } from "xstate";
import { updates } from "./turn.actions.ts";
import { startingTurn } from "./turn.start.ts";
import { guards } from "./turn.guards.ts";
import { backoffMs } from "./turn.limits.ts";
import type {
  AskForCallsOutput,
  AskForTextOutput,
  AskModelInput,
  AskUserInput,
  AskUserOutput,
  Turn,
  TurnEvent,
  TurnInput,
  TurnOutcome,
  UseToolInput,
  UseToolOutput,
  WaitInput,
} from "./turn.types.ts";

function missing(name: string): never {
  throw new Error(
    `the turn machine has no ${name}: give it one with turnMachine.provide({ actors })`,
  );
}

const update = (change: (turn: Turn, event: TurnEvent) => Partial<Turn>) =>
  assign<Turn, TurnEvent, undefined, TurnEvent, never>(({ context, event }) =>
    change(context, event),
  );

export const firstState = "skill_call";

/**
 * One turn, from the user's question to an answer. The chart names everything and does nothing: guards are in
 * turn.guards.ts, what the actions change is in turn.actions.ts, and all contact with the world is in the four actors
 * that the harness provides. Every loop spends one of three budgets, so a turn ends.
 */
export const turnMachine = setup({
  types: {
    context: {} as Turn,
    input: {} as TurnInput,
    output: {} as TurnOutcome,
    events: {} as TurnEvent,
  },
  actors: {
    askForCalls: fromPromise<AskForCallsOutput, AskModelInput>(() => missing("askForCalls")),
    askForText: fromPromise<AskForTextOutput, AskModelInput>(() => missing("askForText")),
    useTool: fromPromise<UseToolOutput, UseToolInput>(() => missing("useTool")),
    askUser: fromPromise<AskUserOutput, AskUserInput>(() => missing("askUser")),
    wait: fromPromise<undefined, WaitInput>(() => missing("wait")),
  },
  guards,
  actions: {
    // A plain action, so that every inspector shows that the turn before is over; `clear_turn` does the bookkeeping.
    flush_turn: () => {},
    clear_turn: update(updates.clear_turn),
    spend_step: update(updates.spend_step),
    spend_ask: update(updates.spend_ask),
    spend_retry: update(updates.spend_retry),
    queue_calls: update(updates.queue_calls),
    note_nothing_wanted: update(updates.note_nothing_wanted),
    note_repeats: update(updates.note_repeats),
    take_questions: update(updates.take_questions),
    keep_answer: update(updates.keep_answer),
    keep_answer_with_truth: update(updates.keep_answer_with_truth),
    keep_question_as_answer: update(updates.keep_question_as_answer),
    note_run: update(updates.note_run),
    note_call_failure: update(updates.note_call_failure),
    take_confirmation: update(updates.take_confirmation),
    allow_call: update(updates.allow_call),
    note_denial: update(updates.note_denial),
    note_reply: update(updates.note_reply),
    end_by_max_asks: update(updates.end_by_max_asks),
    end_by_max_asks_for_permission: update(updates.end_by_max_asks_for_permission),
    end_by_max_steps: update(updates.end_by_max_steps),
    end_by_going_round: update(updates.end_by_going_round),
    end_by_max_retries: update(updates.end_by_max_retries),
    end_by_no_progress: update(updates.end_by_no_progress),
    note_refusal: update(updates.note_refusal),
    note_backend_failure: update(updates.note_backend_failure),
    note_crash: update(updates.note_crash),
    give_up: update(updates.give_up),
    note_abort: update(updates.note_abort),
    note_needs_input: update(updates.note_needs_input),
  },
}).createMachine({
  id: "turn",
  context: ({ input }) => startingTurn(input),
  entry: ["flush_turn", "clear_turn"],
  initial: firstState,
  on: { abort: { target: ".stopped", actions: "note_abort" } },
  output: ({ context }): TurnOutcome => {
    if (!context.outcome) throw new Error("a turn ended without an outcome");
    return context.outcome;
  },
  // The longest chain of transitions without an event is three; a longer one is a bug, not a long turn.
  options: { maxIterations: 100 },
  states: {
    skill_call: {
      description: "The model chooses which skills to load: none, one or several.",
      always: [
        { guard: "only_tools_at_hand", target: "tool_call" },
        { guard: "nothing_at_hand", target: "answer" },
      ],
      invoke: {
        id: "skill_call",
        src: "askForCalls",
        input: ({ context }) => ({ task: "skill_call", turn: context }),
        onDone: [
          { guard: "asks", target: "ask_user_question", actions: "take_questions" },
          { guard: "max_asks", target: "answer", actions: "end_by_max_asks" },
          { guard: "wants_no_skill", target: "tool_call", actions: "note_nothing_wanted" },
          { guard: "wants_nothing", target: "answer", actions: "note_nothing_wanted" },
          { guard: "wants_calls", target: "tool_use", actions: ["queue_calls", "spend_step"] },
          { guard: "max_steps", target: "answer", actions: "end_by_max_steps" },
          { guard: "is_refused", target: "fail_recovery", actions: "note_refusal" },
          { guard: "fails_for_now", target: "fail_recovery", actions: "note_backend_failure" },
          {
            guard: "fails_for_good",
            target: "fallback",
            actions: ["note_backend_failure", "give_up"],
          },
        ],
        onError: { target: "fallback", actions: ["note_crash", "give_up"] },
      },
    },

    tool_call: {
      description: "The model writes the next calls, or none when it can answer.",
      always: { guard: "no_tools_at_hand", target: "answer" },
      invoke: {
        id: "tool_call",
        src: "askForCalls",
        input: ({ context }) => ({ task: "tool_call", turn: context }),
        onDone: [
          { guard: "asks", target: "ask_user_question", actions: "take_questions" },
          { guard: "max_asks", target: "answer", actions: "end_by_max_asks" },
          { guard: "wants_nothing", target: "answer", actions: "note_nothing_wanted" },
          { guard: "wants_only_repeats", target: "answer", actions: "note_repeats" },
          { guard: "goes_round", target: "answer", actions: "end_by_going_round" },
          { guard: "wants_calls", target: "tool_use", actions: ["queue_calls", "spend_step"] },
          { guard: "max_steps", target: "answer", actions: "end_by_max_steps" },
          { guard: "is_refused", target: "fail_recovery", actions: "note_refusal" },
          { guard: "fails_for_now", target: "fail_recovery", actions: "note_backend_failure" },
          {
            guard: "fails_for_good",
            target: "fallback",
            actions: ["note_backend_failure", "give_up"],
          },
        ],
        onError: { target: "fallback", actions: ["note_crash", "give_up"] },
      },
    },

    tool_use: {
      description: "One call is checked and run: one entry of this state for each call.",
      invoke: {
        id: "tool_use",
        src: "useTool",
        input: ({ context }) => ({
          call: context.queue[0] ?? { name: "", input: {} },
          turn: context,
        }),
        onDone: [
          { guard: "needs_permission", target: "ask_user_question", actions: "take_confirmation" },
          {
            guard: "max_asks_for_permission",
            target: "answer",
            actions: "end_by_max_asks_for_permission",
          },
          { guard: "call_failed", target: "fail_recovery", actions: "note_call_failure" },
          {
            guard: "ran_more_queued",
            target: "tool_use",
            reenter: true,
            actions: ["note_run", "spend_step"],
          },
          { guard: "ran_max_steps", target: "answer", actions: ["note_run", "end_by_max_steps"] },
          { guard: "ran_all", target: "tool_call", actions: "note_run" },
        ],
        onError: { target: "fallback", actions: ["note_crash", "give_up"] },
      },
    },

    ask_user_question: {
      description:
        "A question waits for the user: the model's, or the harness's before a destructive call.",
      entry: "spend_ask",
      invoke: {
        id: "ask_user_question",
        src: "askUser",
        input: ({ context }) => ({
          pending: context.pending ?? { kind: "open", question: "", asked_in: "answer" },
        }),
        onDone: [
          { guard: "said_yes", target: "tool_use", actions: "allow_call" },
          { guard: "said_no", target: "tool_call", actions: "note_denial" },
          {
            guard: "nobody_answers_answer",
            target: "answered",
            actions: "keep_question_as_answer",
          },
          { guard: "nobody_answers", target: "stopped", actions: "note_needs_input" },
          {
            guard: "replied_more_questions",
            target: "ask_user_question",
            reenter: true,
            actions: "note_reply",
          },
          { guard: "replied_in_skill_call", target: "skill_call", actions: "note_reply" },
          { guard: "replied_in_tool_call", target: "tool_call", actions: "note_reply" },
          { guard: "replied_in_answer", target: "answer", actions: "note_reply" },
        ],
        onError: { target: "fallback", actions: ["note_crash", "give_up"] },
      },
    },

    fail_recovery: {
      description:
        "A step failed. Back to the task that can act on it, with the prompt changed, or give up honestly.",
      always: [
        { guard: "answer_given_up", target: "fallback", actions: "give_up" },
        { guard: "no_progress", target: "answer", actions: "end_by_no_progress" },
        { guard: "max_retries", target: "answer", actions: "end_by_max_retries" },
      ],
      invoke: {
        id: "fail_recovery",
        src: "wait",
        input: ({ context: { problem, faults } }) => ({
          wait_ms: problem?.code === "backend" ? backoffMs(faults, problem.retry_after_ms) : 0,
        }),
        onDone: [
          { guard: "back_to_skill_call", target: "skill_call", actions: "spend_retry" },
          { guard: "back_to_tool_call", target: "tool_call", actions: "spend_retry" },
          { guard: "back_to_answer", target: "answer", actions: "spend_retry" },
        ],
        onError: { target: "fallback", actions: ["note_crash", "give_up"] },
      },
    },

    answer: {
      description: "The model answers in plain text. Nothing it writes here can run.",
      invoke: {
        id: "answer",
        src: "askForText",
        input: ({ context }) => ({ task: "answer", turn: context }),
        onDone: [
          { guard: "asks", target: "ask_user_question", actions: "take_questions" },
          { guard: "max_asks", target: "answered", actions: "keep_answer" },
          { guard: "answers", target: "answered", actions: "keep_answer" },
          { guard: "claims_again", target: "answered", actions: "keep_answer_with_truth" },
          { guard: "is_refused", target: "fail_recovery", actions: "note_refusal" },
          { guard: "fails_for_now", target: "fail_recovery", actions: "note_backend_failure" },
          {
            guard: "fails_for_good",
            target: "fallback",
            actions: ["note_backend_failure", "give_up"],
          },
        ],
        onError: { target: "fallback", actions: ["note_crash", "give_up"] },
      },
    },

    answered: { type: "final", description: "The user has an answer." },
    fallback: { type: "final", description: "No answer could be made; the harness says why." },
    stopped: {
      type: "final",
      description: "Stopped by the user or by time, or waiting for a reply nobody can give.",
    },
  },
});

/** The chart that ships, or a changed copy of it. */
export type TurnMachine = typeof turnMachine;
export type TurnSnapshot = SnapshotFrom<TurnMachine>;
