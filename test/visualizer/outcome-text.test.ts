import { expect, test } from "vitest";
import { outcomeText, withOutcomeText } from "../../visualizer/outcome-text.ts";

test("the output of a tool is put back inside its observation", () => {
  const output = {
    kind: "result",
    effect: "read",
    observation: { output: "old", exit_code: 0, duration_ms: 3 },
  };
  expect(outcomeText(output)).toEqual({ label: "Output of the tool", text: "old" });
  expect(withOutcomeText(output, "new")).toEqual({
    kind: "result",
    effect: "read",
    observation: { output: "new", exit_code: 0, duration_ms: 3 },
  });
});

test("the user's reply is its text", () => {
  const output = { kind: "reply", text: "the first" };
  expect(outcomeText(output)).toEqual({ label: "The user's reply", text: "the first" });
  expect(withOutcomeText(output, "the second")).toEqual({ kind: "reply", text: "the second" });
});

test("an answer that was the whole reply stays the whole reply", () => {
  expect(withOutcomeText({ kind: "text", text: "yes", reply: "yes" }, "no")).toEqual({
    kind: "text",
    text: "no",
    reply: "no",
  });
});

test("an answer that was a part of the reply leaves the reply as it was written", () => {
  expect(withOutcomeText({ kind: "text", text: "yes", reply: "ANSWER yes" }, "no")).toEqual({
    kind: "text",
    text: "no",
    reply: "ANSWER yes",
  });
});

test("an outcome that is nothing but a reply is edited as one", () => {
  expect(outcomeText({ reply: "hello" })).toEqual({ label: "Reply", text: "hello" });
  expect(withOutcomeText({ reply: "hello" }, "bye")).toEqual({ reply: "bye" });
});

test.each([
  [{ kind: "calls", calls: [], reply: "CALL read_note {}" }],
  [{ kind: "refused", problem: { code: "text_outside" }, reply: "Sure!" }],
  [{ kind: "failed", problem: {}, effect: "none", observation: null }],
  [{ kind: "yes" }],
  [null],
  ["text"],
  [["text"]],
])("%j has no text of its own, and is not changed", (output) => {
  expect(outcomeText(output)).toBeNull();
  expect(withOutcomeText(output, "other")).toBe(output);
});
