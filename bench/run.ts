/**
 * Speed and size, as ratios: everything in a table is measured in this one run, in rounds that take turns, in a clean
 * environment. The median is shown. Absolute figures depend on the machine; the ratios should not.
 */
import { execFileSync } from "node:child_process";
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { inspectorCost } from "./inspector.ts";
import { machineCost } from "./machine.ts";
import { median } from "./median.ts";
import { promptTokens } from "./tokens.ts";

const root = fileURLToPath(new URL("..", import.meta.url));
const folder = mkdtempSync(join(tmpdir(), "broharness-bench-"));
const ROUNDS = 11;

interface Row {
  what: string;
  value: string;
  ratio: string;
}

/** Wall times of several commands in milliseconds, their rounds interleaved. */
function time(commands: Record<string, string[]>): Record<string, number> {
  const taken = new Map(Object.keys(commands).map((name) => [name, [] as number[]]));
  const env = { PATH: process.env["PATH"] ?? "", HOME: folder };
  for (let round = 0; round < ROUNDS; round++)
    for (const [name, args] of Object.entries(commands)) {
      const start = performance.now();
      execFileSync(process.execPath, args, { cwd: folder, env, stdio: ["ignore", "pipe", "pipe"] });
      taken.get(name)?.push(performance.now() - start);
    }
  return Object.fromEntries([...taken].map(([name, times]) => [name, median(times)]));
}

function startRows(): Row[] {
  writeFileSync(join(folder, "empty.mjs"), "");
  writeFileSync(join(folder, "notes.txt"), "Buy milk.\n");
  const bin = join(root, "dist/cli/main.js");
  const times = time({
    "an empty Node script": ["empty.mjs"],
    "broharness --version": [bin, "--version"],
    "the offline turn: read a file (2 processes of Node, 1 of Python)": [
      bin,
      "what's in notes.txt?",
    ],
    "the same without skills that need Python": [
      bin,
      "hi there",
      "--no-bundled-skills",
      "-m",
      `scripted/${scriptedHello()}`,
    ],
  });
  const floor = times["an empty Node script"] ?? Number.NaN;
  return Object.entries(times).map(([what, ms]) => ({
    what,
    value: `${ms.toFixed(0)} ms`,
    ratio: `${(ms / floor).toFixed(1)} × empty Node`,
  }));
}

function scriptedHello(): string {
  const file = join(folder, "hello.jsonl");
  writeFileSync(file, '{"text":"Hello."}\n');
  return file;
}

const rows: Row[] = [
  ...startRows(),
  ...(await machineCost()),
  ...(await promptTokens()),
  ...(await inspectorCost()),
];
const width = Math.max(...rows.map(({ what }) => what.length));
for (const { what, value, ratio } of rows)
  console.log(`${what.padEnd(width)}  ${value.padStart(12)}  ${ratio}`);
