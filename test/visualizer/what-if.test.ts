import { readFileSync } from "node:fs";
import { afterAll, describe, expect, test } from "vitest";
import { browserNeeded, closeBrowser, openPage } from "../helpers/browser.ts";
import { notesFolder, recordedTurn, startInspector } from "./inspecting.ts";
import { faultsOf, forkWriting, state } from "./looking.ts";

afterAll(closeBrowser);

describe.skipIf(browserNeeded.missing)(`what if${browserNeeded.note}`, () => {
  test("another answer of a tool leads to another end, by hand; the original stays as it was", async () => {
    const cwd = notesFolder();
    const file = await recordedTurn(cwd);
    const before = readFileSync(file);
    const { url } = await startInspector([file], { cwd, env: { BROHARNESS_HOME: cwd } });
    const { page, complaints, strays } = await openPage(url);
    await forkWriting(page, "no calls: ready to answer", "Which file do you mean?");
    await page.getByRole("button", { name: "what if 1" }).waitFor();
    const hand = page.getByRole("form", { name: "By hand" });
    await hand.getByRole("combobox").selectOption("nobody there");
    await hand.getByRole("button", { name: "Continue" }).click();
    await page.getByText("ended: stopped").first().waitFor();
    expect(await state(page)).toStrictEqual(["turn.stopped"]);

    await page.getByRole("tab", { name: "Compare" }).click();
    await page.getByText("first difference").waitFor();
    const pairs = await page.locator(".pairs").textContent();
    expect(pairs).toContain("no calls: ready to answer");
    expect(pairs).toContain("Which file do you mean?");
    expect(await faultsOf(page)).toStrictEqual([]);
    expect([complaints, strays]).toStrictEqual([[], []]);
    expect(readFileSync(file).equals(before)).toBe(true);
  });

  test("what cannot be taken is refused in the form, and nothing begins", async () => {
    const cwd = notesFolder();
    const { url } = await startInspector([await recordedTurn(cwd)], {
      cwd,
      env: { BROHARNESS_HOME: cwd },
    });
    const { page } = await openPage(url);
    await page.getByText("load_skill file-ops").first().click();
    await page.getByRole("button", { name: "What if…" }).click();
    const form = page.getByRole("form", { name: "What if" });
    await form.getByRole("textbox", { name: /JSON/ }).fill('{"kind":"poem"}');
    await form.getByRole("button", { name: "Fork" }).click();
    await form.getByText(/poem/).waitFor();
    expect(await page.getByRole("button", { name: "what if 1" }).count()).toBe(0);
  });
});
