import { expect, test } from "vitest";
import { exitCodeOf } from "../src/exit-code.ts";
import type { Problem } from "../src/contracts/problem.ts";
import type { Turn } from "../src/machine/turn.types.ts";

type End = Pick<Turn, "outcome" | "log">;

const answered = (ended_early: "max_steps" | "no_progress" | null): End => ({
  outcome: { kind: "answered", text: "x", ended_early },
  log: [],
});
const fallback = (problem: Problem): End => ({
  outcome: { kind: "fallback", text: "x", problem },
  log: [],
});
const backend = (fault: "auth" | "access" | "not_found" | "quota" | "throttled" | "declined") =>
  fallback({ code: "backend", fault, message: "x", retryable: false });
const denied: End = {
  ...answered(null),
  log: [{ kind: "notice", notice: { code: "denied", call: { name: "x", input: {} } } }],
};

test.each<[string, End, number]>([
  ["an answer", answered(null), 0],
  ["an answer after a limit", answered("max_steps"), 5],
  ["an answer after the same mistake again and again", answered("no_progress"), 5],
  ["an answer after the user said no to a call", denied, 6],
  ["no answer from the model", fallback({ code: "empty" }), 1],
  ["a bug", fallback({ code: "internal", name: "Error", message: "x" }), 1],
  ["an offline decline", backend("declined"), 1],
  ["a service that stays busy", backend("throttled"), 1],
  ["wrong credentials", backend("auth"), 3],
  ["no access to the model", backend("access"), 3],
  ["a model that does not exist", backend("not_found"), 3],
  ["a quota that is used up", backend("quota"), 3],
  [
    "a question that nobody answers",
    { outcome: { kind: "needs_input", question: "x" }, log: [] },
    4,
  ],
  ["Ctrl-C", { outcome: { kind: "stopped", by: "user" }, log: [] }, 130],
  ["SIGTERM", { outcome: { kind: "stopped", by: "terminate" }, log: [] }, 143],
  ["the time limit", { outcome: { kind: "stopped", by: "timeout" }, log: [] }, 5],
])("%s ends with its own exit code", (_name, end, code) => {
  expect(exitCodeOf(end)).toBe(code);
});
