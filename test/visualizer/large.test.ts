import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { afterAll, describe, expect, test } from "vitest";
import { longJournal } from "../../bench/long-journal.ts";
import { browserNeeded, closeBrowser, openPage } from "../helpers/browser.ts";
import { project } from "../helpers/project.ts";
import { startInspector } from "./inspecting.ts";

const EVENTS = 50_000;

afterAll(closeBrowser);

/** The numbers of the rows that can be seen, from 1. */
const seenRows = (page: Page) =>
  page.locator(".timeline-scroller").evaluate((scroller) => {
    const { top, bottom } = scroller.getBoundingClientRect();
    return [...scroller.querySelectorAll("li")]
      .filter((row) => {
        const place = row.getBoundingClientRect();
        return place.bottom > top && place.top < bottom;
      })
      .map((row) => Number(row.getAttribute("aria-posinset")))
      .toSorted((a, b) => a - b);
  });

const rowsInPage = (page: Page) => page.locator(".timeline li").count();

const counter = (page: Page) => page.locator(".transport .counter").textContent();

const isFrom = (rows: readonly number[]) =>
  rows.length > 1 && rows.every((row, index) => row === (rows[0] ?? 0) + index);

// Reading so much takes a slow machine of two cores half a minute, and other tests are at work beside it.
const patience = { timeout: 180_000 };

describe.skipIf(browserNeeded.missing)(`a long journal${browserNeeded.note}`, patience, () => {
  test("of 50,000 events opens at its end, and goes and scrolls anywhere", async () => {
    const cwd = project({});
    writeFileSync(join(cwd, "long.jsonl"), longJournal(EVENTS));
    const { url } = await startInspector(["long.jsonl"], { cwd });
    const { page, complaints, strays } = await openPage(url);
    page.setDefaultTimeout(120_000);

    const total = 12 * Math.ceil(EVENTS / 12) + 2;
    await page.getByText(`${total} / ${total}`).waitFor();
    await expect.poll(() => seenRows(page)).toContain(total);
    expect(await page.locator(".row-button[aria-current]").textContent()).toContain("answered");
    expect(await rowsInPage(page)).toBeLessThan(200);

    await page.keyboard.press("Home");
    await expect.poll(() => counter(page)).toBe(`1 / ${total}`);
    await expect.poll(() => seenRows(page)).toContain(1);
    await page.keyboard.press("ArrowRight");
    await expect.poll(() => counter(page)).toBe(`2 / ${total}`);

    await page.locator(".timeline-scroller").evaluate((scroller) => {
      scroller.scrollTop = scroller.scrollHeight / 2;
    });
    await expect.poll(() => seenRows(page)).toContain(total / 2 + 1);
    const rows = await seenRows(page);
    expect(rows).toSatisfy(isFrom);
    expect(await rowsInPage(page)).toBeLessThan(200);
    await page.locator(`.timeline li[aria-posinset="${total / 2 + 1}"] button`).click();
    await expect.poll(() => counter(page)).toBe(`${total / 2 + 1} / ${total}`);

    await page.keyboard.press("End");
    await expect.poll(() => counter(page)).toBe(`${total} / ${total}`);
    await expect.poll(() => seenRows(page)).toContain(total);
    expect([complaints, strays]).toStrictEqual([[], []]);
  });
});
