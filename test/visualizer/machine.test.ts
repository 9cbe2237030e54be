import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, describe, expect, test } from "vitest";
import { browserNeeded, closeBrowser, openPage } from "../helpers/browser.ts";
import { startInspector } from "./inspecting.ts";
import { project } from "../helpers/project.ts";
import { faultsOf, state } from "./looking.ts";

afterAll(closeBrowser);

const fixture = (name: string) =>
  join(fileURLToPath(new URL("../fixtures/machines", import.meta.url)), name);

describe.skipIf(browserNeeded.missing)(`any machine in the page${browserNeeded.note}`, () => {
  test("is drawn, and stepped with events that are picked or typed; an earlier step begins another run", async () => {
    const { url } = await startInspector(["--machine", fixture("player.mjs")], { cwd: project() });
    const { page, complaints, strays } = await openPage(url);
    await page.locator('svg[data-view="map"] .state.is-active').first().waitFor();
    const before = await state(page);
    const accepted = page.getByRole("region", { name: /event/i }).getByRole("button");
    expect(await accepted.count()).toBeGreaterThan(1);
    await accepted.first().click();
    await page.getByText("2 / 2").waitFor();
    await page.keyboard.press("Home");
    await expect.poll(() => state(page)).toStrictEqual(before);
    await accepted.nth(1).click();
    await page.getByRole("button", { name: "what if 1" }).waitFor();
    expect(await faultsOf(page)).toStrictEqual([]);
    expect([complaints, strays]).toStrictEqual([[], []]);
  });
});
