import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Page } from "playwright-core";
import { afterAll, describe, expect, test } from "vitest";
import { browserNeeded, closeBrowser, openPage } from "../helpers/browser.ts";
import { MODEL, notesFolder, QUESTION, recordedTurn, startInspector } from "./inspecting.ts";

afterAll(closeBrowser);

/** The pictures of the README; with SCREENSHOTS=1 they are put in their place. */
const folder = fileURLToPath(new URL("../../docs", import.meta.url));

async function picture(page: Page, name: string): Promise<void> {
  // A moment in which nothing moves: the next frame after all that was asked for has come.
  await page.waitForLoadState("networkidle");
  const image = await page.screenshot({ animations: "disabled" });
  expect(image.length).toBeGreaterThan(20_000);
  if (!process.env["SCREENSHOTS"]) return;
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, `${name}.png`), image);
}

describe.skipIf(browserNeeded.missing)(`pictures for the README${browserNeeded.note}`, () => {
  test("live: a question waits for its answer", async () => {
    const { url } = await startInspector([QUESTION, ...MODEL, "--break", "none"], {
      cwd: notesFolder(),
    });
    const { page } = await openPage(url);
    await page.getByText("This changes or deletes what is there. Run it?").first().waitFor();
    await page.getByText(/at most \d+ model calls/).waitFor();
    await picture(page, "inspector-live");
  });

  test("paused: held before a transition, in the dark", async () => {
    const { url } = await startInspector([QUESTION, ...MODEL, "--break", "error"], {
      cwd: notesFolder(),
    });
    const { page } = await openPage(url, { scheme: "dark" });
    await page.getByText("held before fail_recovery").waitFor();
    await page.getByText(/at most \d+ model calls/).waitFor();
    await picture(page, "inspector-paused");
  });

  test("fork: what if the model had asked instead", async () => {
    const cwd = notesFolder();
    const { url } = await startInspector([await recordedTurn(cwd)], {
      cwd,
      env: { BROHARNESS_HOME: cwd },
    });
    const { page } = await openPage(url);
    await page.getByText("no calls: ready to answer").first().click();
    await page.getByRole("button", { name: "What if…" }).click();
    const form = page.getByRole("form", { name: "What if" });
    await form.getByLabel("What the model writes").fill("Which of the old files do you mean?");
    await form.getByRole("radio", { name: /by hand/i }).check();
    await form.getByRole("button", { name: "Fork" }).click();
    const hand = page.getByRole("form", { name: "By hand" });
    await hand.getByRole("combobox").selectOption("nobody there");
    await hand.getByRole("button", { name: "Continue" }).click();
    await page.getByText("ended: stopped").first().waitFor();
    await page.getByRole("tab", { name: "Compare" }).click();
    await page.getByText("first difference").waitFor();
    await picture(page, "inspector-fork");
  });

  test("phone: the same page on a small screen", async () => {
    const cwd = notesFolder();
    const { url } = await startInspector([await recordedTurn(cwd)], { cwd });
    const { page } = await openPage(url, { width: 390, height: 844, touch: true });
    await page.getByText("ended: answered").first().waitFor();
    await page.getByRole("button", { name: "One step back" }).tap();
    await page.getByRole("button", { name: "One step back" }).tap();
    await picture(page, "inspector-phone");
  });
});
