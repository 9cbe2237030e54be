import { describe, expect, test } from "vitest";
import { codeblock } from "../../src/contracts/codeblock.ts";
import { updates } from "../../src/machine/turn.actions.ts";
import { turnMachine } from "../../src/machine/turn.machine.ts";
import type { SkillCard, Turn, TurnInput } from "../../src/machine/turn.types.ts";
import { promptFor } from "../../src/prompts/conversation.ts";
import { loadPrompts } from "../../src/prompts/load-prompts.ts";
import {
  checkInvariants,
  describeCounterexample,
  type Counterexample,
} from "../../src/proof/counterexample.ts";
import { invariants, retriesChangeThePrompt } from "../../src/proof/invariants.ts";
import type { TurnMachine } from "../../src/machine/turn.machine.ts";
import {
  changed,
  retarget,
  withAction,
  withArc,
  withGuardThat,
  withoutAction,
  withoutEntry,
} from "../helpers/mutant.ts";

const kit = { prompts: loadPrompts(), persona: "p", contract: codeblock, skills: [] };
const all = [
  ...invariants,
  retriesChangeThePrompt((task, turn) => JSON.stringify(promptFor(task, turn, kit))),
];

const limits = { max_retries: 1, max_steps: 2, max_asks: 1 };
const inputWith = (...skills: SkillCard[]): TurnInput => ({
  messages: [],
  loaded_skills: [],
  question: "?",
  nonce: "",
  skills,
  limits,
});
const routable = inputWith({ name: "skill", is_default: false, has_tools: true });
const plain = inputWith({ name: "skill", is_default: true, has_tools: true });
const none = inputWith();

/** What a caller may hand over who took the whole of the last turn for its conversation. */
const dirty: TurnInput & Partial<Turn> = {
  ...routable,
  budget: { retries: 0, steps: 0, asks: 0 },
  log: [{ kind: "reply", text: "old" }],
  queue: [{ name: "old", input: {} }],
  called_in: "tool_call",
  questions: ["old?"],
  pending: { kind: "open", question: "old?", asked_in: "answer" },
  allowed: ["old {}"],
  ran: [{ signature: "old {}", effect: "write" }],
  problem: { code: "empty" },
  return_to: "answer",
  mistakes: ["empty"],
  attempt: 1,
  faults: 1,
  refused: { reply: "old", times: 1 },
  asked_again: true,
  ended_early: "max_steps",
  outcome: { kind: "stopped", by: "user" },
};

const inputs = [dirty, routable, plain, none];

test("all invariants hold of every step of the machine that ships", () => {
  const checked = checkInvariants(turnMachine, inputs, all);
  expect(
    checked.flatMap(({ counterexample }) =>
      counterexample ? [describeCounterexample(counterexample)] : [],
    ),
  ).toStrictEqual([]);
  expect(checked.map(({ steps }) => steps)).toStrictEqual(all.map(() => 5923));
});

/** One bug each, and what it breaks: the invariant that is meant for it first. */
const bugs: [what: string, machine: TurnMachine, broken: string[]][] = [
  [
    "a failed call goes back to work",
    retarget("tool_use", "onDone", 2, "tool_use"),
    ["nothing_runs_after_refusal", "model_text_never_runs", "each_round_is_paid"],
  ],
  [
    "the rest of a batch waits after a failed call",
    withAction("note_call_failure", (turn, event) => ({
      ...updates.note_call_failure(turn, event),
      queue: turn.queue.slice(1),
    })),
    ["nothing_runs_after_refusal"],
  ],
  [
    "the answer is read as calls",
    changed(({ states }) => Object.assign(states.answer.invoke ?? {}, { src: "askForCalls" })),
    ["answer_has_no_executor"],
  ],
  [
    "a question in the answer leads back to calls",
    withGuardThat("replied_in_tool_call", () => true),
    ["answer_has_no_executor"],
  ],
  [
    "a reply leaves its question open",
    withAction("note_reply", (turn, event) => ({
      ...updates.note_reply(turn, event),
      pending: turn.pending,
    })),
    ["question_is_alone"],
  ],
  [
    "a call runs without the yes it needs",
    withArc("tool_use", "onDone", 0, (arc) => {
      Object.assign(arc, { target: "tool_use", reenter: true, actions: "spend_step" });
    }),
    ["no_tool_without_permission", "budgets_only_fall"],
  ],
  [
    "a yes holds for good",
    withAction("note_run", (turn, event) => ({
      ...updates.note_run(turn, event),
      allowed: turn.allowed,
    })),
    ["no_tool_without_permission"],
  ],
  [
    "a no is taken for a yes",
    retarget("ask_user_question", "onDone", 1, "tool_use"),
    ["no_tool_without_permission", "model_text_never_runs", "each_round_is_paid"],
  ],
  [
    "the reply's text is put into the call",
    withAction("queue_calls", (turn, event) => {
      const change = updates.queue_calls(turn, event);
      const text =
        "output" in event && event.output && "reply" in event.output ? event.output.reply : "";
      return "queue" in change
        ? { ...change, queue: [{ name: "bash", input: { command: text } }] }
        : change;
    }),
    ["model_text_never_runs"],
  ],
  [
    "a refused reply is shown in the next prompt",
    withAction("note_refusal", (turn, event) => {
      const change = updates.note_refusal(turn, event);
      const said = { kind: "reply", text: change.refused?.reply ?? "" };
      return { ...change, log: [...(change.log ?? turn.log), said] };
    }),
    ["refused_text_in_no_prompt"],
  ],
  [
    "thinking is kept beside the calls",
    withAction("note_nothing_wanted", (turn, event) => {
      const change = updates.note_nothing_wanted(turn, event);
      const output = "output" in event ? event.output : {};
      return { ...change, log: [...change.log, { kind: "reply", text: JSON.stringify(output) }] };
    }),
    ["thinking_in_no_prompt"],
  ],
  [
    "what a script did wrong is told to the answer",
    withAction("note_call_failure", (turn, event) => ({
      ...updates.note_call_failure(turn, event),
      return_to: "answer",
    })),
    ["error_goes_where_it_can_be_acted_on"],
  ],
  [
    "recovery always goes to tool_call",
    withGuardThat("back_to_skill_call", () => false),
    ["error_goes_where_it_can_be_acted_on", "each_round_is_paid"],
  ],
  [
    "a refused reply comes to recovery without its problem",
    withAction("note_refusal", (turn, event) => ({
      ...updates.note_refusal(turn, event),
      problem: null,
    })),
    ["recovery_knows_the_problem"],
  ],
  [
    "a mistake is held against the turn after a good call",
    withAction("note_run", (turn, event) => ({
      ...updates.note_run(turn, event),
      mistakes: turn.mistakes,
    })),
    ["no_problem_after_good_step"],
  ],
  [
    "the turn before is not flushed",
    withAction("clear_turn", (turn) => ({ ...updates.clear_turn(turn), ran: turn.ran })),
    ["flush_leaves_nothing"],
  ],
  [
    "a good reply gives a retry back",
    withAction("note_nothing_wanted", (turn, event) => ({
      ...updates.note_nothing_wanted(turn, event),
      budget: { ...turn.budget, retries: turn.limits.max_retries },
    })),
    ["budgets_only_fall", "each_round_is_paid"],
  ],
  ["questions are free", withoutEntry("ask_user_question"), ["each_round_is_paid"]],
  [
    "a second call of a batch is free",
    withoutAction("tool_use", "onDone", 3, "spend_step"),
    ["each_round_is_paid"],
  ],
  [
    "retries are free",
    withoutAction("fail_recovery", "onDone", 0, "spend_retry"),
    ["each_round_is_paid"],
  ],
  [
    "a run takes the request for it out of the log",
    withAction("note_run", (turn, event) => {
      const change = updates.note_run(turn, event);
      return { ...change, log: change.log?.slice(-1) };
    }),
    ["log_only_grows"],
  ],
  [
    "an abort is taken for a crash",
    changed((config) =>
      Object.assign(config.on["abort"] ?? {}, { target: ".fallback", actions: "give_up" }),
    ),
    ["abort_stops"],
  ],
  [
    "giving up says nothing",
    withoutAction("skill_call", "onError", 0, "give_up"),
    ["finals_have_an_outcome", "one_actor_named_like_its_state"],
  ],
  [
    "a wait that nobody waits for",
    changed(({ states }) => Object.assign(states.fail_recovery, { invoke: undefined })),
    ["one_actor_named_like_its_state"],
  ],
  [
    "a moment in time is kept as such",
    withAction("note_denial", (turn) => ({
      ...updates.note_denial(turn),
      denied_at: new Date(0),
    })),
    ["context_is_plain_json"],
  ],
  [
    "a refused reply is not noted",
    withAction("note_refusal", (turn, event) => ({
      ...updates.note_refusal(turn, event),
      log: turn.log,
    })),
    ["retries_change_the_prompt"],
  ],
];

const found = new Map<TurnMachine, Counterexample[]>();

/** Explored once for each bug. */
function brokenBy(machine: TurnMachine): Counterexample[] {
  const known = found.get(machine);
  if (known) return known;
  const checked = checkInvariants(machine, [dirty], all);
  const broken = checked.flatMap(({ counterexample }) => counterexample ?? []);
  found.set(machine, broken);
  return broken;
}

describe("each invariant finds the bug that it is there for", () => {
  test("no invariant is without a bug", () => {
    expect(new Set(bugs.map(([, , [first]]) => first))).toStrictEqual(
      new Set(all.map(({ name }) => name)),
    );
  });

  test.each(bugs)("%s", (_what, machine, broken) => {
    expect(brokenBy(machine).map(({ invariant }) => invariant.name)).toStrictEqual(broken);
  });

  test.each([
    [
      "a yes holds for good",
      [
        "the turn begins → skill_call",
        "skill_call — the model asks for two calls → tool_use",
        "tool_use — the skill is loaded → tool_use",
        "tool_use — the call needs permission → ask_user_question",
        "ask_user_question — the user says yes → tool_use",
        "tool_use — the call runs and reads → tool_call",
        "broken: no_tool_without_permission. A call that needs permission runs only after a yes, a yes is for one run, and after a no nothing is left to run.",
        "  log: 2 entries → 3 entries",
        '  queue: [{"name":"tool","input":{"n":1}}] → []',
        String.raw`  ran: [{"signature":"load_skill {\"skill_name\":\"skill\"}","effec… → 2 entries`,
      ],
    ],
    [
      "giving up says nothing",
      [
        "the turn begins → skill_call",
        "skill_call — the actor crashes → skill_call",
        "broken: finals_have_an_outcome. A turn that has ended has an outcome of its kind, and no other turn has one.",
      ],
    ],
    [
      "what a script did wrong is told to the answer",
      [
        "the turn begins → skill_call",
        "skill_call — the model asks for one call → tool_use",
        "tool_use — the call has a bad argument → fail_recovery",
        "fail_recovery — the wait is over → answer",
        "broken: error_goes_where_it_can_be_acted_on. A bad reply is tried again by the task that wrote it, a failed call by a task that can act on the problem.",
        '  budget: {"retries":1,"steps":1,"asks":1} → {"retries":0,"steps":1,"asks":1}',
      ],
    ],
  ])("as a turn to read: %s", (what, lines) => {
    const [, machine] = bugs.find(([name]) => name === what) ?? bugs[0] ?? [];
    const [first] = machine ? brokenBy(machine) : [];
    expect(first && describeCounterexample(first).split("\n")).toStrictEqual(lines);
  });
});
