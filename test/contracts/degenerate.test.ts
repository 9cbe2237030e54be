import { describe, expect, test } from "vitest";
import { createRepetitionWatch } from "../../src/contracts/degenerate.ts";
import { completeAfter, read } from "./read.ts";

function phraseIn(text: string): string | null {
  const watch = createRepetitionWatch();
  watch.write(text);
  return watch.phrase();
}

describe("the same over and over is noticed", () => {
  test.each([
    ["I will check. ".repeat(60), "I will check."],
    ["Yes. ".repeat(60), "Yes."],
    ["ha ".repeat(60), "ha"],
    [
      "Wait, let me think about it once more, step by step.\n".repeat(15),
      "Wait, let me think about it once more, step by step.",
    ],
    [`<think>${"So the answer is 4. ".repeat(60)}`, "So the answer is 4."],
    [`A start that differs. ${"and then ".repeat(60)}`, "and then"],
    ["我来看看。".repeat(60), "我来看看。"],
    ["loop".repeat(500), "looplooplooplooplooplooplooploop"],
  ])("%j", (text, phrase) => {
    expect(phraseIn(text)).toBe(phrase);
  });

  test("long before a whole reply of it has been paid for", () => {
    expect(completeAfter("I will check. ".repeat(1000), "text")).toBeLessThan(700);
    expect(completeAfter("I will check. ".repeat(1000), "calls")).toBeLessThan(700);
  });

  test("and the phrase is shown clipped", () => {
    const phrase = Array.from({ length: 30 }, (_, index) => `word${index}`).join(" ");
    expect(read(`${phrase} `.repeat(20), "text").verdict).toEqual({
      kind: "refused",
      problem: { code: "degenerate", phrase: `${phrase.slice(0, 79)}…` },
    });
  });
});

describe("what only looks alike is left alone", () => {
  test.each([
    ["a table", rows(80, (index) => `| item ${index} | yes | no | n/a | n/a |`)],
    ["a table's borders", rows(80, () => "+------+------+------+")],
    ["rules", rows(80, () => "=".repeat(70))],
    ["a numbered list", rows(200, (index) => `${index}. Add the same amount of water.`)],
    ["a grid of numbers", rows(60, () => "0 0 0 1 0 0 0")],
    ["a drawing", rows(40, () => "   /\\   /\\   ")],
    ["fenced code", `\`\`\`\n${rows(100, () => "    call();  call();")}\n\`\`\`\nDone.`],
    ["a check list", rows(60, () => "- [ ]")],
    ["a chorus", rows(20, () => "Na na na hey")],
    ["a check list with words", rows(30, () => "- [ ] to do")],
    ["bare JSON", `{"text": "${"ha ".repeat(200)}"}`],
  ])("%s", (_name, text) => {
    expect(phraseIn(text)).toBeNull();
  });

  test("a block, whatever its strings say", () => {
    const text = "ha ".repeat(400);
    const block = `\`\`\`json\n{"tool_use":[{"name":"save_note","input":{"text":"${text}"}}]}\n\`\`\``;
    expect(read(block, "calls").verdict).toEqual({
      kind: "calls",
      calls: [{ name: "save_note", input: { text } }],
    });
  });
});

function rows(count: number, row: (index: number) => string): string {
  return Array.from({ length: count }, (_, index) => row(index)).join("\n");
}
