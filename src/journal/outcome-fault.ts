import type { Call } from "../contracts/call.ts";
import { summary } from "../contracts/explain.ts";
import type { Problem } from "../contracts/problem.ts";
import type { TurnSnapshot } from "../machine/turn.machine.ts";
import { stepOrFault } from "./fold.ts";
import type { ActorName, OutcomeRecord } from "./record.ts";
import { shapeFault } from "./shape.ts";

/**
 * Why an actor of the state of this snapshot cannot have given back this output, in one sentence; null if it can. An actor's own
 * output is never wrong, but one that stands in for it may have been written by anyone. Null stands for nothing given back.
 */
export function outcomeFault(
  snapshot: TurnSnapshot,
  of: ActorName,
  output: unknown,
): string | null {
  const record = { type: "outcome", of, output: output ?? undefined } as OutcomeRecord;
  const fault = shapeFault(record) ?? partFault(of, output) ?? turnFault(snapshot, output ?? {});
  if (fault !== null) return fault;
  try {
    const step = stepOrFault(snapshot, record);
    return "why" in step ? step.why : null;
  } catch (error) {
    return `the machine cannot read this: ${error instanceof Error ? error.message : String(error)}`;
  }
}

type Parts = Readonly<Record<string, unknown>>;
/** A part of an output: its key, what it has to be in words, and whether it is. */
type Part = [key: string, words: string, holds: (value: unknown) => boolean];

const isParts = (value: unknown): value is Parts =>
  typeof value === "object" && value !== null && !Array.isArray(value);
const isText = (value: unknown): value is string => typeof value === "string";
const isCount = (value: unknown) => typeof value === "number" && value >= 0;
const isCall = (value: unknown): value is Call =>
  isParts(value) && isText(value["name"]) && value["name"] !== "" && isParts(value["input"]);
const isList = (value: unknown, holds: (item: unknown) => boolean) =>
  Array.isArray(value) && value.every(holds);

const isUsage = (value: unknown) =>
  isParts(value) &&
  isCount(value["input_tokens"]) &&
  isCount(value["output_tokens"]) &&
  typeof value["estimated"] === "boolean";

const isObservation = (value: unknown) =>
  isParts(value) &&
  isText(value["output"]) &&
  (value["exit_code"] === null || typeof value["exit_code"] === "number") &&
  (value["signal"] === null || isText(value["signal"])) &&
  isCount(value["duration_ms"]);

/** One that can be put into words; there is no other list of what each code needs. */
function isProblem(value: unknown): boolean {
  try {
    return isText(summary(value as Problem));
  } catch {
    return false;
  }
}

const isBackendProblem = (value: unknown) =>
  isProblem(value) &&
  isParts(value) &&
  value["code"] === "backend" &&
  isText(value["message"]) &&
  typeof value["retryable"] === "boolean" &&
  (value["retry_after_ms"] === undefined || isCount(value["retry_after_ms"]));

const textPart: Part = ["text", "a text", isText];
const effectPart: Part = [
  "effect",
  '"read", "write" or "destructive"',
  (value) => ["read", "write", "destructive"].includes(String(value)),
];
const problemPart: Part = [
  "problem",
  "a problem with its code and all that belongs to it",
  isProblem,
];
const observation =
  '{ "output": text, "exit_code": number or null, "signal": text or null, "duration_ms": number }';

const modelParts: Record<string, Part[]> = {
  calls: [
    [
      "calls",
      'a list of calls, each { "name": text, "input": {} }',
      (value) => isList(value, isCall),
    ],
  ],
  question: [
    [
      "questions",
      "a list of texts with at least one",
      (value) => isList(value, isText) && String(value) !== "",
    ],
  ],
  text: [textPart],
  refused: [problemPart, ["example", "a call or null", (value) => value === null || isCall(value)]],
  failed: [
    ["problem", 'a problem with the code "backend" and all that belongs to it', isBackendProblem],
  ],
};

const replyParts: Part[] = [
  ["reply", "a text", isText],
  [
    "usage",
    '{ "input_tokens": number, "output_tokens": number, "estimated": true or false }',
    isUsage,
  ],
];

const toolAndUserParts: Record<string, Part[]> = {
  result: [effectPart, ["observation", observation, isObservation]],
  skill_loaded: [
    ["name", "a text", isText],
    ["has_tools", "true or false", (value) => typeof value === "boolean"],
  ],
  needs_permission: [
    ["question", "a text", isText],
    ["trusts", "a text, or left out", (value) => value === undefined || isText(value)],
  ],
  failed: [
    problemPart,
    effectPart,
    ["observation", `${observation}, or null`, (value) => value === null || isObservation(value)],
  ],
  reply: [textPart],
};

function partFault(of: ActorName, output: unknown): string | null {
  if (of === "fail_recovery") return output == null ? null : `${of} gives nothing back`;
  if (!isParts(output)) return `${of} gives back an object`;
  const kind = String(output["kind"]);
  const isModel = of === "skill_call" || of === "tool_call" || of === "answer";
  const parts = isModel ? [...(modelParts[kind] ?? []), ...replyParts] : toolAndUserParts[kind];
  for (const [key, words, holds] of parts ?? [])
    if (!holds(output[key])) return `${of}, "${kind}": "${key}" has to be ${words}`;
  return null;
}

/** What the machine would take, though the actor would never give it in this turn: it would lead to an actor's bug. */
function turnFault(
  { context: { pending, skills } }: TurnSnapshot,
  { kind, calls = [], name = "" }: { kind?: string; calls?: Call[]; name?: string },
): string | null {
  if (calls.some((call) => call.name === "ask_user_question"))
    return 'a question is no call: give { "kind": "question", "questions": […] } with the same "reply" and "usage"';
  if (kind === "skill_loaded" && !skills.some((skill) => skill.name === name))
    return `there is no skill "${name}" to load; there is ${skills.map((skill) => skill.name).join(", ") || "none"}`;
  return pending?.kind === "open" && (kind === "yes" || kind === "no")
    ? 'the question is not one of yes or no: give { "kind": "reply", "text": … }'
    : null;
}
