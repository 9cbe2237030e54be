import { describe, expect, test } from "vitest";
import type { Asker } from "../../../src/actors/ask-user.ts";
import { fold } from "../../../src/journal/fold.ts";
import { block, loadNotes, nothing, raw, read } from "../../helpers/notes.ts";
import { inspected, openPage } from "../../helpers/inspected.ts";

const replies = [loadNotes, block(read("plan")), nothing, raw("Buy milk.")];
const asking = [
  loadNotes,
  block({ name: "ask_user_question", input: { question: "Which one?" } }),
  nothing,
  raw("That one."),
];
const deleting = [
  loadNotes,
  block({ name: "delete_note", input: { title: "plan" } }),
  nothing,
  raw("Done."),
];
const path = ["skill_call", "tool_use", "tool_call", "tool_use", "tool_call", "answer", "answered"];

describe("a page of a live turn", () => {
  test("sees each step as the turn takes it, and its end", async () => {
    const { hub, run } = inspected(replies);
    const page = openPage(hub);
    await run();
    expect(page.heard[0]).toMatchObject({
      type: "hello",
      can_control: true,
      can_fork: true,
      recording: { source: "live", title: "What is in the plan note?", prompts: null },
    });
    expect(page.states()).toEqual(path);
    expect(page.runs).toMatchObject([
      { id: 0, name: "as it was", session: "20261130-231500-a1b2c3", fork: null },
    ]);
    expect(page.status()).toMatchObject({ phase: "ended", state: "answered", next: null });
    expect(page.runs[0]?.steps.at(-1)?.ended).toBe("answered");
    expect(page.runs[0]?.steps.map(({ line }) => line)).toEqual([2, 3, 4, 5, 7, 8, 9]);
  });

  test("that comes late sees the same", async () => {
    const { hub, run } = inspected(replies);
    const early = openPage(hub);
    await run();
    const late = openPage(hub);
    expect(late.runs).toEqual(early.runs);
    expect(late.status()).toEqual(early.status());
  });

  test("sees what the file will show", async () => {
    const { hub, run, recorded } = inspected(replies);
    const live = openPage(hub);
    await run();
    const again = openPage(recorded());
    // Two clocks are read: one for the file, one for the page.
    const without = (steps: { at: number }[] = []) => steps.map((step) => ({ ...step, at: 0 }));
    expect(without(again.runs[0]?.steps)).toEqual(without(live.runs[0]?.steps));
    expect(again.status()).toBe(undefined);
    again.send({ type: "step", run: 0 });
    expect(again.refusals).toEqual(["nobody is at work on this run"]);
  });

  test("that is kept nowhere has no session and no lines", async () => {
    const { hub, run, sessions } = inspected(replies, { isKept: false });
    const page = openPage(hub);
    await run();
    expect(page.runs[0]?.session).toBe(null);
    expect(page.states()).toEqual(path);
    expect(new Set(page.runs[0]?.steps.map(({ line }) => line))).toEqual(new Set([null]));
    expect(sessions()).toEqual([]);
  });

  test("never sees a secret", async () => {
    const secret = "hunter2hunter2";
    const { hub, run } = inspected([nothing, raw(`It is ${secret}.`)], { secrets: [secret] });
    const page = openPage(hub);
    expect(await run(`What is ${secret}?`)).toMatchObject({ outcome: { kind: "answered" } });
    const prompt = await page.prompt(0);
    expect(prompt?.messages.at(-1)?.text).toContain("[redacted:1]");
    expect(prompt?.note).toBe("what was secret is left out");
    expect(JSON.stringify(page.heard)).not.toContain(secret);
  });

  test("is told the worst that remains, once it is proved", async () => {
    const { hub, run } = inspected(replies);
    const page = openPage(hub);
    await run();
    await page.until(() => page.heard.some(({ type }) => type === "remaining"));
    const told = page.heard.find((message) => message.type === "remaining");
    expect(told?.values.map(([step]) => step)).toEqual([0, 1, 2, 3, 4, 5, 6]);
    expect(told?.values.at(-1)?.[1]).toEqual({ model_calls: 0, tool_runs: 0, questions: 0 });
    expect(openPage(hub).runs[0]?.steps[6]?.remaining).toEqual({
      model_calls: 0,
      tool_runs: 0,
      questions: 0,
    });
  });
});

describe("a held turn", () => {
  test("waits before every transition, and takes one at a time", async () => {
    const { hub, run, project } = inspected(replies, { breakpoints: ["every"] });
    const page = openPage(hub);
    const turn = run();
    await page.held();
    expect(page.status()).toMatchObject({ phase: "held", state: "skill_call", next: null });
    expect(page.states()).toEqual(["skill_call"]);
    for (let step = 1; step < path.length; step++) {
      await page.step();
      // What comes next is told, but not taken: the page has one step for each that was.
      expect(page.states()).toEqual(path.slice(0, step));
      expect(page.status()).toMatchObject({
        phase: "held",
        state: path[step - 1],
        next: { to: [`turn.${path[step]}`] },
      });
      expect(project.ran()).toHaveLength(step >= 4 ? 1 : 0);
    }
    await page.step();
    expect(page.status()?.phase).toBe("ended");
    expect(page.states()).toEqual(path);
    expect(await turn).toMatchObject({ outcome: { kind: "answered", text: "Buy milk." } });
  });

  test("is shown to a page that comes while it waits", async () => {
    const { hub, run } = inspected(replies, { breakpoints: ["tool"] });
    const turn = run();
    const first = openPage(hub);
    await first.held();
    const second = openPage(hub);
    expect(second.states()).toEqual(["skill_call"]);
    expect(second.status()).toEqual(first.status());
    second.send({ type: "breakpoints", run: 0, breakpoints: [] });
    expect(first.status()).toMatchObject({ phase: "held", breakpoints: [], state: "skill_call" });
    second.send({ type: "go", run: 0 });
    await turn;
    expect(first.states()).toEqual(path);
  });

  test.each([
    ["tool", replies, ["tool_use", "tool_use"]],
    ["answer", replies, ["answer"]],
    ["error", [raw("```json\n{"), ...replies], ["fail_recovery"]],
  ])("at %s only", async (breakpoint, script, expected) => {
    const { hub, run } = inspected(script, { breakpoints: [breakpoint] });
    const page = openPage(hub);
    const turn = run();
    const heldAt: string[] = [];
    while ((await page.held()) !== "ended") {
      heldAt.push(page.status()?.next?.to[0]?.replace("turn.", "") ?? "");
      page.send({ type: "go", run: 0 });
      await page.phase(0, "working", "ended");
    }
    await turn;
    expect(heldAt).toEqual(expected);
  });

  test("goes on to a state", async () => {
    const { hub, run } = inspected(replies, { breakpoints: ["start"] });
    const page = openPage(hub);
    const turn = run();
    await page.held();
    page.send({ type: "go_to", run: 0, state: "anser" });
    expect(page.refusals).toEqual(['no state is called "anser"; did you mean answer?']);
    page.send({ type: "go_to", run: 0, state: "answer" });
    await page.phase(0, "working");
    await page.held();
    expect(page.states()).toEqual(path.slice(0, 5));
    page.send({ type: "go", run: 0 });
    await turn;
  });

  test("is stopped by an abort, and takes what had come", async () => {
    const stop = new AbortController();
    const { hub, run, text } = inspected(replies, { breakpoints: ["tool"], signal: stop.signal });
    const page = openPage(hub);
    const turn = run();
    await page.held();
    stop.abort("terminate");
    expect(await turn).toMatchObject({ outcome: { kind: "stopped", by: "terminate" } });
    expect(page.states()).toEqual(["skill_call", "tool_use", "stopped"]);
    expect(page.status()?.phase).toBe("ended");
    expect(text()).toContain('"type":"abort"');
  });

  test("is stopped by the page", async () => {
    const { hub, run } = inspected(replies, { breakpoints: ["start"] });
    const page = openPage(hub);
    const turn = run();
    await page.held();
    page.send({ type: "stop", run: 0 });
    expect(await turn).toMatchObject({ outcome: { kind: "stopped", by: "user" } });
    page.send({ type: "stop", run: 0 });
    expect(page.refusals).toEqual(["this run has ended"]);
  });

  test("tells when it waits and when it goes on, for whoever counts the time", async () => {
    const told: boolean[] = [];
    const { hub, run } = inspected(replies, {
      breakpoints: ["start"],
      onHold: (isHeld) => told.push(isHeld),
    });
    const page = openPage(hub);
    const turn = run();
    await page.held();
    expect(told).toEqual([true]);
    page.send({ type: "go", run: 0 });
    await turn;
    expect(told).toEqual([true, false]);
  });

  test("does not wait for a page that nobody expects, nor for one that has left for good", async () => {
    const alone = inspected(replies, { breakpoints: ["every"], isPageComing: false });
    expect((await alone.run()).outcome?.kind).toBe("answered");
    const left = inspected(replies, { breakpoints: ["every"] });
    const page = openPage(left.hub);
    const turn = left.run();
    await page.held();
    page.leave();
    left.hub.leftAlone();
    expect((await turn).outcome?.kind).toBe("answered");
  });
});

/** Somebody at a terminal who says this once they are asked, or never; `withdrawn` tells whether the question was taken back. */
function person(reply: "no_reply" | null) {
  const state = { asked: 0, withdrawn: 0 };
  const asker: Asker = {
    close: () => {},
    ask: (_input, signal) => {
      state.asked += 1;
      if (reply !== null) return Promise.resolve({ kind: reply });
      return new Promise((_resolve, reject) => {
        signal.addEventListener("abort", () => {
          state.withdrawn += 1;
          reject(signal.reason);
        });
      });
    },
  };
  return { asker, state };
}

describe("a question", () => {
  test("is answered by the page and withdrawn from the terminal", async () => {
    const { asker, state } = person(null);
    const { hub, run } = inspected(asking, { asker });
    const page = openPage(hub);
    const turn = run();
    await page.phase(0, "asking");
    expect(page.status()).toMatchObject({
      state: "ask_user_question",
      question: { kind: "open", text: "Which one?" },
    });
    page.send({ type: "answer", run: 0, text: "  " });
    expect(page.refusals).toEqual(["the reply is empty"]);
    page.send({ type: "answer", run: 0, text: " the plan " });
    expect(await turn).toMatchObject({
      outcome: { kind: "answered", text: "That one." },
    });
    expect(page.titles()).toContain("reply: the plan");
    expect(state).toEqual({ asked: 1, withdrawn: 1 });
    page.send({ type: "answer", run: 0, text: "again" });
    expect(page.refusals.at(-1)).toBe("this run has ended");
  });

  test("before a destructive call takes yes or no", async () => {
    const { hub, run, project } = inspected(deleting, { asker: person("no_reply").asker });
    const page = openPage(hub);
    const turn = run();
    await page.phase(0, "asking");
    expect(page.status()?.question?.kind).toBe("confirm");
    page.send({ type: "answer", run: 0, text: "maybe" });
    expect(page.refusals).toEqual(["answer with yes or no"]);
    page.send({ type: "answer", run: 0, text: "Yes" });
    expect((await turn).outcome?.kind).toBe("answered");
    expect(project.ran()).toEqual(['delete_note ["--title=plan"]']);
  });

  test("that a person at the terminal answers is withdrawn from the page", async () => {
    const asker: Asker = {
      close: () => {},
      ask: () => Promise.resolve({ kind: "reply", text: "the shop" }),
    };
    const { hub, run } = inspected(asking, { asker });
    const page = openPage(hub);
    expect((await run()).outcome?.kind).toBe("answered");
    expect(page.titles()).toContain("reply: the shop");
    expect(page.status()?.question).toBe(null);
  });

  test("that nobody can answer ends the turn as without a page", async () => {
    const nobodyThere = { asker: person("no_reply").asker };
    const alone = inspected(asking, { ...nobodyThere, isPageComing: false });
    expect((await alone.run()).outcome?.kind).toBe("needs_input");
    const left = inspected(asking, nobodyThere);
    const page = openPage(left.hub);
    const turn = left.run();
    await page.phase(0, "asking");
    page.leave();
    left.hub.leftAlone();
    expect((await turn).outcome?.kind).toBe("needs_input");
  });

  test("is withdrawn when the turn is stopped", async () => {
    const stop = new AbortController();
    const { hub, run } = inspected(asking, { signal: stop.signal, ...person("no_reply") });
    const page = openPage(hub);
    const turn = run();
    await page.phase(0, "asking");
    stop.abort("user");
    expect((await turn).outcome).toEqual({ kind: "stopped", by: "user" });
    expect(page.status()).toMatchObject({ phase: "ended", question: null });
  });
});

describe("a prompt", () => {
  test("is the one that was sent", async () => {
    const { hub, run } = inspected(replies);
    const page = openPage(hub);
    await run();
    const prompt = await page.prompt(2);
    expect(prompt?.note).toBe("");
    expect(prompt?.messages.at(-1)?.text).toContain("read_note");
    expect(await page.prompt(1)).toBe(null);
    expect(await page.prompt(99)).toBe(null);
  });

  test("says which skill is another now, and which is gone", async () => {
    const { run, recorded, project } = inspected(replies);
    await run();
    const options = { projectDir: project.projectDir, backend: neverAsked, nonce: () => "n0nce" };
    const changed = { ...project.skill, instructions: "Two notes at a time." };
    const withSkills = (skills: (typeof changed)[]) =>
      openPage(
        recorded({
          promptOptionsOf: () =>
            Promise.resolve({ ...options, skills: { skills, diagnostics: [], python: null } }),
        }),
      );
    const other = await withSkills([changed]).prompt(2);
    expect(other?.note).toBe("the skill notes has changed since");
    expect(JSON.stringify(other?.messages)).toContain("Two notes at a time.");
    const gone = await withSkills([]).prompt(2);
    expect(gone?.note).toContain("the skill notes is not here");
  });

  test("that cannot be written says why", async () => {
    const { run, recorded } = inspected(replies);
    await run();
    const promptOptionsOf = () => Promise.reject(new Error("no such folder"));
    const page = openPage(recorded({ promptOptionsOf }));
    expect(await page.prompt(0)).toEqual({
      system: "",
      messages: [],
      note: "the prompt cannot be written: no such folder",
    });
  });
});

const neverAsked = {
  id: "none",
  stream: () => {
    throw new Error("a prompt asks no model");
  },
};

describe("a journal", () => {
  test("with an illegal line is shown up to it", async () => {
    const { run, recorded, load } = inspected(replies);
    await run();
    const { records } = load("20261130-231500-a1b2c3");
    const [third, fourth] = [records[3], records[4]];
    if (!third || !fourth) throw new Error("the journal is too short");
    const hub = recorded({ records: [...records.slice(0, 3), fourth, third] });
    expect(hub.fault).toMatchObject({ line: 5 });
    expect(hub.title).toBe("session.jsonl (only up to line 5)");
    expect(openPage(hub).states()).toEqual(["skill_call", "tool_use"]);
  });

  test("is given to an export with its prompts and what was proved", async () => {
    const { run, recorded } = inspected(replies);
    await run();
    const { recording, promptOf } = await recorded().export();
    expect(recording.runs[0]?.steps).toHaveLength(7);
    expect(recording.runs[0]?.steps.every(({ remaining }) => remaining !== null)).toBe(true);
    expect(promptOf(0, 0)?.messages.at(-1)?.role).toBe("user");
    expect(promptOf(0, 1)).toBe(null);
    expect(promptOf(7, 0)).toBe(null);
  });

  test("is told to receivers of Stately's protocol, and so is what comes", async () => {
    const { hub, run, recorded, load } = inspected(replies);
    const live: object[] = [];
    const receiver = hub.connectReceiver((event) => live.push(event));
    await run();
    receiver.leave();
    const again: object[] = [];
    recorded().connectReceiver((event) => again.push(event));
    const types = (events: object[]) => events.map((event) => ("type" in event ? event.type : ""));
    expect(types(again)).toEqual([
      "@xstate.actor",
      "@xstate.snapshot",
      ...Array.from({ length: 6 }, () => ["@xstate.event", "@xstate.snapshot"]).flat(),
    ]);
    expect(types(live)).toEqual(types(again));
    expect(fold(load("20261130-231500-a1b2c3")).fault).toBe(null);
  });
});
