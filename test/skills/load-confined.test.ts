import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { readConfined } from "../../src/skills/load-confined.ts";

let parent: string;
let root: string;

beforeAll(() => {
  parent = realpathSync(mkdtempSync(path.join(tmpdir(), "confined-")));
  root = path.join(parent, "root");
  for (const folder of ["root/docs", "root/swapped", "outside"])
    mkdirSync(path.join(parent, folder), { recursive: true });
  writeFileSync(path.join(root, "docs/a.md"), "inside");
  writeFileSync(path.join(root, "swapped/a.md"), "inside");
  writeFileSync(path.join(parent, "outside/a.md"), "outside");
  symlinkSync("docs/../docs", path.join(root, "link"));
  symlinkSync(path.join(root, "docs/a.md"), path.join(root, "absolute.md"));
  symlinkSync("../outside", path.join(root, "out"));
  symlinkSync("loop", path.join(root, "loop"));
});
afterAll(() => rmSync(parent, { recursive: true, force: true }));

test.each([
  ["docs/a.md", { ok: true, text: "inside", exact: true }],
  ["link/a.md", { ok: true, text: "inside", exact: true }],
  ["absolute.md", { ok: true, text: "inside", exact: true }],
  ["out/a.md", { ok: false, reason: "outside" }],
  ["../outside/a.md", { ok: false, reason: "outside" }],
  ["loop", { ok: false, reason: "missing" }],
  ["docs", { ok: false, reason: "not_a_file" }],
])("%s", (relative, reading) => {
  expect(readConfined(root, relative, 100)).toEqual(reading);
});

// Swaps the folder for a link to the outside and back, without a pause, until it is killed.
const SWAP = `const fs = require("node:fs");
process.chdir(process.argv[1]);
fs.symlinkSync("../outside", "evil");
process.stdout.write("ready");
for (;;) {
  fs.renameSync("swapped", "kept"); fs.renameSync("evil", "swapped");
  fs.renameSync("swapped", "evil"); fs.renameSync("kept", "swapped");
}`;

test("no byte from outside is read while a folder is swapped for a link", async () => {
  const swapper = spawn(process.execPath, ["-e", SWAP, root], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  try {
    await once(swapper.stdout, "data");
    const texts = new Set<string>();
    for (let round = 0; round < 10_000; round += 1) {
      const reading = readConfined(root, "swapped/a.md", 100);
      if (reading.ok) texts.add(reading.text);
    }
    expect([...texts].filter((text) => text !== "inside")).toEqual([]);
  } finally {
    const exited = once(swapper, "exit");
    swapper.kill("SIGKILL");
    await exited;
  }
});
