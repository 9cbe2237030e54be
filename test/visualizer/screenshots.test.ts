import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Page } from "playwright-core";
import { afterAll, describe, expect, test } from "vitest";
import { browserNeeded, closeBrowser, openPage } from "../helpers/browser.ts";
import { MODEL, notesFolder, QUESTION, recordedTurn, startInspector } from "./inspecting.ts";
import { forkWriting } from "./looking.ts";

afterAll(closeBrowser);

/** In bytes: less has nothing on it. */
const PICTURE_MIN = 20_000;

/** The pictures of the README; with SCREENSHOTS=1 they are put in their place. */
const folder = fileURLToPath(new URL("../../docs", import.meta.url));

async function picture(page: Page, name: string): Promise<number> {
  // A moment in which nothing moves: the next frame after all that was asked for has come.
  await page.waitForLoadState("networkidle");
  const image = await page.screenshot({ animations: "disabled" });
  if (process.env["SCREENSHOTS"]) {
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, `${name}.png`), image);
  }
  return image.length;
}

describe.skipIf(browserNeeded.missing)(`pictures for the README${browserNeeded.note}`, () => {
  test("live: a question waits for its answer", async () => {
    const { url } = await startInspector([QUESTION, ...MODEL, "--break", "none"], {
      cwd: notesFolder(),
    });
    const { page } = await openPage(url);
    await page.getByText("This changes or deletes what is there. Run it?").first().waitFor();
    await page.getByText(/at most \d+ model calls/).waitFor();
    expect(await picture(page, "inspector-live")).toBeGreaterThan(PICTURE_MIN);
  });

  test("paused: held before a transition, in the dark", async () => {
    const { url } = await startInspector([QUESTION, ...MODEL, "--break", "error"], {
      cwd: notesFolder(),
    });
    const { page } = await openPage(url, { scheme: "dark" });
    await page.getByText("held before fail_recovery").waitFor();
    await page.getByText(/at most \d+ model calls/).waitFor();
    expect(await picture(page, "inspector-paused")).toBeGreaterThan(PICTURE_MIN);
  });

  test("fork: what if the model had asked instead", async () => {
    const cwd = notesFolder();
    const { url } = await startInspector([await recordedTurn(cwd)], {
      cwd,
      env: { BROHARNESS_HOME: cwd },
    });
    const { page } = await openPage(url);
    await forkWriting(page, "no calls: ready to answer", "Which of the old files do you mean?");
    const hand = page.getByRole("form", { name: "By hand" });
    await hand.getByRole("combobox").selectOption("nobody there");
    await hand.getByRole("button", { name: "Continue" }).click();
    await page.getByText("ended: stopped").first().waitFor();
    await page.getByRole("tab", { name: "Compare" }).click();
    await page.getByText("first difference").waitFor();
    expect(await picture(page, "inspector-fork")).toBeGreaterThan(PICTURE_MIN);
  });

  test("phone: the same page on a small screen", async () => {
    const cwd = notesFolder();
    const { url } = await startInspector([await recordedTurn(cwd)], { cwd });
    const { page } = await openPage(url, { width: 390, height: 844, touch: true });
    await page.getByText("ended: answered").first().waitFor();
    await page.getByRole("button", { name: "One step back" }).tap();
    await page.getByRole("button", { name: "One step back" }).tap();
    expect(await picture(page, "inspector-phone")).toBeGreaterThan(PICTURE_MIN);
  });
});
