import { afterAll, describe, expect, test } from "vitest";
import { browserNeeded, closeBrowser, openPage } from "../helpers/browser.ts";
import { MODEL, notesFolder, QUESTION, startInspector } from "./inspecting.ts";

afterAll(closeBrowser);

/** What stands in the place of Stately's own inspector, which is not reached by any test. */
const RECEIVER = `<script>
  window.got = [];
  addEventListener("message", ({ data }) => got.push(data));
  parent.postMessage({ type: "@statelyai.connected" }, "*");
</script>`;

describe.skipIf(browserNeeded.missing)(`Stately's own inspector${browserNeeded.note}`, () => {
  test("is fed the turn from its beginning, and only with --stately", async () => {
    const args = [QUESTION, ...MODEL, "--break", "error", "--stately"];
    const { url } = await startInspector(args, { cwd: notesFolder() });
    const { page } = await openPage(url);
    await page.getByText("held before fail_recovery").waitFor();
    await page.route("https://stately.ai/**", (route) =>
      route.fulfill({ contentType: "text/html", body: RECEIVER }),
    );
    await page.goto(`${url}stately`);
    const states = () =>
      page
        .frames()[1]
        ?.evaluate(() =>
          (
            window as unknown as { got: { type: string; snapshot?: { value?: string } }[] }
          ).got.flatMap(({ type, snapshot }) =>
            type === "@xstate.snapshot" ? [snapshot?.value] : [],
          ),
        );
    await expect.poll(states).toStrictEqual(["skill_call", "tool_use", "tool_call"]);
  });

  test("is not there without --stately", async () => {
    const { url } = await startInspector([QUESTION, ...MODEL], { cwd: notesFolder() });
    expect((await fetch(`${url}stately`)).status).toBe(404);
  });
});
