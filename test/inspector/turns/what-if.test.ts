import { createHash } from "node:crypto";
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { codeblock } from "../../../src/contracts/codeblock.ts";
import type { Json } from "../../../src/contracts/call.ts";
import { fold } from "../../../src/journal/fold.ts";
import type { Remainder, StepView } from "../../../src/inspector/protocol.ts";
import { inspected, openPage, type TestPage } from "../../helpers/inspected.ts";
import { block, loadNotes, nothing, raw, read } from "../../helpers/notes.ts";

const replies = [loadNotes, block(read("plan")), nothing, raw("Buy milk.")];
const path = ["skill_call", "tool_use", "tool_call", "tool_use", "tool_call", "answer", "answered"];
const usage = { input_tokens: 1, output_tokens: 1, estimated: false };

/** What the model may say instead, as the outcome that its actor gives back. */
const calls = (...list: ReturnType<typeof read>[]): Json => ({
  kind: "calls",
  calls: list as unknown as Json,
  reply: "another",
  usage,
});
const answer = (text: string): Json => ({ kind: "text", text, reply: text, usage });
const result = (output: string): Json => ({
  kind: "result",
  effect: "read",
  observation: { output, exit_code: 0, signal: null, duration_ms: 1 },
});

/** A turn that has ended, kept in a file, and a page that looks at that file. */
async function recordedTurn(options: Parameters<typeof inspected>[1] = {}, script = replies) {
  const kit = inspected(script, options);
  await kit.run();
  const sum = () => createHash("sha256").update(kit.text()).digest("hex");
  const before = sum();
  const hub = kit.recorded();
  const page = openPage(hub);
  return { ...kit, hub, page, isSame: () => sum() === before };
}

const fork = (page: TestPage, step: number, output: Json, remainder: Remainder, run = 0) =>
  page.send({ type: "fork", run, step, output, remainder });

/** Who said what each step brought. */
const by = ({ runs }: TestPage, run: number) => runs[run]?.steps.map((step: StepView) => step.by);

describe("a what-if on a recorded turn", () => {
  test("takes the recorded rest as far as it fits, and ends in another way", async () => {
    const { page, isSame, load, sessions, project } = await recordedTurn();
    expect(page.states()).toEqual(path);
    fork(page, 4, result("Buy bread."), "recorded");
    await page.phase(1, "ended");
    expect(page.runs[1]).toMatchObject({
      id: 1,
      name: "what if 1",
      session: "fork-1",
      fork: { run: 0, step: 4 },
    });
    expect(page.states(1)).toEqual(path);
    expect(by(page, 1)).toEqual([null, null, null, null, "hand", "recording", "recording"]);
    expect(page.runs[1]?.steps[4]?.output).toEqual(result("Buy bread."));
    expect(page.runs[1]?.steps.slice(0, 4)).toEqual(page.runs[0]?.steps.slice(0, 4));
    // Nothing ran but the tool of the turn as it was.
    expect(project.ran()).toHaveLength(1);
    expect(isSame()).toBe(true);
    expect(sessions()).toEqual(["20261130-231500-a1b2c3.jsonl", "fork-1.jsonl"]);
    const kept = fold(load("fork-1"));
    expect(kept.fault).toBe(null);
    expect(kept.session).toMatchObject({ id: "fork-1", forked_from: "20261130-231500-a1b2c3" });
    expect(kept.turns[0]?.snapshot.value).toBe("answered");
  });

  test("asks for what nothing recorded fits, with drafts, and says why", async () => {
    const { page, isSame } = await recordedTurn();
    fork(page, 3, calls(read("shop")), "recorded");
    await page.phase(1, "by_hand");
    expect(page.status(1)?.why).toBe(
      'the next call is read_note {"title":"shop"}, but what was recorded next came from read_note {"title":"plan"}',
    );
    expect(page.status(1)).toMatchObject({ phase: "by_hand", state: "tool_use" });
    expect(page.status(1)?.drafts.map(({ name }) => name)).toContain("script failed");
    page.send({ type: "outcome", run: 1, output: { kind: "calls" }, remainder: "recorded" });
    expect(page.refusals.at(-1)).toContain('tool_use has no outcome "calls"');
    page.send({ type: "outcome", run: 1, output: result("Bread."), remainder: "hand" });
    await page.phase(1, "by_hand");
    expect(page.status(1)).toMatchObject({ state: "tool_call" });
    page.send({ type: "outcome", run: 1, output: calls(), remainder: "hand" });
    await page.phase(1, "by_hand");
    expect(page.status(1)).toMatchObject({ state: "answer" });
    page.send({ type: "outcome", run: 1, output: answer("Buy bread."), remainder: "hand" });
    await page.phase(1, "ended");
    expect(page.runs[1]?.steps.at(-1)).toMatchObject({ ended: "answered", by: "hand" });
    expect(isSame()).toBe(true);
  });

  test("of a model takes what it writes, and judges it as the model's own", async () => {
    const { page } = await recordedTurn();
    const written = (text: string) => ({ reply: text });
    fork(page, 3, written(`So:\n${codeblock.format([read("shop")])}`), "hand");
    await page.phase(1, "by_hand");
    expect(page.status(1)?.state).toBe("fail_recovery");
    expect(page.runs[1]?.steps[3]).toMatchObject({ title: "refused: text_outside", by: "hand" });
    page.send({ type: "outcome", run: 1, output: null, remainder: "hand" });
    await page.until(() => page.status(1)?.state === "tool_call");
    await page.phase(1, "by_hand");
    page.send({ type: "outcome", run: 1, output: written("Which one?"), remainder: "hand" });
    await page.until(() => page.status(1)?.state === "ask_user_question");
    expect(page.runs[1]?.steps.at(-1)?.output).toMatchObject({
      kind: "question",
      questions: ["Which one?"],
    });
  });

  test("goes on with a live model and the real tools", async () => {
    const forkReplies = [nothing, raw("There is nothing for the shop.")];
    const { page, project, load } = await recordedTurn({ forkReplies });
    fork(page, 3, calls(read("plan"), { name: "list_notes", input: {} }), "live");
    await page.phase(1, "ended");
    expect(page.states(1)).toEqual([...path.slice(0, 4), "tool_use", ...path.slice(4)]);
    expect(project.ran()).toEqual([
      'read_note ["--title=plan"]',
      'read_note ["--title=plan"]',
      "list_notes []",
    ]);
    expect(by(page, 1)).toEqual([null, null, null, "hand", null, null, null, null]);
    const [turn] = fold(load("fork-1")).turns;
    expect(turn?.snapshot.context.outcome).toMatchObject({
      text: "There is nothing for the shop.",
    });
  });

  test("hands the rest over to the recording, or to the model, at any time", async () => {
    const { page } = await recordedTurn({ forkReplies: [raw("Live.")] });
    fork(page, 4, result("Buy bread."), "hand");
    await page.phase(1, "by_hand");
    page.send({ type: "outcome", run: 1, output: calls(), remainder: "live" });
    await page.phase(1, "ended");
    expect(by(page, 1)?.slice(4)).toEqual(["hand", "hand", null]);
    fork(page, 3, calls(read("plan")), "hand");
    await page.phase(2, "by_hand");
    page.send({ type: "outcome", run: 2, output: result("Buy bread."), remainder: "recorded" });
    await page.phase(2, "ended");
    expect(by(page, 2)?.slice(3)).toEqual(["hand", "hand", "recording", "recording"]);
    expect(page.refusals).toEqual([]);
  });

  test("of a what-if leaves that one as it is", async () => {
    const { page, load, isSame, folder } = await recordedTurn();
    fork(page, 4, result("Buy bread."), "recorded");
    await page.phase(1, "ended");
    const first = readFileSync(join(folder, "fork-1.jsonl"));
    fork(page, 6, answer("Buy both."), "recorded", 1);
    await page.phase(2, "ended");
    expect(page.runs[2]).toMatchObject({ fork: { run: 1, step: 6 }, session: "fork-2" });
    expect(by(page, 2)).toEqual([null, null, null, null, "hand", "recording", "hand"]);
    expect(readFileSync(join(folder, "fork-1.jsonl")).equals(first)).toBe(true);
    const { session, turns } = fold(load("fork-2"));
    expect(session?.forked_from).toBe("fork-1");
    expect(turns[0]?.snapshot.context.outcome).toMatchObject({ text: "Buy both." });
    expect(isSame()).toBe(true);
  });

  test("may be one of several at once", async () => {
    const { page, sessions } = await recordedTurn();
    fork(page, 4, result("Buy bread."), "hand");
    fork(page, 6, answer("Buy nothing."), "recorded");
    fork(page, 4, result("Buy salt."), "hand");
    await page.phase(1, "by_hand", "ended");
    await page.phase(2, "by_hand", "ended");
    await page.phase(3, "by_hand", "ended");
    const phases = page.runs
      .slice(1)
      .map(({ id, fork: at }) => `${at?.step} ${page.status(id)?.phase}`);
    expect(phases.toSorted((a, b) => (a < b ? -1 : 1))).toEqual([
      "4 by_hand",
      "4 by_hand",
      "6 ended",
    ]);
    expect(sessions()).toHaveLength(4);
  });

  test("that cannot be is refused before anything begins", async () => {
    const { page, sessions } = await recordedTurn();
    fork(page, 4, { kind: "reslt" }, "recorded");
    fork(page, 4, { kind: "result", effect: "read", observation: null }, "recorded");
    fork(page, 0, calls(), "recorded");
    fork(page, 40, calls(), "recorded");
    fork(page, 4, calls(), "recorded", 9);
    expect(page.refusals).toEqual([
      'tool_use has no outcome "reslt"',
      expect.stringContaining('tool_use, "result": "observation" has to be'),
      "no what-if can begin at this step: choose one in which an actor gave something back",
      "no what-if can begin at this step: choose one in which an actor gave something back",
      "there is no run 9: load the page again",
    ]);
    expect(page.runs).toHaveLength(1);
    expect(sessions()).toHaveLength(1);
  });

  test("that lacks a skill here is refused, and leaves no session", async () => {
    const { page, sessions } = await recordedTurn({
      hub: {
        optionsOf: () =>
          Promise.resolve({
            skills: { skills: [], diagnostics: [], python: null },
            backend: {
              id: "none",
              stream: () => Promise.reject(new Error("never asked")) as never,
            },
            projectDir: ".",
          }),
      },
    });
    fork(page, 4, result("Buy bread."), "recorded");
    await page.until(() => page.refusals.length > 0);
    expect(page.refusals).toEqual([
      "the turn uses the skill notes, which is not here: name its folder with --skills",
    ]);
    expect(page.runs).toHaveLength(1);
    expect(sessions()).toHaveLength(1);
  });

  test("is stopped, held and stepped like any turn", async () => {
    const { page } = await recordedTurn();
    fork(page, 3, calls(read("plan")), "hand");
    await page.phase(1, "by_hand");
    page.send({ type: "breakpoints", run: 1, breakpoints: ["every"] });
    page.send({ type: "outcome", run: 1, output: result("Bread."), remainder: "hand" });
    await page.phase(1, "held");
    expect(page.states(1)).toEqual(path.slice(0, 4));
    page.send({ type: "stop", run: 1 });
    await page.phase(1, "ended");
    expect(page.states(1)).toEqual([...path.slice(0, 4), "tool_call", "stopped"]);
  });

  test("ends with its hub", async () => {
    const { page, hub, load } = await recordedTurn();
    fork(page, 4, result("Buy bread."), "hand");
    await page.phase(1, "by_hand");
    await hub.close();
    expect(page.status(1)?.phase).toBe("ended");
    expect(fold(load("fork-1")).turns[0]?.snapshot.value).toBe("stopped");
  });

  test("asks the page, since nobody else would know of it", async () => {
    const forkReplies = [nothing, raw("Asked.")];
    const { page } = await recordedTurn({ forkReplies });
    const question: Json = { kind: "question", questions: ["Which?"], reply: "Which?", usage };
    fork(page, 3, question, "live");
    await page.phase(1, "asking");
    expect(page.status(1)?.question).toEqual({ kind: "open", text: "Which?" });
    page.send({ type: "answer", run: 1, text: "plan" });
    await page.phase(1, "ended");
    expect(page.titles(1)).toContain("reply: plan");
  });

  test("waits for itself where no wait was recorded, and asks for what comes then", async () => {
    const { page } = await recordedTurn();
    const refused: Json = {
      kind: "refused",
      problem: { code: "empty" },
      example: null,
      reply: "",
      usage,
    };
    fork(page, 5, refused, "recorded");
    await page.phase(1, "by_hand");
    expect(page.states(1).slice(4)).toEqual(["tool_call", "fail_recovery", "tool_call"]);
    expect(page.status(1)?.why).toBe(
      "tool_call is at work, but what was recorded next came from answer",
    );
  });

  test("passes over a recorded wait that is not needed any more", async () => {
    const { page } = await recordedTurn({}, [loadNotes, raw("```json\n{"), ...replies.slice(1)]);
    expect(page.states().slice(2, 5)).toEqual(["tool_call", "fail_recovery", "tool_call"]);
    fork(page, 3, calls(), "recorded");
    await page.phase(1, "by_hand");
    expect(page.status(1)?.state).toBe("answer");
    expect(page.status(1)?.why).toBe(
      "answer is at work, but what was recorded next came from tool_call",
    );
  });
});

describe("a what-if on a live turn", () => {
  test("runs beside it while it is held", async () => {
    const { hub, run, load } = inspected(replies, { breakpoints: ["answer"] });
    const page = openPage(hub);
    const turn = run();
    await page.held();
    fork(page, 4, result("Buy bread."), "hand");
    await page.phase(1, "by_hand");
    expect(page.status()?.phase).toBe("held");
    page.send({ type: "go", run: 0 });
    expect((await turn).outcome).toMatchObject({ text: "Buy milk." });
    expect(page.status(1)?.phase).toBe("by_hand");
    page.send({ type: "outcome", run: 1, output: calls(), remainder: "hand" });
    await page.phase(1, "by_hand");
    page.send({ type: "outcome", run: 1, output: answer("Buy bread."), remainder: "hand" });
    await page.phase(1, "ended");
    expect(fold(load("fork-1")).turns[0]?.snapshot.context.outcome).toMatchObject({
      text: "Buy bread.",
    });
  });

  test("is kept nowhere where the turn is not", async () => {
    const { hub, run, sessions } = inspected(replies, { isKept: false });
    const page = openPage(hub);
    await run();
    fork(page, 4, result("Buy bread."), "hand");
    await page.phase(1, "by_hand");
    expect(page.runs[1]?.session).toBe(null);
    expect(sessions()).toEqual([]);
    expect(page.refusals).toEqual([]);
  });

  test("is kept in memory where nothing can be written, and says so", async () => {
    const kit = await recordedTurn();
    const file = join(kit.folder, "no-folder");
    writeFileSync(file, "");
    const page = openPage(kit.recorded({ folder: file }));
    fork(page, 4, result("Buy bread."), "recorded");
    await page.phase(1, "ended", "by_hand");
    expect(page.runs[1]?.session).toBe(null);
    expect(page.runs[1]?.steps.at(-1)?.ended).toBe("answered");
    expect(page.refusals).toEqual([
      expect.stringMatching(/^this what-if is kept in memory only: .*no-folder/),
    ]);
  });

  test("makes the folder of sessions where there is none yet", async () => {
    const kit = await recordedTurn();
    const home = join(kit.folder, "home");
    mkdirSync(home);
    chmodSync(home, 0o700);
    const page = openPage(kit.recorded({ folder: join(home, "sessions") }));
    fork(page, 4, result("Buy bread."), "recorded");
    await page.phase(1, "ended");
    expect(page.runs[1]?.session).toBe("fork-1");
    expect(readFileSync(join(home, "sessions/fork-1.jsonl"), "utf8")).toContain("Buy bread.");
  });
});
