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

test.each([
  [{ kind: "text", text: "yes", reply: "yes" }],
  [{ kind: "calls", calls: [], reply: "CALL read_note {}" }],
  [{ kind: "refused", problem: { code: "text_outside" }, reply: "Sure!" }],
  [{ reply: "hello" }],
])("of a model's outcome %j it is what the model writes, and nothing else is kept", (output) => {
  expect(outcomeText(output)).toEqual({ label: "What the model writes", text: output.reply });
  expect(withOutcomeText(output, "bye")).toEqual({ reply: "bye" });
});

test.each([
  [{ kind: "failed", problem: {}, effect: "none", observation: null }],
  [{ kind: "yes" }],
  [null],
  ["text"],
  [["text"]],
])("%j has no text of its own, and is not changed", (output) => {
  expect(outcomeText(output)).toBeNull();
  expect(withOutcomeText(output, "other")).toBe(output);
});
