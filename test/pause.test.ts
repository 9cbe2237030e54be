import { PassThrough } from "node:stream";
import { describe, expect, test } from "vitest";
import { createAsker } from "../src/actors/ask-user.ts";
import { fold } from "../src/journal/fold.ts";
import { createHarness, newConversation } from "../src/harness.ts";
import { heldTurn, inShort, ticks } from "./helpers/held-turn.ts";
import { memoryJournal } from "./helpers/journal.ts";
import { block, loadNotes, notesProject, nothing, raw, read } from "./helpers/notes.ts";

const save = { name: "save_note", input: { title: "a", text: "b" } };
const saved = ['save_note ["--title=a","--text=b"]'];
const remove = { name: "delete_note", input: { title: "plan" } };

test("a turn is held at its start and between each outcome's record and the machine's step for it", async () => {
  const { project, journal, gate, turn, told } = heldTurn([
    loadNotes,
    block(save),
    nothing,
    raw("Saved."),
  ]);
  const seen: unknown[] = [];
  for (let hold = 0; hold < 7; hold++) {
    await gate.holds();
    await ticks();
    seen.push([journal.records.slice(-1).map(inShort)[0], told().at(-1), project.ran()]);
    gate.step();
  }
  expect(seen).toStrictEqual([
    ["turn", "skill_call", []],
    ["outcome of skill_call", "ask skill_call", []],
    ["outcome of tool_use", "tool_result", []],
    ["outcome of tool_call", "ask tool_call", []],
    ["outcome of tool_use", "tool_result", saved],
    ["outcome of tool_call", "ask tool_call", saved],
    ["outcome of answer", "ask answer", saved],
  ]);
  expect((await turn).outcome).toMatchObject({ kind: "answered", text: "Saved." });
  expect(gate.signals).toHaveLength(7);
  expect(fold(journal.read()).turns[0]?.snapshot.context).toStrictEqual(await turn);
});

test("a turn is held after a reply, a refusal, a wait and a failed call, too", async () => {
  const input = new PassThrough();
  input.end("y\n");
  const { project, journal, gate, turn } = heldTurn(
    [raw("nonsense"), loadNotes, block(remove), block(read("gone")), nothing, raw("Gone.")],
    { asker: createAsker({ input, output: new PassThrough() }) },
  );
  const seen: unknown[] = [];
  for (let hold = 0; hold < 13; hold++) {
    await gate.holds();
    await ticks();
    const record = journal.records.at(-1) ?? { type: "resume" };
    const { output } = record as { output?: { kind: string } };
    seen.push([`${inShort(record)} ${output?.kind ?? ""}`, project.ran().length]);
    gate.step();
  }
  expect(seen).toStrictEqual([
    ["turn ", 0],
    ["outcome of skill_call refused", 0],
    ["outcome of fail_recovery ", 0],
    ["outcome of skill_call calls", 0],
    ["outcome of tool_use skill_loaded", 0],
    ["outcome of tool_call calls", 0],
    ["outcome of tool_use needs_permission", 0],
    ["outcome of ask_user_question yes", 0],
    ["outcome of tool_use result", 1],
    ["outcome of tool_call calls", 1],
    ["outcome of tool_use failed", 2],
    ["outcome of fail_recovery ", 2],
    ["outcome of tool_call calls", 2],
  ]);
  await gate.holds();
  gate.step();
  await turn;
  expect(gate.signals).toHaveLength(14);
});

test("a crash is held, too, once it is in the journal; the turn then rejects with it", async () => {
  const { gate, turn, records } = heldTurn({
    id: "broken",
    stream: () => {
      throw new TypeError("my bug");
    },
  });
  const rejected = turn.catch(String);
  await gate.holds();
  gate.step();
  await gate.holds();
  expect(records()).toStrictEqual(["turn", "crash of skill_call"]);
  gate.step();
  expect(await rejected).toBe("TypeError: my bug");
  expect(gate.signals).toHaveLength(2);
});

test("a turn that goes on is held before its first actor begins", async () => {
  const first = heldTurn([loadNotes, block(save)]);
  await first.steps(3);
  first.stop.abort("user");
  await first.turn;
  const [cut] = fold(first.journal.read()).turns;
  if (!cut) throw new Error("no turn");
  const project = notesProject();
  let holds = 0;
  const harness = createHarness({
    skills: { skills: [project.skill], diagnostics: [], python: null },
    backend: { id: "none", stream: () => Promise.reject(new Error("not asked")) as never },
    projectDir: project.projectDir,
    pause: () => {
      holds += 1;
      return new Promise(() => {});
    },
  });
  const stop = new AbortController();
  const journal = memoryJournal();
  const turn = harness.resume(cut, { journal, signal: stop.signal });
  await ticks();
  expect([holds, project.ran()]).toStrictEqual([1, []]);
  stop.abort("user");
  expect((await turn).outcome).toStrictEqual({ kind: "stopped", by: "user" });
  expect(project.ran()).toStrictEqual([]);
});

describe("an abort while the turn is held", () => {
  test("at the start: nothing began", async () => {
    const { project, stop, gate, turn, records, told } = heldTurn([loadNotes]);
    await gate.holds();
    stop.abort("terminate");
    expect((await turn).outcome).toStrictEqual({ kind: "stopped", by: "terminate" });
    expect(records()).toStrictEqual(["turn", "abort", "end"]);
    expect(told()).toStrictEqual(["skill_call", "stopped", "result"]);
    expect(gate.signals.map(({ aborted }) => aborted)).toStrictEqual([true]);
    expect(project.ran()).toStrictEqual([]);
  });

  test("that came before the start: nothing began", async () => {
    const project = notesProject();
    const harness = createHarness({
      skills: { skills: [project.skill], diagnostics: [], python: null },
      backend: { id: "none", stream: () => Promise.reject(new Error("not asked")) as never },
      projectDir: project.projectDir,
      pause: () => new Promise(() => {}),
    });
    const journal = memoryJournal();
    const state = { ...newConversation(), question: "?" };
    const turn = await harness.run(state, { journal, signal: AbortSignal.abort("user") });
    expect(turn.outcome).toStrictEqual({ kind: "stopped", by: "user" });
    expect(journal.records.map(inShort)).toStrictEqual(["session", "turn", "abort", "end"]);
  });

  test("after an outcome: that is taken first, then the abort, and the script never starts", async () => {
    const { project, journal, stop, gate, turn, records, told, steps } = heldTurn([
      loadNotes,
      block(save),
    ]);
    await steps(3);
    stop.abort("user");
    const ended = await turn;
    await ticks();
    expect(records()).toStrictEqual([
      "turn",
      "outcome of skill_call",
      "outcome of tool_use",
      "outcome of tool_call",
      "abort",
      "end",
    ]);
    expect(told().slice(-4)).toStrictEqual(["ask tool_call", "tool_use", "stopped", "result"]);
    expect(project.ran()).toStrictEqual([]);
    expect(gate.signals.map(({ aborted }) => aborted)).toStrictEqual([true, true, true, true]);
    const folded = fold(journal.read());
    expect(folded.fault).toBeNull();
    expect(folded.turns[0]?.snapshot.context).toStrictEqual(ended);
    expect(folded.turns[0]?.steps.map(({ after }) => after.value)).toStrictEqual([
      "tool_use",
      "tool_call",
      "tool_use",
      "stopped",
    ]);
  });

  test("after the last outcome: the answer stands", async () => {
    const { stop, turn, records, steps } = heldTurn([nothing, raw("Hi.")]);
    await steps(2);
    stop.abort("user");
    expect((await turn).outcome).toMatchObject({ kind: "answered", text: "Hi." });
    expect(records()).toStrictEqual(["turn", "outcome of skill_call", "outcome of answer", "end"]);
  });

  test("after a crash: the crash is taken first, so that the journal is legal", async () => {
    const { journal, stop, gate, turn, records } = heldTurn({
      id: "broken",
      stream: () => {
        throw new TypeError("my bug");
      },
    });
    const rejected = turn.catch(String);
    await gate.holds();
    gate.step();
    await gate.holds();
    stop.abort("user");
    expect(await rejected).toBe("TypeError: my bug");
    await ticks();
    expect(records()).toStrictEqual(["turn", "crash of skill_call"]);
    expect(fold(journal.read()).fault).toBeNull();
  });
});

describe("a pause with a bug", () => {
  test.each([
    [1, ["turn"]],
    [4, ["turn", "outcome of skill_call", "outcome of tool_use", "outcome of tool_call"]],
  ])("at hold %d: no further actor begins, and the turn rejects with it", async (bad, written) => {
    let holds = 0;
    const { project, journal, turn, records } = heldTurn([loadNotes, block(save)], {
      pause: async () => {
        holds += 1;
        if (holds === bad) throw new RangeError("a bug of the pause");
      },
    });
    await expect(turn).rejects.toThrow(new RangeError("a bug of the pause"));
    await ticks();
    expect(holds).toBe(bad);
    expect(project.ran()).toStrictEqual([]);
    expect(records()).toStrictEqual(written);
    expect(fold(journal.read()).turns[0]?.snapshot.status).toBe("active");
  });

  test("after the last outcome: the turn rejects all the same", async () => {
    let holds = 0;
    const { turn } = heldTurn([nothing, raw("Hi.")], {
      pause: () => {
        holds += 1;
        if (holds === 3) throw new RangeError("a bug of the pause");
        return Promise.resolve();
      },
    });
    await expect(turn).rejects.toThrow("a bug of the pause");
  });
});
