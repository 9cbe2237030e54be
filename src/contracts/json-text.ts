import type { Problem } from "./problem.ts";

/** What is wrong with a JSON text, and where. `line` and `column` count from 1; a column is one UTF-16 unit. */
export type JsonFault = Extract<Problem, { code: "bad_json" | "duplicate_key" | "forbidden_key" }>;

/** A JSON text, how far it has been read, and the first fault, after which nothing more is read. */
export interface JsonText {
  readonly text: string;
  at: number;
  fault: JsonFault | null;
}

/** Where an offset lies, counted from 1. */
export function positionOf(text: string, offset: number): { line: number; column: number } {
  let line = 1;
  let lineStart = 0;
  for (
    let next = text.indexOf("\n");
    next >= 0 && next < offset;
    next = text.indexOf("\n", lineStart)
  ) {
    line += 1;
    lineStart = next + 1;
  }
  return { line, column: offset - lineStart + 1 };
}

/** Records a syntax fault; returns undefined, which is what every reader returns after a fault. */
export function refuse(json: JsonText, reason: string, offset: number = json.at): undefined {
  json.fault = { code: "bad_json", reason, ...positionOf(json.text, offset) };
}

/** Moves over white space and gives the next character, "" at the end. */
export function peek(json: JsonText): string {
  for (;;) {
    const character = json.text.charAt(json.at);
    if (character !== " " && character !== "\n" && character !== "\r" && character !== "\t")
      return character;
    json.at += 1;
  }
}
