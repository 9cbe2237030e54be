import { expect, test } from "vitest";

import { failure, makeProject, runScript, scriptPath } from "./tool-runs.ts";

const tellJoke = (...words: string[]) =>
  runScript([process.execPath, scriptPath("tell-joke", "tell_joke.mjs"), ...words], makeProject());

test.each([
  ["dad", /^[^\n]+\.\n$/],
  ["pun", /^[^\n]+\.\n$/],
  ["one-liner", /^[^\n]+\.\n$/],
  ["knock-knock", /^Knock, knock\.\nWho's there\?\n(.+)\.\n\1 who\?\n.+\n$/],
  ["riddle", /^[^\n]+What (am I|are we)\?\n(A|An|The) .+\.\n$/],
])("every %s joke has the form of its kind, and all differ", async (kind, form) => {
  const runs = await Promise.all(
    [1, 2, 3, 4, 5, 6].map((number) => tellJoke(`--kind=${kind}`, `--number=${number}`)),
  );
  for (const ran of runs)
    expect(ran).toMatchObject({ code: 0, stdout: expect.stringMatching(form), stderr: "" });
  expect(new Set(runs.map(({ stdout }) => stdout)).size).toBe(6);
});

test("a number picks the same joke every time, and without a kind it counts through all of them", async () => {
  const first =
    "I started a diary for our garden hose. So far it is one long story with a twist.\n";
  expect((await tellJoke("--number=1")).stdout).toBe(first);
  expect((await tellJoke("--kind=dad", "--number=1")).stdout).toBe(first);
  expect((await tellJoke("--number=7")).stdout).toBe(
    "The beekeeper makes a fine programmer: every one of his bugs has a job.\n",
  );
});

test("without a number it is one of the kind's jokes", async () => {
  const { code, stdout } = await tellJoke("--kind=knock-knock");
  expect([code, stdout.split("\n")[0]]).toEqual([0, "Knock, knock."]);
  expect((await tellJoke()).code).toBe(0);
});

test.each([
  [
    ["--kind=dad", "--number=7"],
    'no joke with that number: --number must be from 1 to 6, got "7".',
  ],
  [["--number=31"], 'no joke with that number: --number must be from 1 to 30, got "31".'],
  [["--number=0"], 'no joke with that number: --number must be from 1 to 30, got "0".'],
  [["--number=1.5"], 'no joke with that number: --number must be from 1 to 30, got "1.5".'],
  [["--kind=limerick"], 'no kind "limerick". Kinds: dad, pun, knock-knock, one-liner, riddle.'],
  [["--kind=toString"], 'no kind "toString". Kinds: dad, pun, knock-knock, one-liner, riddle.'],
  [["--topic=cats"], "Unknown option '--topic'"],
])("%j is refused with one sentence", async (words, message) => {
  expect(failure(await tellJoke(...words))).toBe(`2 ${message}`);
});
