import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { Page } from "playwright-core";

/** The ids of the states that are lit in the map. */
export const state = (page: Page) =>
  page
    .locator('svg[data-view="map"] .state.is-active')
    .evaluateAll((states) => states.map((one) => one.getAttribute("data-state")));

/** The labels of the lines that are lit like this in the map, with the states they lead to; of states, their ids. */
export const lit = (page: Page, light: string) =>
  page.evaluate((name) => {
    const map = document.querySelector('svg[data-view="map"]');
    const states = [...(map?.querySelectorAll(`.state.${name}`) ?? [])];
    if (states.length > 0) return states.map((one) => one.getAttribute("data-state"));
    const rows = [...document.querySelectorAll(`svg[data-view="detail"] .row.${name} .way`)];
    return rows.map((one) => one.textContent);
  }, light);

/** The titles in the timeline, from the first to the last. */
export const titles = (page: Page) =>
  page
    .locator(".timeline .row .row-title")
    .evaluateAll((rows) => rows.map((row) => row.textContent));

/** What if the model had written something else at the step of this title; what comes then is said by hand. */
export async function forkWriting(page: Page, title: string, reply: string): Promise<void> {
  await page.getByText(title).first().click();
  await page.getByRole("button", { name: "What if…" }).click();
  const form = page.getByRole("form", { name: "What if" });
  await form.getByLabel("What the model writes").fill(reply);
  await form.getByRole("radio", { name: /by hand/i }).check();
  await form.getByRole("button", { name: "Fork" }).click();
}

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/** What axe-core finds in the page as it is now, of the serious kinds. */
export async function faultsOf(page: Page): Promise<string[]> {
  await page.evaluate(axe);
  return page.evaluate(async () => {
    const { violations } = await (
      window as unknown as {
        axe: {
          run(): Promise<{
            violations: { id: string; impact: string; nodes: { html: string }[] }[];
          }>;
        };
      }
    ).axe.run();
    return violations
      .filter(({ impact }) => ["serious", "critical"].includes(impact))
      .map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(" ")}`);
  });
}
