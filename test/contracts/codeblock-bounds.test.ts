import { describe, expect, test } from "vitest";
import { codeblock } from "../../src/contracts/codeblock.ts";
import type { Finish } from "../../src/contracts/contract.ts";
import { read } from "./read.ts";

const SIZE = 200_000;
const fill = (unit: string) => unit.repeat(Math.floor(SIZE / unit.length));

/** The same again and again, but never quite the same, so that it is not taken for a loop. */
function filled(unit: (count: number) => string): string {
  const parts: string[] = [];
  for (let size = 0; size < SIZE; size += parts.at(-1)?.length ?? SIZE)
    parts.push(unit(parts.length));
  return parts.join("");
}

/** [what, the text, the code for calls, the code (or "text") for an answer]. */
const hostile: [name: string, text: string, calls: string, answer: string][] = [
  ["open lists in a block", `\`\`\`json\n${fill("[")}`, "unclosed_block", "text"],
  ["open lists in a closed block", `\`\`\`json\n${fill("[")}\n\`\`\``, "bad_json", "text"],
  ["open objects in a closed block", `\`\`\`json\n${fill('{"a":')}\n\`\`\``, "bad_json", "text"],
  ["bare nested lists", fill("["), "no_block", "text"],
  ["an open string", `\`\`\`json\n{"tool_use":"${fill("a")}`, "unclosed_block", "block_in_answer"],
  ["back-slashes", `\`\`\`json\n{"tool_use":"${fill("\\")}\n\`\`\``, "bad_json", "block_in_answer"],
  ["quotes", `\`\`\`json\n${fill('"')}\n\`\`\``, "bad_json", "text"],
  ["opening fences", fill("```json\n"), "many_blocks", "text"],
  ["closing fences", fill("```\n"), "no_block", "text"],
  ["fences of two kinds", fill("~~~\n```\n"), "no_block", "text"],
  [
    "fences that grow",
    Array.from({ length: 600 }, (_, count) => "`".repeat(3 + count)).join("\n"),
    "no_block",
    "text",
  ],
  ["one-line fences", fill("```a```\n"), "no_block", "text"],
  ["broken strings with fences", `\`\`\`json\n${fill('"\n```\n')}`, "bad_json", "text"],
  ["back-ticks", fill("`"), "no_block", "text"],
  ["tags in back-ticks", filled((count) => `\`<tool_call>{${count}\` `), "no_block", "text"],
  ["envelopes in back-ticks", filled((count) => `\`{"tool_use":${count}\` `), "no_block", "text"],
  [
    "runs of back-ticks that never close",
    filled((count) => `${count}${"`".repeat(1 + (count % 600))}{ `),
    "no_block",
    "text",
  ],
  ["braces in the middle of a line", `x ${fill("{ ")}`, "no_block", "text"],
  ["white space behind a brace", `x {${fill(" \n")}.`, "no_block", "text"],
  ["white space", fill(" \n"), "empty", "empty"],
  ["thinking again and again", filled((count) => `<think>${count}</think>`), "empty", "empty"],
  ["thinking that opens again", filled((count) => `<think>${count} `), "cut_off", "cut_off"],
  ["closing tags", filled((count) => `${count}</think>\n`), "empty", "empty"],
  [
    "closing tags that are spoken of",
    filled((count) => `${count} </think> x `),
    "no_block",
    "text",
  ],
  ["closing tags in quotes", filled((count) => `"</think>"${count} `), "no_block", "text"],
  ["stop tokens", fill("<eos> \n"), "degenerate", "degenerate"],
  ["different stop tokens", `x${"</s> \n".repeat(30)}${" ".repeat(SIZE)}`, "no_block", "text"],
  [
    "tool calls in another notation",
    filled((count) => `<tool_call>${count}`),
    "foreign_syntax",
    "foreign_syntax",
  ],
  ["markers inside a line", filled((count) => `${count} [TOOL_CALLS] . `), "no_block", "text"],
  ["elements that never close", filled((count) => `<a_${count}><b>\n`), "no_block", "text"],
  ["elements in one line", filled((count) => `<a_${count}><b>`), "no_block", "text"],
  ["Action lines", filled((count) => `Action: a${count}\n`), "no_block", "text"],
  ["role markers", `x\n${filled((count) => `User: ${count}\n`)}`, "no_block", "text"],
  ["one word", fill("word "), "degenerate", "degenerate"],
  ["one letter", fill("a"), "degenerate", "degenerate"],
  ["rules", fill(`${"=".repeat(60)}\n`), "no_block", "text"],
  [
    "text that says something",
    filled((count) => `${count.toString(36)} word `),
    "no_block",
    "text",
  ],
];

describe("200,000 hostile characters have a verdict", () => {
  test.each(hostile)("%s, in one piece", (_name, text, calls, answer) => {
    expect(codeOf(text, "calls")).toBe(calls);
    expect(codeOf(text, "text")).toBe(answer);
    expect(["cut_off", "degenerate"]).toContain(codeOf(text, "calls", "length"));
  });

  test.each(hostile)("%s, letter by letter", (_name, text, calls) => {
    const reader = codeblock.reader("calls");
    for (let at = 0; at < text.length; at += 1) reader.write(text.charAt(at));
    const { verdict } = reader.end("stop");
    expect(verdict.kind === "refused" ? verdict.problem.code : verdict.kind).toBe(calls);
  });

  test("a long string is no obstacle", () => {
    const text = fill("a\u2028`\n");
    const written = codeblock.format([{ name: "save_note", input: { text } }]);
    expect(read(written, "calls").verdict).toEqual({
      kind: "calls",
      calls: [{ name: "save_note", input: { text } }],
    });
  });

  test("the depth of JSON is bounded, with a reason", () => {
    expect(read(nested(60), "calls").verdict.kind).toBe("calls");
    expect(read(nested(61), "calls").verdict).toEqual({
      kind: "refused",
      problem: { code: "bad_json", reason: "more than 64 levels of brackets", line: 2, column: 99 },
    });
  });
});

function nested(depth: number): string {
  const list = `${"[".repeat(depth)}${"]".repeat(depth)}`;
  return `\`\`\`json\n{"tool_use":[{"name":"a","input":{"x":${list}}}]}\n\`\`\``;
}

function codeOf(text: string, expects: "calls" | "text", finish: Finish = "stop"): string {
  const { verdict } = read(text, expects, finish);
  return verdict.kind === "refused" ? verdict.problem.code : verdict.kind;
}
