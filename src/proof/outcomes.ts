import { signature, type Call } from "../contracts/call.ts";
import type { Problem } from "../contracts/problem.ts";
import { isGoingRound, isRepeat } from "../guardrails/repeat.ts";
import { routable } from "../machine/turn.guards.ts";
import type { TurnSnapshot } from "../machine/turn.machine.ts";
import type {
  AskForCallsOutput,
  AskForTextOutput,
  AskUserOutput,
  Turn,
  TurnEvent,
  UseToolOutput,
} from "../machine/turn.types.ts";

/** One thing that can happen next: in words, and as the event. */
export interface Choice {
  name: string;
  event: TurnEvent;
}

/** In every text that the model of a proof writes: wherever it turns up, a model's words have got to. */
export const MODEL_WORDS = "⟨words of the model⟩";

type Named<Output> = [name: string, output: Output];
/** One list for each kind of result: a new kind does not compile without its list here. */
type ByKind<Output extends { kind: string }> = {
  [Kind in Output["kind"]]: Named<Extract<Output, { kind: Kind }>>[];
};

const usage = { input_tokens: 1, output_tokens: 1, estimated: false };
const base = { reply: MODEL_WORDS, usage };

/** Everything that can reach the machine in this configuration: what its actors may give back, and an abort. */
export function choices({ status, children, context }: TurnSnapshot): Choice[] {
  if (status !== "active") return [];
  const fromActors = Object.keys(children).flatMap((actor): Choice[] => {
    const done = outcomesOf(actor, context).map(([name, output]): Choice => ({
      name,
      event: { type: `xstate.done.actor.${actor}`, actorId: actor, output } as TurnEvent,
    }));
    const error = { name: "Error", message: "it broke" };
    const crash = { type: `xstate.error.actor.${actor}`, actorId: actor, error } as TurnEvent;
    return [...done, { name: "crash", event: crash }];
  });
  return [...fromActors, { name: "abort", event: { type: "abort", by: "user" } }];
}

function outcomesOf(actor: string, turn: Turn): Named<unknown>[] {
  switch (actor) {
    case "skill_call":
    case "tool_call":
      return Object.values(callReplies(turn, actor)).flat();
    case "answer":
      return Object.values(textReplies(turn)).flat();
    case "tool_use":
      return Object.values(toolOutcomes(turn)).flat();
    case "ask_user_question":
      return Object.values(userReplies(turn)).flat();
    case "fail_recovery":
      return [["waited", undefined]];
    default:
      throw new Error(`no outcomes are known of the actor ${actor}`);
  }
}

const calls = (
  name: string,
  list: Call[],
): Named<Extract<AskForCallsOutput, { kind: "calls" }>> => [
  name,
  { ...base, kind: "calls", calls: list },
];

function callReplies(turn: Turn, task: "skill_call" | "tool_call"): ByKind<AskForCallsOutput> {
  const next = newCall(turn, task, 0);
  const known = turn.ran.map(({ signature: text }) => callOf(text));
  const repeat = known.find((call) => isRepeat(call, turn.ran));
  const others = known.filter((call) => !isRepeat(call, turn.ran));
  const round = others.find((call) => isGoingRound(call, turn.ran));
  // Once something was written an earlier call may be made again; skill_call has no such call to make.
  const again = task === "tool_call" && others.find((call) => !isGoingRound(call, turn.ran));
  return {
    calls: [
      calls("no call", []),
      calls("one call", [next]),
      calls("two calls", [next, newCall(turn, "tool_call", 1)]),
      ...(failedBefore(turn) ? [calls("the failed call again", [failedBefore(turn) ?? next])] : []),
      ...(repeat ? [calls("only a repeat", [repeat])] : []),
      ...(round ? [calls("in a circle", [round])] : []),
      ...(again ? [calls("an earlier call again", [again])] : []),
    ],
    question: questions(),
    refused: refusals(turn, { code: "empty" }),
    failed: failures(),
  };
}

function textReplies(turn: Turn): ByKind<AskForTextOutput> {
  const claim: Problem = { code: "claimed_effect", claim: MODEL_WORDS };
  return {
    text: [["an answer", { ...base, kind: "text", text: MODEL_WORDS }]],
    question: [["a question", { ...base, kind: "question", questions: [MODEL_WORDS] }]],
    refused: [
      ...refusals(turn, { code: "empty" }),
      [
        "a claim",
        { ...base, reply: `${MODEL_WORDS} claim`, kind: "refused", problem: claim, example: null },
      ],
    ],
    failed: failures(),
  };
}

const observation = { output: "out", exit_code: 0, signal: null, duration_ms: 1 };

const failedCall = (
  name: string,
  problem: Problem,
  ran: boolean,
): Named<Extract<UseToolOutput, { kind: "failed" }>> => [
  name,
  { kind: "failed", problem, effect: "read", observation: ran ? observation : null },
];

const ranWith = (
  effect: "read" | "write" | "destructive",
): Named<Extract<UseToolOutput, { kind: "result" }>> => [
  `it ran (${effect})`,
  { kind: "result", effect, observation },
];

const loaded = (
  name: string,
  has_tools: boolean,
): Named<Extract<UseToolOutput, { kind: "skill_loaded" }>> => [
  has_tools ? "skill loaded" : "skill without tools loaded",
  { kind: "skill_loaded", name, has_tools },
];

function toolOutcomes(turn: Turn): ByKind<UseToolOutput> {
  const [call = { name: "", input: {} }] = turn.queue;
  const isAllowed = turn.allowed.includes(signature(call));
  const { skill_name: name = "" } = call.input as { skill_name?: string };
  const isLoading = call.name === "load_skill";
  return {
    result: isLoading
      ? []
      : [ranWith("read"), ranWith("write"), ...(isAllowed ? [ranWith("destructive")] : [])],
    skill_loaded: isLoading ? [loaded(name, true), loaded(name, false)] : [],
    already_done: [["already done", { kind: "already_done" }]],
    needs_permission:
      isAllowed || isLoading
        ? []
        : [["needs permission", { kind: "needs_permission", question: "sure?" }]],
    failed: [
      failedCall("bad argument", { code: "bad_argument", tool: call.name, faults: [] }, false),
      failedCall(
        "script failed",
        { code: "script_failed", tool: call.name, exit_code: 1, signal: null },
        true,
      ),
      failedCall("interrupted", { code: "interrupted", tool: call.name }, false),
      failedCall("unknown tool", { code: "unknown_tool", name: call.name, known: [] }, false),
      failedCall("unknown skill", { code: "unknown_skill", name, known: [] }, false),
    ],
  };
}

function userReplies({ pending }: Turn): ByKind<AskUserOutput> {
  const isOpen = pending?.kind === "open";
  return {
    reply: isOpen ? [["a reply", { kind: "reply", text: "reply" }]] : [],
    yes: isOpen ? [] : [["yes", { kind: "yes" }]],
    no: isOpen ? [] : [["no", { kind: "no" }]],
    no_reply: [["nobody there", { kind: "no_reply" }]],
  };
}

const questions = (): Named<Extract<AskForCallsOutput, { kind: "question" }>>[] => [
  ["a question", { ...base, kind: "question", questions: ["one?"] }],
  ["two questions", { ...base, kind: "question", questions: ["one?", "two?"] }],
];

type Refused = Extract<AskForTextOutput, { kind: "refused" }>;

/** Other words than before, and where there are any, the same again. */
function refusals(turn: Turn, problem: Problem): Named<Refused>[] {
  const reply = `${MODEL_WORDS} ${turn.log.length + turn.refused.times}`;
  const other: Refused = { ...base, reply, kind: "refused", problem, example: null };
  if (turn.refused.times === 0) return [["no good reply", other]];
  return [
    ["no good reply", other],
    ["the same no good reply", { ...other, reply: turn.refused.reply }],
  ];
}

const serviceFailed = (retryable: boolean): Extract<AskForTextOutput, { kind: "failed" }> => ({
  ...base,
  kind: "failed",
  problem: { code: "backend", fault: "unavailable", message: "down", retryable },
});

function failures(): Named<Extract<AskForTextOutput, { kind: "failed" }>>[] {
  return [
    ["service down for now", serviceFailed(true)],
    ["service down for good", serviceFailed(false)],
  ];
}

/** A call that was never made before: what loads the first skill that is not loaded, else a tool with a fresh number. */
function newCall(turn: Turn, task: "skill_call" | "tool_call", index: number): Call {
  const [skill_name] = routable(turn);
  if (task === "skill_call" && skill_name !== undefined)
    return { name: "load_skill", input: { skill_name } };
  return { name: "tool", input: { n: turn.log.length + turn.ran.length + index } };
}

function failedBefore({ refused }: Turn): Call | null {
  return refused.times > 0 && /^[a-z_]+ \{/.test(refused.reply) ? callOf(refused.reply) : null;
}

/** The call of a signature. */
function callOf(text: string): Call {
  const space = text.indexOf(" ");
  return { name: text.slice(0, space), input: JSON.parse(text.slice(space + 1)) as Call["input"] };
}
