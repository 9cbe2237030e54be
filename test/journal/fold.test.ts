import { describe, expect, test } from "vitest";
import { checksum } from "../../src/journal/checksum.ts";
import { emptyFold, extend, fold } from "../../src/journal/fold.ts";
import { createHarness, newConversation } from "../../src/harness.ts";
import { createScriptedBackend, type ScriptedReply } from "../../src/backends/scripted.ts";
import { memoryJournal } from "../helpers/journal.ts";
import { block, loadNotes, notesProject, nothing, raw, read } from "../helpers/notes.ts";

const save = { name: "save_note", input: { title: "a", text: "b" } };

function harnessOn(replies: readonly ScriptedReply[], project = notesProject(), given = {}) {
  return createHarness({
    skills: { skills: [project.skill], diagnostics: [], python: null },
    backend: createScriptedBackend(replies),
    projectDir: project.projectDir,
    nonce: () => "n0nce",
    ...given,
  });
}
const state = { ...newConversation(), question: "What is in the plan note?" };

describe("a turn that was journalled", () => {
  test("folds to the very turn that ran", async () => {
    const journal = memoryJournal();
    const replies = [loadNotes, raw("nonsense"), block(read("plan")), nothing, raw("Buy milk.")];
    const turn = await harnessOn(replies).run(state, { journal });
    const folded = fold(journal.read());
    expect(folded.fault).toBeNull();
    expect(folded.turns).toHaveLength(1);
    expect(folded.turns[0]?.snapshot.context).toStrictEqual(turn);
    expect(JSON.stringify(folded.turns[0]?.snapshot.context)).toBe(JSON.stringify(turn));
    expect(folded.turns[0]?.end).toMatchObject({
      state: "answered",
      digest: checksum(JSON.stringify(turn)),
    });
    expect(journal.records.map(({ type }) => type)).toStrictEqual([
      "session",
      "turn",
      "outcome",
      "outcome",
      "outcome",
      "outcome",
      "outcome",
      "intent",
      "outcome",
      "outcome",
      "outcome",
      "end",
    ]);
  });

  test("cut off after any record goes on, and runs no effect twice", async () => {
    const journal = memoryJournal();
    const replies = [loadNotes, block(save), nothing, raw("Saved.")];
    await harnessOn(replies).run(state, { journal });
    const all = [...journal.records];
    const ended: string[] = [];
    for (let kept = 2; kept < all.length; kept++) {
      const project = notesProject();
      const again = memoryJournal();
      again.records.push(...all.slice(1, kept));
      const cut = fold(again.read()).turns[0];
      if (!cut) throw new Error("no turn");
      if (cut.snapshot.status === "done") continue;
      // The model is asked again only for what it has not answered yet.
      const answered = all
        .slice(1, kept)
        .filter(
          (record) => record.type === "outcome" && "output" in record && "usage" in record.output,
        );
      const rest = replies.slice(answered.length);
      const turn = await harnessOn(rest, project).resume(cut, { journal: again });
      const folded = fold(again.read());
      expect(folded.fault).toBeNull();
      expect(folded.turns[0]?.snapshot.context).toStrictEqual(turn);
      const unknown = turn.log.some(
        (entry) => "problem" in entry && entry.problem.code === "interrupted",
      );
      ended.push(
        `${kept}: ${turn.outcome?.kind}, ran ${project.ran().length}${unknown ? ", unknown" : ""}`,
      );
    }
    expect(ended).toStrictEqual([
      "2: answered, ran 1",
      "3: answered, ran 1",
      "4: answered, ran 1",
      "5: answered, ran 1",
      "6: answered, ran 0, unknown",
      "7: answered, ran 0",
      "8: answered, ran 0",
    ]);
  });
});

describe("records that are added one by one", () => {
  const records = async () => {
    const journal = memoryJournal();
    const replies = [loadNotes, block(read("plan")), nothing, raw("Buy milk.")];
    await harnessOn(replies).run(state, { journal });
    return journal.read().records;
  };

  test("make the same session as all at once, and each step holds the record it stands for", async () => {
    const all = await records();
    const folded = emptyFold();
    expect(folded).toStrictEqual({ session: null, turns: [], fault: null });
    const states = all.map((record) => {
      expect(extend(folded, record)).toBeNull();
      return folded.turns[0]?.snapshot.value;
    });
    expect(states).toStrictEqual([
      undefined,
      "skill_call",
      "tool_use",
      "tool_call",
      "tool_use",
      "tool_use",
      "tool_call",
      "answer",
      "answered",
      "answered",
    ]);
    const whole = fold({ records: all, fault: null });
    expect(JSON.stringify(folded.turns[0]?.snapshot)).toBe(
      JSON.stringify(whole.turns[0]?.snapshot),
    );
    expect(folded.turns[0]?.steps.map(({ record }) => record)).toStrictEqual(
      all.filter(({ type }) => type === "outcome"),
    );
  });

  test("that cannot stand there change nothing, and nothing comes after them", async () => {
    const [session, turn, routed, loaded] = await records();
    if (!session || !turn || !routed || !loaded) throw new Error("no records");
    const folded = emptyFold();
    extend(folded, session);
    extend(folded, turn);
    const why = "something came from tool_use, but the turn is in skill_call";
    expect(extend(folded, loaded)).toStrictEqual({ line: 4, why });
    expect(folded.turns[0]?.steps).toStrictEqual([]);
    expect(extend(folded, routed)).toStrictEqual({ line: 4, why });
    expect(folded.turns[0]?.snapshot.value).toBe("skill_call");
  });

  test("may say who stood in for an actor, but only by a word that is known", async () => {
    const [session, turn, routed] = await records();
    if (!session || !turn || !routed) throw new Error("no records");
    const faultOf = (by: unknown) =>
      fold({ records: [session, turn, { ...routed, by } as typeof routed], fault: null }).fault
        ?.why;
    expect([undefined, "hand", "recording"].map(faultOf)).toStrictEqual([
      undefined,
      undefined,
      undefined,
    ]);
    expect(["me", "", null, 1, { toString: 1 }].map(faultOf)).toStrictEqual([
      'nobody called "me" stands in for an actor',
      'nobody called "" stands in for an actor',
      'nobody called "null" stands in for an actor',
      'nobody called "1" stands in for an actor',
      "the machine cannot read this: Cannot convert object to primitive value",
    ]);
  });
});
