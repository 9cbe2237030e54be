import { describe, expect, test } from "vitest";
import { chartOf } from "../../../src/inspector/chart/chart-of.ts";
import type { StepView } from "../../../src/inspector/protocol.ts";
import { RunViews } from "../../../src/inspector/views/run-views.ts";
import type { Stamped } from "../../../src/journal/record.ts";
import { machineHash } from "../../../src/machine/machine-hash.ts";
import { turnMachine } from "../../../src/machine/turn.machine.ts";
import { session } from "../../helpers/journal.ts";
import { input } from "../../helpers/turn.ts";

const chart = chartOf(turnMachine);
const usage = { input_tokens: 412, output_tokens: 35, estimated: false };
const turn = (question = "What is new?", more = {}) => ({
  type: "turn",
  machine: machineHash(),
  models: { skill_call: "small", tool_call: "small", answer: "large" },
  contract: "codeblock",
  skills: [],
  input: { question, nonce: "n", skills: input().skills, limits: input().limits, ...more },
  settings: {},
});

/** The view of the last of these records; what a file may hold need not be what our types say. */
function lastView(...records: object[]): StepView {
  const runs = new RunViews(chart);
  for (const [index, record] of [session, ...records].entries()) {
    const { fault } = runs.add({ n: index + 1, at: index, ...record } as Stamped);
    if (fault) throw new Error(fault.why);
  }
  const last = runs.views.at(-1);
  if (!last) throw new Error("no view");
  return last;
}

const reply = (of: string, output: object, more = {}) => ({
  type: "outcome",
  of,
  output: { reply: "as written", usage, ...output },
  ...more,
});
const tool = (output: object) => ({ type: "outcome", of: "tool_use", output });
const user = (output: object) => ({ type: "outcome", of: "ask_user_question", output });
const waited = { type: "outcome", of: "fail_recovery" };
const load = reply("skill_call", {
  kind: "calls",
  calls: [{ name: "load_skill", input: { skill_name: "file-ops" } }],
});
const loaded = tool({ kind: "skill_loaded", name: "file-ops", has_tools: true });
const readA = reply("tool_call", {
  kind: "calls",
  calls: [{ name: "read_file", input: { path: "a.txt" } }],
});
const reading = [turn(), load, loaded, readA];
const observation = { output: "Buy milk.", exit_code: 0, signal: null, duration_ms: 12 };
const backend = (more: object) =>
  reply("skill_call", {
    kind: "failed",
    reply: "",
    problem: {
      code: "backend",
      fault: "throttled",
      message: "slow down",
      retryable: true,
      ...more,
    },
  });

const shown = ({ blocks }: StepView) =>
  blocks.map(({ label, tone, text, facts }) => [label, tone, text, ...facts]);

test("a question, with what belongs to it", () => {
  const view = lastView(turn("What is new?", { attachment: "a\nb" }));
  expect(shown(view)).toStrictEqual([
    ["Question", "text", "What is new?", "3 retries", "12 steps", "3 questions"],
    ["Attachment", "code", "a\nb"],
    ["Skills offered", "text", "file-ops"],
    ["Model", "text", "small, large", "codeblock"],
  ]);
  expect(view.output).toMatchObject({ question: "What is new?", attachment: "a\nb" });
});

describe("a reply of the model", () => {
  test("with calls, its thinking apart", () => {
    const view = lastView(turn(), { ...load, thinking: "Files, so." });
    expect(shown(view)).toStrictEqual([
      ["Thinking", "thinking", "Files, so."],
      ["Reply", "code", "as written", "412 tokens in", "35 tokens out"],
      ["Call", "code", 'load_skill {\n  "skill_name": "file-ops"\n}'],
    ]);
    expect(view).toMatchObject({ by: null, can_fork: true, turn: 1, line: 3, asks_model: false });
  });

  test("that was refused, and that a person gave", () => {
    const problem = { code: "text_outside", where: "before", excerpt: "Sure!", line: 1 };
    const estimated = { ...usage, estimated: true };
    const refusal = { kind: "refused", problem, example: null, usage: estimated };
    const view = lastView(turn(), reply("skill_call", refusal, { by: "hand" }));
    expect(view).toMatchObject({ title: "refused: text_outside", ok: false, by: "hand" });
    expect(shown(view)).toStrictEqual([
      ["Reply", "code", "as written", "about 412 tokens in", "about 35 tokens out"],
      ["Refused because", "bad", expect.stringMatching(/text/) as string],
    ]);
  });

  test("that did not come, and the wait after it", () => {
    expect(lastView(turn(), backend({}))).toMatchObject({
      title: "the model's service failed: throttled",
      ok: false,
      blocks: [{ label: "The model's service failed", tone: "bad" }],
    });
    const again = lastView(turn(), backend({ retry_after_ms: 2000 }), waited);
    expect(again).toMatchObject({ kind: "wait", title: "waited 2 s", ok: null, output: null });
    expect(shown(again).at(-1)).toStrictEqual(["Back to", "text", "skill_call", "waits 2 s"]);
  });

  test("that is the answer is shown once; with the truth put to it, both", () => {
    const toAnswer = [turn("?", { skills: [] })];
    const answer = lastView(...toAnswer, reply("answer", { kind: "text", text: "as written" }));
    expect(shown(answer)).toStrictEqual([
      ["Answer", "text", "as written", "412 tokens in", "35 tokens out"],
    ]);
    const trimmed = lastView(...toAnswer, reply("answer", { kind: "text", text: "written" }));
    expect(shown(trimmed).map(([label]) => label)).toStrictEqual(["Reply", "Answer"]);
  });
});

describe("a call", () => {
  test("that ran", () => {
    const view = lastView(...reading, tool({ kind: "result", effect: "read", observation }));
    expect(view).toMatchObject({ kind: "tool", title: 'read_file {"path":"a.txt"}', ok: true });
    expect(shown(view)).toStrictEqual([
      ["Call", "code", 'read_file {\n  "path": "a.txt"\n}'],
      ["Output", "code", "Buy milk.", "12 ms", "exit 0", "read"],
    ]);
  });

  test("that ran and failed, and one that was refused before it ran", () => {
    const problem = { code: "script_failed", tool: "read_file", exit_code: 3, signal: null };
    const failed = { kind: "failed", problem, effect: "read", observation };
    expect(lastView(...reading, tool(failed))).toMatchObject({
      title: 'failed: script_failed: read_file {"path":"a.txt"}',
      ok: false,
      blocks: [{ label: "Call" }, { label: "Failed because", tone: "bad" }, { label: "Output" }],
    });
    expect(lastView(...reading, tool({ ...failed, observation: null }))).toMatchObject({
      title: 'refused: script_failed: read_file {"path":"a.txt"}',
      blocks: [{ label: "Call" }, { label: "Refused because", tone: "bad" }],
    });
  });

  test("that needs a yes, and the yes", () => {
    const asked = [...reading, tool({ kind: "needs_permission", question: "Read it?" })];
    expect(lastView(...asked)).toMatchObject({
      title: 'needs a yes: read_file {"path":"a.txt"}',
      ok: null,
    });
    const yes = lastView(...asked, user({ kind: "yes" }));
    expect(yes).toMatchObject({ kind: "reply", title: "reply: yes" });
    expect(shown(yes).at(-1)).toStrictEqual(["Answer", "text", "yes"]);
  });
});

test("a crash says what broke, and what the user is told", () => {
  const error = { name: "TypeError", message: "no such thing" };
  const view = lastView(turn(), { type: "crash", of: "skill_call", error });
  expect(view).toMatchObject({
    kind: "crash",
    title: "skill_call broke: TypeError: no such thing",
    ok: false,
    can_fork: false,
    output: error,
    ended: "fallback",
  });
  expect(view.blocks.map(({ label }) => label)).toStrictEqual(["Error", "Answer"]);
});

describe("what nobody expects", () => {
  test("a title is one line of at most 200 characters, and no letter is cut in two", () => {
    const { title } = lastView(turn(`a\n\tb ${"😀".repeat(5000)}`));
    expect(title.length).toBeLessThanOrEqual(200);
    expect(title.slice(0, 6)).toBe("a b 😀");
    expect(() => encodeURIComponent(title)).not.toThrow();
  });

  test.each([
    ["a result without what was seen", tool({ kind: "result", effect: "read" })],
    [
      "a problem that nobody knows",
      tool({ kind: "failed", problem: { code: "?" }, effect: "read" }),
    ],
  ])("%s is shown as data", (_what, record) => {
    const view = lastView(...reading, record);
    expect(view.blocks).toStrictEqual([
      { label: "As data", tone: "code", text: JSON.stringify(record.output), facts: [] },
    ]);
  });

  test("texts that are none are shown as text", () => {
    const odd = lastView(turn("?", { skills: [] }), reply("answer", { kind: "text", text: 5 }));
    expect(shown(odd).map(([, , text]) => text)).toStrictEqual(["as written", "5"]);
  });
});
