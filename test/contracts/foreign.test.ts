import { describe, expect, test } from "vitest";
import { foreignSyntax } from "../../src/contracts/foreign.ts";

describe("a call in another notation is named", () => {
  test.each([
    ["<read_note><title>plan</title></read_note>", "xml_tag", "read_note"],
    ["<weather>\n  <city>Oslo</city>\n</weather>", "xml_tag", "weather"],
    ["<list_notes/>", "xml_tag", "list_notes"],
    ["<list_notes></list_notes>", "xml_tag", "list_notes"],
    [
      '<invoke name="read_note"><parameter name="title">plan</parameter></invoke>',
      "xml_tag",
      "read_note",
    ],
    ["<function_calls>\n</function_calls>", "xml_tag", undefined],
    [
      "<function=read_note>\n<parameter=title>plan</parameter>\n</function>",
      "function_tag",
      "read_note",
    ],
    ['<tool_call>{"name": "weather", "arguments": {}}</tool_call>', "hermes", "weather"],
    ["<tool_call>\n<function=weather>", "hermes", undefined],
    ['I look: <tool_call>{"name":"weather"}', "hermes", "weather"],
    ["<|tool_call|>[]<|/tool_call|>", "hermes", undefined],
    ["<｜tool▁calls▁begin｜>", "hermes", undefined],
    ['Action: read_note\nAction Input: {"title": "plan"}', "react", "read_note"],
    ["Thought: I look.\nAction: weather\n\nAction Input: Oslo", "react", "weather"],
    ['<|tool_call>call:list_notes{folder:<|"|>work<|"|>}<tool_call|>', "gemma", "list_notes"],
    ["```tool_code\nlist_notes()\n```", "gemma", "list_notes"],
    ['[TOOL_CALLS]weather{"city": "Oslo"}', "mistral", "weather"],
    ['[TOOL_CALLS][{"name": "weather"}]', "mistral", "weather"],
    ["<|python_tag|>weather.call(city='Oslo')", "llama", "weather.call"],
    ["Sure.\nCALL read_note title=plan", "call_line", "read_note"],
    ["CALL weather", "call_line", "weather"],
    ["CALL read_note plan please", "call_line", "read_note"],
  ])("%j", (text, syntax, tool) => {
    expect(foreignSyntax(text)).toEqual({
      code: "foreign_syntax",
      syntax,
      ...(tool === undefined ? {} : { tool }),
    });
  });
});

describe("what is only spoken of is not", () => {
  test.each([
    "You would write `<tool_call>{}` there.",
    'The mark "[TOOL_CALLS]" begins it.',
    "Some models write <tool_call> first.",
    "```xml\n<read_note><title>plan</title></read_note>\n```",
    "```\nCALL read_note title=plan\n```",
    "CALL me when you are there.",
    "Please\nCALL weather\nservice.",
    "Action: water the plants",
    "<details><summary>More</summary>text</details>",
    "<config><port>80</port></config>\nis what you need.",
    "<note>Take care.</note>",
    "a < b and b > c",
  ])("%j", (text) => {
    expect(foreignSyntax(text)).toBeNull();
  });
});
