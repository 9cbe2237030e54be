import { fc } from "@fast-check/vitest";
import { describe, expect, test } from "vitest";
import { intendedCall } from "../../src/contracts/intended.ts";
import { replyCases } from "./cases.ts";

const tools = [
  { name: "list_notes", parameters: ["folder", "limit", "archived"] },
  { name: "read", parameters: ["path"] },
  { name: "read_note", parameters: ["title"] },
  { name: "save_note", parameters: ["title", "text"] },
  { name: "find_text", parameters: ["query", "pattern", "page"] },
  { name: "weather", parameters: ["city"] },
  { name: "label", parameters: ["title", "names"] },
];

describe("a call that is badly written is made out", () => {
  test.each([
    ["<read_note><title>plan</title></read_note>", "read_note", { title: "plan" }],
    [
      "<function=read_note>\n<parameter=title>\nplan\n</parameter>\n</function>",
      "read_note",
      { title: "plan" },
    ],
    [
      '<invoke name="read_note"><parameter name="title">plan</parameter></invoke>',
      "read_note",
      { title: "plan" },
    ],
    [
      '<tool_call>{"name":"weather","arguments":{"city":"Oslo"}}</tool_call>',
      "weather",
      { city: "Oslo" },
    ],
    ['{"name":"weather","arguments":"{\\"city\\": \\"Oslo\\"}"}', "weather", { city: "Oslo" }],
    ['{"function":{"name":"weather","arguments":{"city":"Oslo"}}}', "weather", { city: "Oslo" }],
    ['{"arguments":{"city":"Oslo"},"name":"weather"', "weather", { city: "Oslo" }],
    ["{'name': 'weather', 'input': {'city': 'Oslo'}}", "weather", { city: "Oslo" }],
    ['{"weather": {"city": "Oslo"}}', "weather", { city: "Oslo" }],
    [
      '[{"name":"label","input":{"title":"a","names":["x","y"]}}]',
      "label",
      { title: "a", names: ["x", "y"] },
    ],
    [
      'Sure!\n```json\n{"tool_use":[{"name":"list_notes","input":{"limit":5}}]}\n```',
      "list_notes",
      { limit: 5 },
    ],
    [
      '```json\n{"tool_use":[{"name":"find_text","input":{"pattern":"\\d+"}}]}\n```',
      "find_text",
      { pattern: String.raw`\d+` },
    ],
    [
      '<|tool_call>call:list_notes{folder:<|"|>work<|"|>,limit:3}<tool_call|>',
      "list_notes",
      { folder: "work", limit: 3 },
    ],
    [
      'CALL save_note title=plan text="two words"',
      "save_note",
      { title: "plan", text: "two words" },
    ],
    ["CALL list_notes archived=True limit=007", "list_notes", { archived: true, limit: "007" }],
    ['Action: read_note\nAction Input: {"title": "plan"}', "read_note", { title: "plan" }],
    ['[TOOL_CALLS]weather{"city": "Oslo"}', "weather", { city: "Oslo" }],
    ["```tool_code\nprint(weather(city='Oslo'))\n```", "weather", { city: "Oslo" }],
    ["CALL list_notes folder=work\nCALL list_notes folder=home", "list_notes", { folder: "work" }],
    ["CALL read_note", "read_note", {}],
    ["<list_notes/>", "list_notes", {}],
  ])("%j", (reply, name, input) => {
    expect(intendedCall(reply, tools)).toEqual({ name, input });
  });

  test("only with the arguments the tool has", () => {
    expect(intendedCall("CALL weather city=Oslo days=3", tools)).toEqual({
      name: "weather",
      input: { city: "Oslo" },
    });
  });

  test("with long values clipped", () => {
    expect(intendedCall(`CALL weather city=${"x".repeat(500)}`, tools)).toEqual({
      name: "weather",
      input: { city: `${"x".repeat(79)}…` },
    });
  });
});

describe("nothing is made up", () => {
  test.each([
    ["an unknown tool", "CALL str_replace_editor command=view"],
    ["a name that is only like a tool's", "CALL reed_note title=plan"],
    ["a name inside a longer one", "<read_notes><title>plan</title></read_notes>"],
    ["a tool that is only spoken of", "I do not need weather or save_note (yet)."],
    ["a repeated description", '{"name":"list_notes","parameters":{"folder":{"type":"string"}}}'],
    [
      "a value that was cut",
      '```json\n{"tool_use":[{"name":"save_note","input":{"title":"a","text":"Buy mil',
    ],
    ["a value with quotes in it", 'CALL save_note title=q text="He said "hi" twice"'],
    ["a value that is missing", "CALL weather city="],
    [
      "a value too long to be shown whole",
      JSON.stringify({ name: "label", input: { names: Array(99).fill("x") } }),
    ],
    ["an empty reply", ""],
  ])("%s", (_name, reply) => {
    expect(intendedCall(reply, tools)).toBeNull();
  });

  test("without tools there is no call", () => {
    expect(intendedCall("CALL weather city=Oslo", [])).toBeNull();
  });
});

describe("no reply and no name is too hostile", () => {
  test.each([
    [
      '"',
      "\\",
      "title=",
      '"title":',
      "<title>",
      "<function=",
      " ",
      '"name":"read_note',
      '{"arguments":"',
      "weather(",
      "CALL read ",
    ],
  ])("%#", (...units) => {
    for (const unit of units) {
      const call = intendedCall(`CALL save_note ${unit.repeat(200_000 / unit.length)}`, tools);
      expect(call === null || call.name === "save_note").toBe(true);
    }
  });

  test("it gives known names only, and never throws", () => {
    const name = fc.oneof(
      fc.string({ unit: "binary", maxLength: 8 }),
      fc.constantFrom("a.b*", "(x", "[y", "__proto__"),
    );
    const tool = fc.record({ name, parameters: fc.array(name, { maxLength: 4 }) });
    const part = fc.oneof(
      fc.constantFrom(...replyCases.map(({ output }) => output)),
      fc.constantFrom("CALL ", "=", '"', '{"name":"', '"input":{', "<", ">", " "),
      name,
    );
    fc.assert(
      fc.property(
        fc.array(part, { maxLength: 8 }),
        fc.array(tool, { maxLength: 5 }),
        (parts, known) => {
          const call = intendedCall(parts.join(""), [...known, ...tools]);
          const found =
            call && [...known, ...tools].find((candidate) => candidate.name === call.name);
          expect(
            call === null ||
              Object.keys(call.input).every((key) => found?.parameters.includes(key)),
          ).toBe(true);
        },
      ),
      { numRuns: 1000 },
    );
  });
});
