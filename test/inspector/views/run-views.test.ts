import { describe, expect, test } from "vitest";
import { createScriptedBackend, type ScriptedReply } from "../../../src/backends/scripted.ts";
import type { JsonObject } from "../../../src/contracts/call.ts";
import { createHarness, newConversation } from "../../../src/harness.ts";
import { chartOf } from "../../../src/inspector/chart/chart-of.ts";
import { patched } from "../../../src/inspector/patch.ts";
import { RunViews } from "../../../src/inspector/views/run-views.ts";
import type { JournalRecord, Stamped, TurnRecord } from "../../../src/journal/record.ts";
import { machineHash } from "../../../src/machine/machine-hash.ts";
import { turnMachine } from "../../../src/machine/turn.machine.ts";
import { input } from "../../helpers/turn.ts";
import { memoryJournal, session } from "../../helpers/journal.ts";
import { block, loadNotes, notesProject, nothing, raw, read } from "../../helpers/notes.ts";

const chart = chartOf(turnMachine);
const usage = { input_tokens: 10, output_tokens: 5, estimated: false };
const limits = { max_retries: 3, max_steps: 12, max_asks: 3 };
const turn: TurnRecord = {
  type: "turn",
  machine: machineHash(),
  models: { skill_call: "m", tool_call: "m", answer: "m" },
  contract: "codeblock",
  skills: [],
  input: { question: "What is new?", nonce: "n", skills: input().skills, limits },
  settings: {},
};

/** Records as a journal would have them; what a file may hold need not be what our types say. */
function viewsOf(...records: (JournalRecord | object)[]) {
  const runs = new RunViews(chart);
  const told = [session, ...records].map((record, index) =>
    runs.add({ n: index + 1, at: 1000 * (index + 1), ...record } as Stamped),
  );
  return { runs, views: runs.views, last: runs.views.at(-1), told };
}

/** Real turns, one for each list of replies, in one journal. */
async function taken(...turns: ScriptedReply[][]) {
  const project = notesProject();
  const journal = memoryJournal();
  let state = newConversation();
  for (const replies of turns)
    state = await createHarness({
      skills: { skills: [project.skill], diagnostics: [], python: null },
      backend: createScriptedBackend(replies),
      projectDir: project.projectDir,
      nonce: () => "n0nce",
    }).run({ ...state, question: "What is in the plan note?" }, { journal });
  return journal.read().records;
}

const reply = (of: string, output: object) => ({
  type: "outcome",
  of,
  output: { reply: "as written", usage, ...output },
});
const calls = (of: string, ...list: object[]) => reply(of, { kind: "calls", calls: list });
const tool = (output: object) => ({ type: "outcome", of: "tool_use", output });
const load = calls("skill_call", { name: "load_skill", input: { skill_name: "file-ops" } });
const loaded = tool({ kind: "skill_loaded", name: "file-ops", has_tools: true });
const readA = calls("tool_call", { name: "read_file", input: { path: "a.txt" } });
const ready = [turn, load, loaded, readA] as const;

describe("a turn that was taken", () => {
  test("is its question and then one view for each event, with what it changed", async () => {
    const records = await taken([
      loadNotes,
      raw("nonsense"),
      block(read("plan")),
      nothing,
      raw("Buy milk."),
    ]);
    const runs = new RunViews(chart);
    for (const record of records) runs.add(record);
    expect(
      runs.views.map(({ line, kind, title, ok, to }) => [line, kind, title, ok, to[0]]),
    ).toStrictEqual([
      [2, "turn", "What is in the plan note?", null, "turn.skill_call"],
      [3, "model", "load_skill notes", true, "turn.tool_use"],
      [4, "tool", "load_skill notes", true, "turn.tool_call"],
      [5, "model", "refused: no_block", false, "turn.fail_recovery"],
      [6, "wait", "no wait", null, "turn.tool_call"],
      [7, "model", 'read_note {"title":"plan"}', true, "turn.tool_use"],
      [9, "tool", 'read_note {"title":"plan"}', true, "turn.tool_call"],
      [10, "model", "no calls: ready to answer", true, "turn.answer"],
      [11, "model", "answer", true, "turn.answered"],
    ]);
    expect(runs.views.map(({ ended }) => ended).filter(Boolean)).toStrictEqual(["answered"]);
    expect(runs.views.filter(({ asks_model }) => asks_model)).toHaveLength(5);
    expect(runs.records).toStrictEqual(records);
  });

  test("the patches one after the other give each context; a long conversation costs what was added", async () => {
    const answer = [nothing, raw("Buy milk.")];
    const records = await taken([loadNotes, ...answer], answer, answer);
    const runs = new RunViews(chart);
    for (const record of records) runs.add(record);
    let context: JsonObject = {};
    for (const [index, view] of runs.views.entries()) {
      context = patched(context, view.patch);
      expect(context).toStrictEqual({ ...runs.at(index)?.snapshot.context });
    }
    const ends = runs.views.filter(({ ended }) => ended === "answered");
    expect(ends.map(({ patch }) => patch["messages"])).toMatchObject([
      { set: [{ role: "user" }, { role: "assistant" }] },
      { keep: 2, append: [{ role: "user" }, { role: "assistant" }] },
      { keep: 4, append: [{ role: "user" }, { role: "assistant" }] },
    ]);
    const starts = runs.views.filter(({ kind }) => kind === "turn");
    expect(starts.map((view) => view.turn)).toStrictEqual([1, 2, 3]);
    expect(starts.slice(1).map(({ patch }) => patch["messages"])).toStrictEqual([
      undefined,
      undefined,
    ]);
  });

  test("every arc is one of the chart", async () => {
    const records = await taken([loadNotes, raw("?"), block(read("plan")), nothing, raw("Milk.")]);
    const runs = new RunViews(chart);
    for (const record of records) runs.add(record);
    const known = new Set(chart.arcs.map(({ id }) => id));
    const arcs = runs.views.flatMap((view) => view.arcs);
    expect(arcs.length).toBeGreaterThan(20);
    expect(arcs.filter(({ id }) => !known.has(id))).toStrictEqual([]);
  });
});

describe("the ways that were looked at, and the actions that ran", () => {
  test("from the question on", () => {
    expect(viewsOf(turn).last).toMatchObject({
      from: [],
      to: ["turn.skill_call"],
      arcs: [
        { id: "turn.skill_call always #0", allowed: false },
        { id: "turn.skill_call always #1", allowed: false },
      ],
      actions: ["flush_turn", "clear_turn"],
      can_fork: false,
    });
  });

  test("through a state that is only passed through", () => {
    const none = { ...turn.input, limits: { ...limits, max_retries: 0 } };
    const refusal = reply("tool_call", {
      kind: "refused",
      problem: { code: "empty" },
      example: null,
    });
    const { last } = viewsOf({ ...turn, input: none }, load, loaded, refusal);
    expect(last).toMatchObject({ from: ["turn.tool_call"], to: ["turn.answer"] });
    expect(last?.arcs.slice(-4)).toStrictEqual([
      { id: "turn.tool_call xstate.done.actor.tool_call #7", allowed: true },
      { id: "turn.fail_recovery always #0", allowed: false },
      { id: "turn.fail_recovery always #1", allowed: false },
      { id: "turn.fail_recovery always #2", allowed: true },
    ]);
    expect(last?.actions).toStrictEqual(["note_refusal", "end_by_max_retries"]);
  });

  test("on the way in to a question, and for an abort, which every state heeds", () => {
    const asked = reply("skill_call", { kind: "question", questions: ["Which file?"] });
    const { views } = viewsOf(turn, asked, { type: "abort", by: "user" });
    expect(views[1]?.actions).toStrictEqual(["take_questions", "spend_ask"]);
    expect(views[1]).toMatchObject({ title: "asks: Which file?", budget: { asks: 2 } });
    expect(views[2]).toMatchObject({
      kind: "abort",
      title: "abort by user",
      arcs: [{ id: "turn abort #0", allowed: true }],
      actions: ["note_abort"],
      can_fork: false,
      output: { by: "user" },
      ended: "stopped",
    });
  });
});

describe("record by record", () => {
  test("an intent and an end bring no view; each other record brings one", () => {
    const intent = {
      type: "intent",
      call: { name: "read_file", input: { path: "a.txt" } },
      effect: "read",
    };
    const { told } = viewsOf(
      ...ready,
      intent,
      { type: "abort", by: "user" },
      {
        type: "end",
        state: "stopped",
        digest: null,
      },
    );
    expect(told.map(({ from, steps }) => [from, steps.length])).toStrictEqual([
      [0, 0],
      [0, 1],
      [1, 1],
      [2, 1],
      [3, 1],
      [4, 0],
      [4, 1],
      [5, 0],
    ]);
  });

  test("a turn that goes on takes the view of its abort away, and the patches fit again", () => {
    const { told, runs } = viewsOf(
      turn,
      load,
      { type: "abort", by: "user" },
      { type: "resume" },
      loaded,
    );
    expect(told.map(({ from, steps }) => [from, steps.map(({ kind }) => kind)])).toStrictEqual([
      [0, []],
      [0, ["turn"]],
      [1, ["model"]],
      [2, ["abort"]],
      [2, []],
      [2, ["tool"]],
    ]);
    const context = runs.views.reduce<JsonObject>((was, { patch }) => patched(was, patch), {});
    expect(context).toStrictEqual({ ...runs.at(2)?.snapshot.context });
    expect(runs.at(3)).toBeNull();
  });

  test("a turn that goes on after a crash of the process loses no view", () => {
    const { told } = viewsOf(turn, load, { type: "resume" }, loaded);
    expect(told.map(({ from, steps }) => [from, steps.length]).slice(-2)).toStrictEqual([
      [2, 0],
      [2, 1],
    ]);
  });

  test("what cannot stand there is a fault, and nothing comes after it", () => {
    const { told, runs } = viewsOf(turn, loaded, load);
    const why = "something came from tool_use, but the turn is in skill_call";
    const fault = { line: 3, why };
    expect(told.slice(2)).toStrictEqual([
      { from: 1, steps: [], fault },
      { from: 1, steps: [], fault },
    ]);
    expect(runs.records).toHaveLength(2);
  });
});
