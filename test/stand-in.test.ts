import { describe, expect, test } from "vitest";
import { createScriptedBackend } from "../src/backends/scripted.ts";
import type { HarnessEvent } from "../src/events.ts";
import { createHarness, newConversation, type HarnessOptions } from "../src/harness.ts";
import { fold } from "../src/journal/fold.ts";
import type { ActorName } from "../src/journal/record.ts";
import { heldTurn, inShort, ticks } from "./helpers/held-turn.ts";
import { memoryJournal } from "./helpers/journal.ts";
import { block, loadNotes, notesProject, nothing, play, raw, read } from "./helpers/notes.ts";

const usage = { input_tokens: 1, output_tokens: 1, estimated: true };
const said = { reply: "", usage };
const calls = (...list: { name: string; input: object }[]) => ({
  kind: "calls",
  calls: list,
  ...said,
});
const load = { name: "load_skill", input: { skill_name: "notes" } };
const remove = { name: "delete_note", input: { title: "plan" } };
const question = "Is permission given?";
const problem = { code: "script_failed", tool: "read_note", exit_code: 3, signal: null };
const observation = { output: "gone", exit_code: 0, signal: null, duration_ms: 7 };

/** One of every actor's outcomes, none of which needs a model, a script, a person or time. */
const outcomes: [ActorName, unknown][] = [
  ["skill_call", { kind: "refused", problem: { code: "empty" }, example: null, ...said }],
  ["fail_recovery", null],
  ["skill_call", calls(load)],
  ["tool_use", { kind: "skill_loaded", name: "notes", has_tools: true }],
  ["tool_call", { kind: "question", questions: ["Which note?"], ...said }],
  ["ask_user_question", { kind: "reply", text: "plan" }],
  ["tool_call", calls(remove, read("plam"))],
  ["tool_use", { kind: "needs_permission", question }],
  ["ask_user_question", { kind: "yes" }],
  ["tool_use", { kind: "result", effect: "destructive", observation }],
  ["tool_use", { kind: "failed", problem, effect: "read", observation: null }],
  ["fail_recovery", undefined],
  ["tool_call", calls()],
  ["answer", { kind: "text", text: "The note is gone.", ...said, reply: "The note is gone." }],
];

function standingIn(standIn: NonNullable<HarnessOptions["standIn"]>) {
  const project = notesProject();
  const journal = memoryJournal();
  const events: HarnessEvent[] = [];
  const harness = createHarness({
    skills: { skills: [project.skill], diagnostics: [], python: null },
    backend: { id: "none", stream: () => Promise.reject(new Error("a model was asked")) as never },
    asker: { ask: () => Promise.reject(new Error("a person was asked")), close: () => {} },
    projectDir: project.projectDir,
    nonce: () => "n0nce",
    standIn,
    onEvent: (event) => void events.push(event),
  });
  const state = { ...newConversation(), question: "Delete the plan." };
  return { project, journal, events, harness, turn: harness.run(state, { journal }) };
}

test("every actor can be stood in for: nothing is run, sent or asked, and the journal says who it was", async () => {
  const left = [...outcomes];
  const asked: unknown[] = [];
  const { project, journal, events, turn } = standingIn(({ of, turn: { log } }) => {
    const [next, output] = left.shift() ?? [];
    asked.push([of, log.length]);
    return Promise.resolve({ output: next === of ? output : "not its turn", by: "hand" });
  });
  const ended = await turn;
  expect(ended.outcome).toStrictEqual({
    kind: "answered",
    text: "The note is gone.",
    ended_early: null,
  });
  expect(asked).toHaveLength(14);
  expect(asked.slice(0, 4)).toStrictEqual([
    ["skill_call", 0],
    ["fail_recovery", 1],
    ["skill_call", 1],
    ["tool_use", 2],
  ]);
  expect(project.ran()).toStrictEqual([]);
  const records = journal.records.slice(2, -1);
  expect(records.map(inShort)).toStrictEqual(outcomes.map(([of]) => `outcome of ${of}`));
  expect(records.map((record) => "by" in record && record.by)).toStrictEqual(
    outcomes.map(() => "hand"),
  );
  const { turns, fault } = fold(journal.read());
  expect(fault).toBeNull();
  expect(turns[0]?.snapshot.context).toStrictEqual(ended);
  expect(turns[0]?.end).toMatchObject({ state: "answered" });
  expect(events.map(({ type }) => type).filter((type) => type !== "state")).toStrictEqual([
    "init",
    "refusal",
    "tool_use",
    "tool_result",
    "question",
    "tool_use",
    "question",
    "tool_result",
    "tool_use",
    "tool_result",
    "text",
    "result",
  ]);
  expect(events.filter(({ type }) => type === "tool_result").at(-1)).toStrictEqual({
    type: "tool_result",
    call: read("plam"),
    ok: false,
    code: "script_failed",
    output: "the script failed with exit code 3",
    exit_code: null,
    duration_ms: null,
  });
});

test("null lets the actor work; only what was stood in for says so", async () => {
  const journal = memoryJournal();
  const { skill, projectDir, ran } = notesProject();
  const harness = createHarness({
    skills: { skills: [skill], diagnostics: [], python: null },
    backend: createScriptedBackend([loadNotes, block(read("plan")), nothing, raw("Buy milk.")]),
    projectDir,
    standIn: ({ of, turn }) =>
      Promise.resolve(
        of === "tool_use" && turn.loaded_skills.length === 0
          ? { output: { kind: "skill_loaded", name: "notes", has_tools: true }, by: "recording" }
          : null,
      ),
  });
  await harness.run({ ...newConversation(), question: "?" }, { journal });
  expect(ran()).toStrictEqual(['read_note ["--title=plan"]']);
  expect(
    journal.records.map((record) => inShort(record) + ("by" in record ? ` by ${record.by}` : "")),
  ).toStrictEqual([
    "session",
    "turn",
    "outcome of skill_call",
    "outcome of tool_use by recording",
    "outcome of tool_call",
    "intent",
    "outcome of tool_use",
    "outcome of tool_call",
    "outcome of answer",
    "end",
  ]);
});

describe("what stands in wrongly", () => {
  test.each([
    [{ kind: "dance" }, 'skill_call has no outcome "dance"'],
    [undefined, 'skill_call has no outcome "undefined"'],
    [
      { kind: "calls", calls: [{ name: "read_note" }], ...said },
      'skill_call, "calls": "calls" has to be a list of calls, each { "name": text, "input": {} }',
    ],
  ])("rejects the turn and does not reach the machine: %j", async (output, why) => {
    const { journal, turn } = standingIn(() => Promise.resolve({ output, by: "hand" }));
    await expect(turn).rejects.toMatchObject({
      code: "usage",
      message: `what stands in for skill_call cannot be: ${why}`,
    });
    expect(journal.records.map(inShort)).toStrictEqual(["session", "turn"]);
  });

  test("a bug of the caller's rejects the turn with it", async () => {
    const { turn } = standingIn(() => Promise.reject(new RangeError("a bug of the caller")));
    await expect(turn).rejects.toThrow(new RangeError("a bug of the caller"));
  });
});

test("an abort ends the waiting for what would stand in, heeded or not", async () => {
  const { stop, turn, records, project } = heldTurn([], {
    pause: () => Promise.resolve(),
    standIn: () => new Promise(() => {}),
  });
  await ticks();
  stop.abort("user");
  expect((await turn).outcome).toStrictEqual({ kind: "stopped", by: "user" });
  expect(records()).toStrictEqual(["turn", "abort", "end"]);
  expect(project.ran()).toStrictEqual([]);
});

test("a call that was interrupted can be stood in for; the call after it is run as ever", async () => {
  const save = { name: "save_note", input: { title: "a", text: "b" } };
  const journal = memoryJournal();
  const { skill, projectDir } = notesProject();
  const skills = { skills: [skill], diagnostics: [], python: null };
  const backend = createScriptedBackend([loadNotes, block(save, read("plan")), nothing, raw("ok")]);
  const harness = createHarness({ skills, backend, projectDir });
  await harness.run({ ...newConversation(), question: "?" }, { journal });
  const again = memoryJournal();
  again.records.push(...journal.records.slice(1, 6));
  const [cut] = fold(again.read()).turns;
  if (!cut) throw new Error("no turn");
  expect(cut.intent?.call).toStrictEqual(save);
  const other = notesProject();
  const resumed = createHarness({
    skills,
    backend: createScriptedBackend([nothing, raw("ok")]),
    projectDir: other.projectDir,
    standIn: ({ of, turn }) =>
      Promise.resolve(
        of === "tool_use" && turn.queue[0]?.name === "save_note"
          ? { output: { kind: "result", effect: "write", observation }, by: "hand" }
          : null,
      ),
  });
  const turn = await resumed.resume(cut, { journal: again });
  expect(turn.log.map(({ kind }) => kind)).toStrictEqual([
    "calls",
    "skill",
    "calls",
    "result",
    "result",
    "calls",
  ]);
  expect(other.ran()).toStrictEqual(['read_note ["--title=plan"]']);
  expect(fold(again.read()).turns[0]?.snapshot.context).toStrictEqual(turn);
});

test("the prompt at a place of a turn is the one that was sent there, in every state that asks a model", async () => {
  const project = notesProject();
  const ask = { name: "ask_user_question", input: { question: "Which?" } };
  const at: unknown[] = [];
  const other = createHarness({
    skills: { skills: [project.skill], diagnostics: [], python: null },
    backend: createScriptedBackend([]),
    projectDir: project.projectDir,
  });
  const { requests } = await play(
    [
      raw("nonsense"),
      loadNotes,
      block(ask),
      block(read("gone")),
      raw("I will look."),
      nothing,
      raw("No."),
    ],
    {
      project,
      asker: { ask: () => Promise.resolve({ kind: "reply", text: "gone" }), close: () => {} },
      standIn: ({ of, turn }) => {
        if (of === "skill_call" || of === "tool_call" || of === "answer")
          at.push({ task: of, ...other.promptAt(of, turn) });
        return Promise.resolve(null);
      },
    },
  );
  expect(requests.map(({ task }) => task)).toStrictEqual([
    "skill_call",
    "skill_call",
    "tool_call",
    "tool_call",
    "tool_call",
    "tool_call",
    "answer",
  ]);
  expect(at).toStrictEqual(
    requests.map(({ task, system, messages }) => ({ task, system, messages })),
  );
});
