import { describe, expect, test } from "vitest";
import { splitThinking } from "../../src/contracts/thinking.ts";

describe("thinking at the start of a reply is split off", () => {
  test.each([
    ["<think>a</think>b", "a", "b"],
    ["\uFEFF \n<THINKING>\na\n</Thinking>\n\nb", "a", "b"],
    ["<think>a</think>\n<reasoning>b</reasoning> c", "a\nb", "c"],
    ["[THINK]a[/THINK]b", "a", "b"],
    ["<|channel>thought\na<channel|>b", "a", "b"],
    ["<think>a</thought></think>b", "a</thought>", "b"],
    ["a\n</think>\nb", "a", "b"],
    ["a.</think>b", "a.", "b"],
    ["a</think>b</think>c", "a\nb", "c"],
    ["<think>a <think>b</think> c</think>d", "a <think>b\nc", "d"],
    ["</think>b", "", "b"],
  ])("%j", (reply, thinking, visible) => {
    expect(splitThinking(reply)).toEqual({ thinking, visible, isOpen: false });
  });

  test("and may never end", () => {
    expect(splitThinking("<think>a\n<think>b")).toEqual({
      thinking: "a\n<think>b",
      visible: "",
      isOpen: true,
    });
  });
});

describe("everything else is visible", () => {
  test.each([
    "b <think>a</think>",
    "<thin",
    "<thinker>a</thinker>",
    "Use `</think>` to end it.",
    'The tag "</think>" ends it.',
    "It ends with </think> as always.",
    "```\n</think>\n```",
    '{"text": "a</think>b"}',
    "Between <think> and\n</think>",
  ])("%j", (reply) => {
    expect(splitThinking(reply)).toEqual({ thinking: "", visible: reply, isOpen: false });
  });
});
