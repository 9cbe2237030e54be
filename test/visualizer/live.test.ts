import { existsSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { browserNeeded, closeBrowser, openPage } from "../helpers/browser.ts";
import { MODEL, notesFolder, QUESTION, startInspector } from "./inspecting.ts";
import { faultsOf, lit, state, titles } from "./looking.ts";

afterAll(closeBrowser);

describe.skipIf(browserNeeded.missing)(`a live turn in the page${browserNeeded.note}`, () => {
  test("is stepped through, with a refusal, a tool and a question, to its end, and back", async () => {
    const cwd = notesFolder();
    const { running, url } = await startInspector([QUESTION, ...MODEL], { cwd });
    const { page, complaints, strays } = await openPage(url);
    const step = page.getByRole("button", { name: "Step", exact: true });

    // Held before the first actor begins: nothing has been asked of the model yet.
    await page.getByText("held before the first step").waitFor();
    expect(await lit(page, "is-active")).toStrictEqual(["turn.skill_call"]);

    await step.click();
    await page.getByText("held before tool_use").waitFor();
    expect(await lit(page, "is-next")).toStrictEqual(["wants_calls → tool_use"]);
    await step.click();
    await page.getByText("held before tool_call").waitFor();
    await step.click();
    await page.getByText("held before fail_recovery").waitFor();
    expect(await lit(page, "is-next")).toStrictEqual(["is_refused → fail_recovery"]);
    expect(await lit(page, "is-refused")).toStrictEqual([
      "asks → ask_user_question",
      "max_asks → answer",
      "wants_nothing → answer",
      "wants_only_repeats → answer",
      "goes_round → answer",
      "wants_calls → tool_use",
      "max_steps → answer",
      "answer_given_up → fallback",
      "no_progress → answer",
      "max_retries → answer",
    ]);

    await page.getByLabel("State to run to").selectOption("ask_user_question");
    await page.getByRole("button", { name: "Run to" }).click();
    await page.getByText("held before ask_user_question").waitFor();
    expect(existsSync(join(cwd, "old.txt"))).toBe(true);
    await page.keyboard.press("r");

    const question = page.getByRole("region", { name: "Question" });
    await question.getByText("This changes or deletes what is there. Run it?").waitFor();
    expect(existsSync(join(cwd, "old.txt"))).toBe(true);
    await question.getByRole("button", { name: "Yes" }).click();

    await page.getByText("ended: answered").first().waitFor();
    expect(existsSync(join(cwd, "old.txt"))).toBe(false);
    expect(await state(page)).toStrictEqual(["turn.answered"]);
    expect(await titles(page)).toStrictEqual([
      QUESTION,
      "load_skill file-ops",
      "load_skill file-ops",
      "refused: text_outside",
      "no wait",
      'read_file {"path":"notes.txt"}',
      'read_file {"path":"notes.txt"}',
      'delete_file {"path":"old.txt"}',
      `needs a yes: delete_file {"path":"old.txt"}`,
      "reply: yes",
      'delete_file {"path":"old.txt"}',
      "no calls: ready to answer",
      "answer",
    ]);

    await page.keyboard.press("Home");
    await expect.poll(() => state(page)).toStrictEqual(["turn.skill_call"]);
    for (const expected of ["tool_use", "tool_call", "fail_recovery", "tool_call"]) {
      await page.keyboard.press("ArrowRight");
      await expect.poll(() => state(page)).toStrictEqual([`turn.${expected}`]);
    }
    await page.keyboard.press("End");
    await expect.poll(() => state(page)).toStrictEqual(["turn.answered"]);
    expect(await faultsOf(page)).toStrictEqual([]);
    expect([complaints, strays]).toStrictEqual([[], []]);

    await page.close();
    const { exitCode, stdout } = await running;
    expect([exitCode, stdout]).toStrictEqual([
      0,
      "Your notes say: buy milk. The old file is gone.\n",
    ]);
  });

  test("a page shows what was refused, the prompt that was sent, and the context", async () => {
    const cwd = notesFolder();
    const { url } = await startInspector([QUESTION, ...MODEL, "--break", "tool"], { cwd });
    const { page, complaints } = await openPage(url);
    for (let runs = 0; runs < 2; runs++) {
      await page.getByText("held before tool_use").waitFor();
      await page.getByRole("button", { name: "Run", exact: true }).click();
    }
    await page.getByText("refused: text_outside").first().click();
    await page.getByText("Refused because").waitFor();
    expect(await page.locator(".step-panel").textContent()).toContain("Sure, I will read it.");
    await page.getByRole("tab", { name: "Prompt" }).click();
    await page.getByText("Prompt sent").waitFor();
    expect(await page.locator(".prompt-panel").textContent()).toContain(QUESTION);
    await page.getByRole("tab", { name: "Context" }).click();
    expect(await page.locator(".context-panel").textContent()).toContain("mistakes");
    expect(await faultsOf(page)).toStrictEqual([]);
    expect(complaints).toStrictEqual([]);
  });

  test("words of a model are words on the page, whatever they look like", async () => {
    const hostile = `<img src=x onerror="window.hacked=1"></script><script>window.hacked=1</script>`;
    const cwd = notesFolder(`${JSON.stringify({ text: hostile })}\n`.repeat(8));
    const { url } = await startInspector([hostile, ...MODEL, "--break", "none"], { cwd });
    const { page, complaints } = await openPage(url);
    await page
      .getByText(/^ended/)
      .first()
      .waitFor();
    expect(await page.locator("h1").textContent()).toBe(hostile);
    expect(await page.evaluate(() => "hacked" in window)).toBe(false);
    expect(await page.locator("img").count()).toBe(0);
    expect(complaints).toStrictEqual([]);
  });

  test("a page that loads again, and a second one, see the same; Stop ends the turn", async () => {
    const cwd = notesFolder();
    const { running, url } = await startInspector([QUESTION, ...MODEL], { cwd });
    const first = await openPage(url);
    await first.page.getByText("held before the first step").waitFor();
    await first.page.reload();
    const second = await openPage(url);
    await second.page.getByText("held before the first step").waitFor();
    await second.page.getByRole("button", { name: "Step", exact: true }).click();
    await first.page.getByText("held before tool_use").waitFor();
    await first.page.getByRole("button", { name: "Stop" }).click();
    await second.page.getByText("ended: stopped").first().waitFor();
    await first.page.close();
    await second.page.close();
    expect((await running).exitCode).toBe(130);
  });
});
