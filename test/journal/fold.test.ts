import { describe, expect, test } from "vitest";
import { checksum } from "../../src/journal/checksum.ts";
import { fold } from "../../src/journal/fold.ts";
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
