import type { ProblemCode } from "../contracts/problem.ts";
import { metaToolNames } from "../guardrails/ledger.ts";
import { hasTools, replyOf, routable, toolOutputOf } from "../machine/turn.guards.ts";
import type { Turn, TurnEvent, UseToolInput } from "../machine/turn.types.ts";
import type { TaskName } from "../session/task.ts";
import type { TurnSnapshot } from "../machine/turn.machine.ts";

/** One step of a turn. The first one has no `before` and no `event`: it is how the turn begins. */
export interface Step {
  before: TurnSnapshot | null;
  event: TurnEvent | null;
  after: TurnSnapshot;
}

interface LaterStep {
  before: TurnSnapshot;
  event: TurnEvent;
  after: TurnSnapshot;
}

/** Of a pair of configurations; nothing is asked of the first one. */
export const ofSteps =
  (holds: (step: LaterStep) => boolean): ((step: Step) => boolean) =>
  ({ before, event, after }) =>
    !before || !event || holds({ before, event, after });

export const implies = (condition: boolean, then: () => boolean) => !condition || then();
export const same = (one: unknown, other: unknown) => JSON.stringify(one) === JSON.stringify(other);
export const mentions = (value: unknown, text: string) =>
  JSON.stringify(value).includes(JSON.stringify(text).slice(1, -1));
export const isActive = ({ status }: TurnSnapshot) => status === "active";
export const isRefusal = (event: TurnEvent) =>
  replyOf(event)?.kind === "refused" || toolOutputOf(event)?.kind === "failed";
export const hasRun = (event: TurnEvent) =>
  ["result", "skill_loaded", "already_done"].includes(toolOutputOf(event)?.kind ?? "");

const ask = ["skill_call", "tool_call", "answer"] as const;
const calls = ["skill_call", "tool_call"] as const;

/** Which task can act on a problem. A call that fails in use goes to where calls are written, never to the answer. */
const whoCanAct: Record<ProblemCode, readonly TaskName[]> = {
  empty: ask,
  cut_off: ask,
  filtered: ask,
  in_thinking: ask,
  foreign_syntax: ask,
  schema_echo: ask,
  degenerate: ask,
  no_block: calls,
  bad_fence: calls,
  unclosed_block: calls,
  many_blocks: calls,
  text_outside: calls,
  bad_json: calls,
  duplicate_key: calls,
  forbidden_key: calls,
  wrong_shape: calls,
  block_in_answer: ["answer"],
  question_not_alone: calls,
  unknown_tool: calls,
  unknown_skill: ["skill_call"],
  skill_not_loaded: calls,
  unknown_reference: calls,
  unsafe_reference: calls,
  bad_argument: calls,
  script_failed: ["tool_call"],
  script_timed_out: ["tool_call"],
  script_not_started: ["tool_call"],
  interrupted: ["tool_call"],
  claimed_effect: ["answer"],
  announced_only: ["answer"],
  backend: ask,
  internal: [],
};

/** A call of the harness's own tools, such as loading a skill, is put right by whoever wrote it. */
export function canAct(task: TaskName, { context: { problem, log } }: TurnSnapshot): boolean {
  const failure = log.findLast((entry) => entry.kind === "failure" && entry.problem === problem);
  const isOwn = failure?.kind === "failure" && metaToolNames.has(failure.call.name);
  const code = problem?.code ?? "internal";
  const able = isOwn && code !== "unknown_skill" ? calls : whoCanAct[code];
  return able.includes(task);
}

/** Where a task goes on that has nothing left to choose from. */
export function openFrom(task: TaskName, turn: Turn): TaskName {
  if (task === "skill_call" && routable(turn).length === 0) return openFrom("tool_call", turn);
  return task === "tool_call" && !hasTools(turn) ? "answer" : task;
}

/** What the script runner would be given in this configuration. */
export function toolInputOf({ children }: TurnSnapshot): UseToolInput | undefined {
  const state: unknown = children["tool_use"]?.getSnapshot();
  return (state as { input?: UseToolInput } | undefined)?.input;
}

export const sourceOf = ({ value, children }: TurnSnapshot): unknown =>
  Object.entries(children).find(([name]) => name === value)?.[1]?.src;

export const askedInAnswer = (before: TurnSnapshot | null): boolean =>
  before?.context.pending?.kind === "open" && before.context.pending.asked_in === "answer";

export function isNothing(value: unknown): boolean {
  if (typeof value === "object" && value !== null) return Object.values(value).every(isNothing);
  return [null, 0, "", false, "skill_call"].includes(value as null);
}

export function isPlainJson(value: unknown): boolean {
  if (Array.isArray(value)) return value.every(isPlainJson);
  if (typeof value !== "object" || value === null)
    return value === null || ["string", "boolean"].includes(typeof value) || Number.isFinite(value);
  const isRecord = Object.getPrototypeOf(value) === Object.prototype;
  return isRecord && Object.values(value).every(isPlainJson);
}

/** Set anew by each turn's caller; all else belongs to one turn. */
export const given = [
  "messages",
  "loaded_skills",
  "question",
  "attachment",
  "nonce",
  "skills",
  "limits",
];

export const outcomesOf: Record<string, readonly string[]> = {
  answered: ["answered"],
  fallback: ["fallback"],
  stopped: ["stopped", "needs_input"],
};

/** What a step put into the context: the rest is as it was, and was looked at before. */
export function changedValues({
  before,
  after,
}: {
  before: TurnSnapshot | null;
  after: TurnSnapshot;
}) {
  const was: unknown[] = Object.values(before?.context ?? {});
  return Object.values(after.context).filter((value) => !was.includes(value));
}
