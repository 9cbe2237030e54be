/* oxlint-disable unicorn/no-thenable -- the protocol's word, of messages that nobody awaits */
import { expect, test } from "vitest";
import type { FromPage } from "../../../src/inspector/protocol.ts";
import { readMessage } from "../../../src/inspector/server/read-message.ts";

const read = (message: unknown) => readMessage(JSON.stringify(message));

const good: FromPage[] = [
  { type: "step", run: 0 },
  { type: "go", run: 1 },
  { type: "pause", run: 2 },
  { type: "go_to", run: 0, state: "turn.answer" },
  { type: "breakpoints", run: 0, breakpoints: [] },
  { type: "breakpoints", run: 0, breakpoints: ["error", "turn.answer"] },
  { type: "answer", run: 0, text: "" },
  { type: "answer", run: 0, text: "<b>ja</b> 🙂" },
  { type: "stop", run: 0 },
  { type: "prompt", run: 0, step: 49_999 },
  { type: "fork", run: 0, step: 3, output: null, remainder: "recorded" },
  { type: "fork", run: 0, step: 3, output: { kind: "calls", calls: [] }, remainder: "live" },
  { type: "outcome", run: 0, output: [1, "two", false], remainder: "hand" },
  { type: "accepted", run: 0, step: 0 },
  { type: "send", run: 0, step: 0, event: { type: "POWER", by: 2 } },
];

test.each(good)("$type is read as it was sent", (message) => {
  expect(read(message)).toStrictEqual(message);
});

const WHOLE = "has to be a whole number from 0.";
const THEN = `has to be "recorded", "live" or "hand".`;
const EVENT = `"event" of "send" has to be an object whose "type" is a text of at most 1000 characters.`;
const LIST = `"breakpoints" of "breakpoints" has to be a list of at most 1000 texts of at most 1000 characters.`;
const UNKNOWN = "The message has no type that is known here.";

test.each<[unknown, string]>([
  [null, "The message is no JSON object."],
  [[{ type: "step", run: 0 }], "The message is no JSON object."],
  ["step", "The message is no JSON object."],
  [{}, UNKNOWN],
  [{ type: 1, run: 0 }, UNKNOWN],
  [{ type: "toString", run: 0 }, UNKNOWN],
  [{ type: "__proto__", run: 0 }, UNKNOWN],
  [{ type: "hello", run: 0 }, UNKNOWN],
  [{ type: "step" }, `"run" of "step" ${WHOLE}`],
  [{ type: "step", run: -1 }, `"run" of "step" ${WHOLE}`],
  [{ type: "step", run: 0.5 }, `"run" of "step" ${WHOLE}`],
  [{ type: "step", run: "0" }, `"run" of "step" ${WHOLE}`],
  [{ type: "step", run: null }, `"run" of "step" ${WHOLE}`],
  [{ type: "step", run: 2 ** 53 }, `"run" of "step" ${WHOLE}`],
  [{ type: "prompt", run: 0 }, `"step" of "prompt" ${WHOLE}`],
  [{ type: "prompt", run: 0, step: [0] }, `"step" of "prompt" ${WHOLE}`],
  [{ type: "step", run: 0, remainder: "live" }, `"step" has a field too many.`],
  [{ type: "go_to", run: 0 }, `"state" of "go_to" has to be a text of at most 1000 characters.`],
  [
    { type: "go_to", run: 0, state: "x".repeat(1001) },
    `"state" of "go_to" has to be a text of at most 1000 characters.`,
  ],
  [{ type: "breakpoints", run: 0, breakpoints: "every" }, LIST],
  [{ type: "breakpoints", run: 0, breakpoints: ["every", 1] }, LIST],
  [{ type: "breakpoints", run: 0, breakpoints: Array(1001).fill("") }, LIST],
  [
    { type: "answer", run: 0, text: "x".repeat(100_001) },
    `"text" of "answer" has to be a text of at most 100000 characters.`,
  ],
  [{ type: "fork", run: 0, step: 0, remainder: "live" }, `"output" of "fork" has to be any JSON.`],
  [{ type: "fork", run: 0, step: 0, output: 1 }, `"remainder" of "fork" ${THEN}`],
  [
    { type: "fork", run: 0, step: 0, output: 1, remainder: "later" },
    `"remainder" of "fork" ${THEN}`,
  ],
  [{ type: "outcome", run: 0, output: 1, remainder: null }, `"remainder" of "outcome" ${THEN}`],
  [{ type: "send", run: 0, step: 0, event: "POWER" }, EVENT],
  [{ type: "send", run: 0, step: 0, event: {} }, EVENT],
  [{ type: "send", run: 0, step: 0, event: { type: 7 } }, EVENT],
  [{ type: "send", run: 0, step: 0, event: [{ type: "POWER" }] }, EVENT],
])("%j is refused", (message, why) => {
  expect(read(message)).toBe(why);
});

test.each<[string, string]>([
  ["", "The message is no JSON."],
  ["{", "The message is no JSON."],
  [`{"type":"step","run":NaN}`, "The message is no JSON."],
  [`{"type":"step","run":1e999}`, `"run" of "step" ${WHOLE}`],
  [`{"type":"step","run":0,"__proto__":{"run":1}}`, `"step" has a field too many.`],
  [`{"type":"step","__proto__":{"run":1}}`, `"run" of "step" ${WHOLE}`],
])("the text %s is refused", (text, why) => {
  expect(readMessage(text)).toBe(why);
});

test("brackets in brackets are bounded, so that nothing runs out of stack", () => {
  const nested = (levels: number) =>
    `{"type":"outcome","run":0,"output":${"[".repeat(levels)}${"]".repeat(levels)},"remainder":"hand"}`;
  expect(readMessage(nested(199))).toMatchObject({ type: "outcome" });
  expect(readMessage(nested(200))).toBe("The message has more than 200 levels.");
  expect(readMessage(nested(500_000))).toBe("The message has more than 200 levels.");
  const text = '[{"\\'.repeat(300);
  expect(read({ type: "answer", run: 0, text })).toStrictEqual({ type: "answer", run: 0, text });
});
