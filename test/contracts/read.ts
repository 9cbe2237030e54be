import { codeblock } from "../../src/contracts/codeblock.ts";
import type { Expects, Finish, Reading, Verdict } from "../../src/contracts/contract.ts";

/** Reads a reply in the given pieces. */
export function readPieces(
  pieces: readonly string[],
  expects: Expects,
  finish: Finish = "stop",
): Reading {
  const reader = codeblock.reader(expects);
  for (const piece of pieces) reader.write(piece);
  return reader.end(finish);
}

export const read = (text: string, expects: Expects, finish: Finish = "stop"): Reading =>
  readPieces([text], expects, finish);

/** What a reply to a task that wants calls says. */
export const calls = (text: string, finish: Finish = "stop"): Verdict =>
  read(text, "calls", finish).verdict;

/** What a reply to the answer task says. */
export const answer = (text: string, finish: Finish = "stop"): Verdict =>
  read(text, "text", finish).verdict;

/** How many characters had been written when the reply was complete, one at a time; null if it never was. */
export function completeAfter(text: string, expects: Expects = "calls"): number | null {
  const reader = codeblock.reader(expects);
  const index = text.split("").findIndex((character) => reader.write(character).complete);
  return index < 0 ? null : index + 1;
}
