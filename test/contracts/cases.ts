import { readFileSync } from "node:fs";

/** One reply that broke another harness. Outputs in brackets describe a situation; they are texts all the same. */
export interface ReplyCase {
  id: string;
  /** The contract it was written for: json is codeblock, call is call-line, any is both. */
  fmt: "json" | "call" | "any";
  output: string;
  finish: string;
  want: string;
}

const file = readFileSync(new URL("../fixtures/model-replies.jsonl", import.meta.url), "utf8");

export const replyCases: readonly ReplyCase[] = file
  .trimEnd()
  .split("\n")
  .map((line) => JSON.parse(line) as ReplyCase);

export function replyCase(id: string): ReplyCase {
  const found = replyCases.find((candidate) => candidate.id === id);
  if (!found) throw new Error(`no case ${id} in model-replies.jsonl`);
  return found;
}
