import type { Json, JsonObject } from "../src/contracts/call.ts";
import type { StepView } from "../src/inspector/protocol.ts";
import { el } from "./dom.ts";
import { counted } from "./figures.ts";

/** More than this many cannot be told apart as dots. */
const DOTS_MAX = 16;

const BUDGETS = [
  ["retries", "max_retries"],
  ["steps", "max_steps"],
  ["asks", "max_asks"],
] as const;

/** What is left of each budget, as dots where the context says what it began with. */
export function budgetView(
  budget: NonNullable<StepView["budget"]>,
  context: JsonObject,
): HTMLElement {
  const meters = BUDGETS.map(([name, limit]) => meter(name, budget[name], limitOf(context, limit)));
  return el("div", { class: "meters" }, ...meters);
}

function limitOf({ limits }: JsonObject, name: string): number | null {
  const isObject = typeof limits === "object" && limits !== null && !Array.isArray(limits);
  const limit: Json = isObject ? (limits[name] ?? null) : null;
  return typeof limit === "number" ? limit : null;
}

function meter(name: string, left: number, limit: number | null): HTMLElement {
  const hasDots = limit !== null && limit <= DOTS_MAX;
  const dots = Array.from({ length: hasDots ? limit : 0 }, (_, at) =>
    el("span", { class: at < left ? "dot is-left" : "dot" }),
  );
  return el(
    "p",
    { class: left === 0 ? "meter is-empty" : "meter" },
    el("span", { class: "meter-name" }, name),
    el("span", { class: "dots", "aria-hidden": "true" }, ...dots),
    el(
      "span",
      { class: "meter-left" },
      limit === null ? `${left} left` : `${left} of ${limit} left`,
    ),
  );
}

/** The proved most that can still come, as a sentence. */
export function remainingText(remaining: StepView["remaining"]): string {
  if (remaining === null) return "The worst case from here is being proved…";
  const { model_calls, tool_runs, questions } = remaining;
  const calls = [
    counted(model_calls, "model call"),
    counted(tool_runs, "tool run"),
    counted(questions, "question"),
  ];
  return `Proved: at most ${calls.join(", ")} from here.`;
}
