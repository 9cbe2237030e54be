import { expect, test } from "vitest";
import { everyPath, Graph, inputOf, type Three } from "./paths.ts";
import { replay } from "./replay.ts";

// Retries, steps, asks. With one of each the two decks with tools at hand have 10,632 and 26,559 paths: too many for
// every run, so they get two of the three.
test.each<[deck: string, limits: Three, paths: number]>([
  ["no skills", [1, 1, 1], 102],
  ["a skill to load", [1, 1, 1], 5578],
  ["tools at hand", [0, 1, 1], 1174],
  ["tools at hand", [1, 0, 1], 947],
  ["tools at hand", [1, 1, 0], 1383],
  ["tools at hand, a skill to load", [0, 1, 1], 2389],
])("%s, limits %j: each of %i paths, state by state", async (deck, limits, paths) => {
  let count = 0;
  const leaks: string[] = [];
  const unended: number[] = [];
  for (const path of everyPath(new Graph(inputOf(deck, limits)))) {
    const { snapshot, leaked } = await replay(path);
    leaks.push(...leaked);
    if (snapshot.status !== "done") unended.push(count);
    count += 1;
  }
  expect(leaks).toStrictEqual([]);
  expect(unended).toStrictEqual([]);
  expect(count).toBe(paths);
});
