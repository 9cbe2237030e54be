import { chmodSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import { openBrowser } from "../../../src/inspector/server/open-browser.ts";
import { project } from "../../helpers/project.ts";

const HOSTILE = `http://127.0.0.1:1/t/?a=$(touch x)&b="; touch y;'%20`;

/** A browser that writes down what it was called with; whole once the file has its last line. */
function fakeBrowser() {
  const folder = project({
    browser: `#!/bin/sh\nprintf '%s\\n' "$@" > "$(dirname "$0")/called"\necho end >> "$(dirname "$0")/called"\n`,
  });
  const command = join(folder, "browser");
  chmodSync(command, 0o755);
  const called = () => {
    const lines = readFileSync(join(folder, "called"), "utf8").split("\n");
    if (lines.at(-2) !== "end") throw new Error("not yet");
    return lines.slice(0, -2);
  };
  return { command, called: () => vi.waitFor(called, { timeout: 20_000 }) };
}

test.each<[string, string[]]>([
  ["", [HOSTILE]],
  [" --new-window", ["--new-window", HOSTILE]],
  [" -a %s -b", ["-a", HOSTILE, "-b"]],
  [":/other/browser", [HOSTILE]],
])("$BROWSER with%s is given the address as one argument", async (rest, args) => {
  const { command, called } = fakeBrowser();
  openBrowser(HOSTILE, `${command}${rest}`, "linux");
  expect(await called()).toStrictEqual(args);
});

test.each(["/no/such/browser", "/etc/hostname", "/"])(
  "%s is no browser, and no fault",
  (browser) => {
    expect(() => openBrowser("http://127.0.0.1:1/", browser, "linux")).not.toThrow();
  },
);

test.each<NodeJS.Platform>(["darwin", "win32"])(
  "an opener of %s that is not there is no fault",
  (platform) => {
    expect(() => openBrowser("http://127.0.0.1:1/", undefined, platform)).not.toThrow();
  },
);
