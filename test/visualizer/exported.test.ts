import { statSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, describe, expect, test } from "vitest";
import { browserNeeded, closeBrowser, openPage } from "../helpers/browser.ts";
import { cli } from "../helpers/cli.ts";
import { notesFolder, recordedTurn } from "./inspecting.ts";
import { faultsOf, state } from "./looking.ts";

afterAll(closeBrowser);

async function exported() {
  const cwd = notesFolder();
  const out = join(cwd, "turn.html");
  const ran = await cli(["inspect", await recordedTurn(cwd), "--html", out], { cwd });
  return { ran, out, url: pathToFileURL(out).href };
}

describe.skipIf(browserNeeded.missing)(`an exported page${browserNeeded.note}`, () => {
  test("shows everything without a server, and asks nothing of anybody", async () => {
    const { ran, out, url } = await exported();
    expect(ran.exitCode).toBe(0);
    expect(statSync(out).size).toBeLessThan(1024 * 1024);
    const { page, complaints, strays } = await openPage(url);
    await expect.poll(() => state(page)).toStrictEqual(["turn.answered"]);
    await page.keyboard.press("Home");
    for (const expected of ["tool_use", "tool_call", "fail_recovery", "tool_call", "tool_use"]) {
      await page.keyboard.press("ArrowRight");
      await expect.poll(() => state(page)).toStrictEqual([`turn.${expected}`]);
    }
    await page.getByRole("tab", { name: "Prompt" }).click();
    await page.getByText("Prompt sent").waitFor();
    expect(await page.locator(".prompt-panel").textContent()).toContain("What is in notes.txt?");
    await page.getByRole("tab", { name: "Step" }).click();
    expect(await page.locator(".step-panel").textContent()).toMatch(/at most \d+ model calls/);
    expect(await page.getByRole("button", { name: "What if…" }).count()).toBe(0);
    expect(await faultsOf(page)).toStrictEqual([]);
    expect([complaints, strays]).toStrictEqual([[], []]);
  });

  test.each([
    ["dark", 1280, 800],
    ["light", 390, 844],
    ["dark", 360, 640],
  ] as const)(
    "%s at %d × %d: nothing sticks out, and axe finds nothing serious",
    async (scheme, width, height) => {
      const { url } = await exported();
      const { page, complaints } = await openPage(url, {
        scheme,
        width,
        height,
        touch: width < 500,
      });
      await expect.poll(() => state(page)).toStrictEqual(["turn.answered"]);
      for (const name of ["Step", "Prompt", "Context"]) {
        await page.getByRole("tab", { name }).click();
        expect(
          await page.evaluate(() => document.documentElement.scrollWidth - innerWidth),
        ).toBeLessThanOrEqual(0);
        expect(await faultsOf(page)).toStrictEqual([]);
      }
      expect(complaints).toStrictEqual([]);
    },
  );

  test("the keyboard alone is enough", async () => {
    const { url } = await exported();
    const { page } = await openPage(url);
    await expect.poll(() => state(page)).toStrictEqual(["turn.answered"]);
    const focused = () =>
      page.evaluate(
        () =>
          document.activeElement?.getAttribute("aria-label") ??
          document.activeElement?.textContent ??
          "",
      );
    const reached = new Set<string>();
    for (let presses = 0; presses < 60; presses++) {
      await page.keyboard.press("Tab");
      reached.add(await focused());
    }
    for (const name of [
      "Light or dark theme",
      "Map",
      "Detail",
      "Zoom in",
      "First step",
      "Step",
      "Keys",
    ])
      expect([...reached]).toContain(name);
    await page.getByRole("slider", { name: "Step" }).focus();
    await page.keyboard.press("Home");
    await expect.poll(() => state(page)).toStrictEqual(["turn.skill_call"]);
    await page.keyboard.press("ArrowRight");
    await expect.poll(() => state(page)).toStrictEqual(["turn.tool_use"]);
    await page.getByRole("tab", { name: "Step" }).focus();
    await page.keyboard.press("ArrowRight");
    expect(await page.getByRole("tab", { name: "Prompt" }).getAttribute("aria-selected")).toBe(
      "true",
    );
    await page.locator("h1").click();
    await page.keyboard.press("?");
    await page.getByRole("dialog").waitFor();
    await page.keyboard.press("Escape");
    await page.keyboard.press("t");
    expect(await page.evaluate(() => document.documentElement.dataset["theme"])).toBe("dark");
  });
});
