import { describe, expect, test } from "vitest";
import type { Call } from "../../src/contracts/call.ts";
import { codeblock } from "../../src/contracts/codeblock.ts";
import { answer, calls, completeAfter, read } from "./read.ts";

const list = '{"tool_use":[{"name":"list_notes","input":{}}]}';
const block = `\`\`\`json\n${list}\n\`\`\``;
const listNotes = { kind: "calls", calls: [{ name: "list_notes", input: {} }] };
const withInput = (input: string) =>
  `\`\`\`json\n{"tool_use":[{"name":"save_note","input":${input}}]}\n\`\`\``;

describe("a reply that is exactly one block is read", () => {
  test.each([
    ["as written", block],
    ["with white space and a byte order mark around it", `\uFEFF \n\n${block}\n \n`],
    ["with CRLF", block.replaceAll("\n", "\r\n")],
    ["with spaces behind the fences", `\`\`\`json  \n${list}\n\`\`\`\t \n`],
    [
      "over several lines",
      `\`\`\`json\n{\n  "tool_use": [\n    { "name": "list_notes",\n "input": {} }\n  ]\n}\n\`\`\``,
    ],
    ["with stop tokens at the end", `${block}<|im_end|>\n<end_of_turn><eos></s><|eot_id|><|end|>`],
    ["after thinking", `<think>hm</think>\n${block}`],
    ["after thinking in any case, twice", `<Thinking>a</THINKING>\n\n<thought>b</thought>${block}`],
    ["after thinking that the chat template opened", `I list them first.\n</think>\n\n${block}`],
    ["after thinking that holds another block", `<think>\n${block}\n</think>\n${block}`],
    [
      "after template-opened thinking that holds another block",
      `Maybe:\n${block}\nYes.\n</think>\n${block}`,
    ],
    ["after a channel of thought", `<|channel>thought\nhm<channel|>${block}`],
  ])("%s", (_name, text) => {
    expect(calls(text)).toEqual(listNotes);
  });

  test("no calls", () => {
    expect(calls('```json\n{"tool_use": []}\n```')).toEqual({ kind: "calls", calls: [] });
  });

  test.each([
    ["back-ticks", '{"text":"```js\\nlet a;\\n```"}', { text: "```js\nlet a;\n```" }],
    [
      "tags",
      '{"text":"</think> <tool_call> <|im_end|>"}',
      { text: "</think> <tool_call> <|im_end|>" },
    ],
    ["an escape that was escaped", String.raw`{"text":"a\\nb"}`, { text: String.raw`a\nb` }],
    [
      "lone surrogates, written and escaped",
      String.raw`{"text":"${"\ud800"} \udc00"}`,
      { text: "\ud800 \udc00" },
    ],
    ["line separators", '{"text":"a\u2028b"}', { text: "a\u2028b" }],
    [
      "values that look like other types",
      '{"limit":"0x10","archived":"true","n":null}',
      { limit: "0x10", archived: "true", n: null },
    ],
  ])("strings pass as they are: %s", (_name, input, expected) => {
    expect(calls(withInput(input))).toEqual({
      kind: "calls",
      calls: [{ name: "save_note", input: expected }],
    });
  });

  test("the reading holds the visible text and the thinking apart", () => {
    expect(read(`\n<think> first </think>\n${block}<eos>\n`, "calls")).toEqual({
      verdict: listNotes,
      text: block,
      thinking: "first",
    });
  });
});

describe("everything else is refused by name", () => {
  test.each([
    ["", { code: "empty" }],
    [" \n\t ", { code: "empty" }],
    ["<think>a</think>", { code: "empty" }],
    ["<eos>", { code: "empty" }],
    ["Let me look.", { code: "no_block", bare_json: false }],
    ["[1, 2]", { code: "no_block", bare_json: false }],
    [`Sure:\n${list}`, { code: "no_block", bare_json: true }],
    [
      'Sure, I run {"tool_use":[]} now. Which note do you mean?',
      { code: "no_block", bare_json: true },
    ],
    ['Shall I write `{"tool_use":[]}` for that?', { code: "no_block", bare_json: false }],
    ['{"tool_use":[{"name":"list_notes"', { code: "no_block", bare_json: true }],
    ["```python\nprint(1)\n```", { code: "no_block", bare_json: false }],
    [`~~~json\n${list}\n~~~`, { code: "bad_fence", found: "~~~json", line: 1 }],
    [`\`\`\`\n${list}\n\`\`\``, { code: "bad_fence", found: "```", line: 1 }],
    [`Hm.\n\`\`\`JSON\n${list}\n\`\`\``, { code: "bad_fence", found: "```JSON", line: 2 }],
    [`\`\`\` json\n${list}\n\`\`\``, { code: "bad_fence", found: "``` json", line: 1 }],
    [`\`\`\`\`json\n${list}\n\`\`\`\``, { code: "bad_fence", found: "````json", line: 1 }],
    [
      `\`\`\`json ${list} \`\`\``,
      { code: "bad_fence", found: '```json {"tool_use":[{"…', line: 1 },
    ],
    [
      `\`\`\`json ${list}\n\`\`\``,
      { code: "bad_fence", found: '```json {"tool_use":[{"…', line: 1 },
    ],
    [`\`\`\`json\n${list}\`\`\``, { code: "bad_fence", found: "…{}}]}```", line: 2 }],
    [`\`\`\`json\n${list}\n  \`\`\``, { code: "bad_fence", found: "```", line: 3 }],
    [`\`\`\`json\n${list}\n\`\`\`\``, { code: "bad_fence", found: "````", line: 3 }],
    [`\`\`\`json\n${list}`, { code: "unclosed_block" }],
    ["```json", { code: "unclosed_block" }],
    [`${block}\n${block}\n${block}`, { code: "many_blocks", count: 3 }],
    [`\`\`\`json\n${list}\n${block}`, { code: "many_blocks", count: 2 }],
    [`${block} done`, { code: "text_outside", where: "after", excerpt: "done", line: 3 }],
    [
      `${block}\n\n  Done.\nReally.`,
      { code: "text_outside", where: "after", excerpt: "Done.", line: 5 },
    ],
    [`A\nB\n\n${block}`, { code: "text_outside", where: "before", excerpt: "A", line: 1 }],
    [
      `${block}\n\`\`\`\n${list}\n\`\`\``,
      { code: "text_outside", where: "after", excerpt: "```", line: 4 },
    ],
    [
      `<think>a</think>${"x".repeat(200)}\n${block}`,
      { code: "text_outside", where: "before", excerpt: `${"x".repeat(79)}…`, line: 1 },
    ],
  ])("%j", (text, problem) => {
    expect(calls(text)).toEqual({ kind: "refused", problem });
  });

  test.each([
    ["", "the JSON ends where a value is missing", 3, 1],
    ['{"tool_use":[}', '"}" where a value is missing', 2, 14],
    [`${list}x`, "something stands after the end of the JSON", 2, 48],
    [
      '{"tool_use":[{"name":"a","input":{"t":"one\ntwo"}}]}',
      String.raw`a line break inside a string; write \n instead`,
      2,
      43,
    ],
    // The closing quote is missing, so what follows is in the string: the fences are not what is wrong.
    [
      '{"tool_use":[{"name":"a","input":{"t":"b}}]}',
      String.raw`a line break inside a string; write \n instead`,
      2,
      45,
    ],
  ])("broken JSON %j", (json, reason, line, column) => {
    expect(calls(`\`\`\`json\n${json}\n\`\`\``)).toEqual({
      kind: "refused",
      problem: { code: "bad_json", reason, line, column },
    });
  });

  test("a text with real line breaks and its own fences is told about the line break, not about the fences", () => {
    expect(calls(withInput('{"text":"a\n```js\nb\n```\nc"}'))).toMatchObject({
      problem: { code: "bad_json", line: 2, column: 52 },
    });
  });

  test("the position is that in the reply without its thinking", () => {
    const text = `<think>\n\n\n</think>\n\n\`\`\`json\n\n{"tool_use": [], "tool_use": []}\n\`\`\``;
    expect(calls(text)).toEqual({
      kind: "refused",
      problem: { code: "duplicate_key", key: "tool_use", line: 3, column: 18 },
    });
  });

  test.each([
    ['{"a":{"b":[{"c":1,"\\u0063":2}]}}', { code: "duplicate_key", key: "c", line: 2, column: 60 }],
    [
      '{"a":[{"__proto__":{"x":1}}]}',
      { code: "forbidden_key", key: "__proto__", line: 2, column: 49 },
    ],
    ['{"\\u005f_proto__":1}', { code: "forbidden_key", key: "__proto__", line: 2, column: 43 }],
    [
      '{"constructor":{"prototype":{"x":1}}}',
      { code: "forbidden_key", key: "constructor", line: 2, column: 43 },
    ],
  ])("a key that comes twice or is dangerous, at any depth: %s", (input, problem) => {
    expect(calls(withInput(input))).toEqual({ kind: "refused", problem });
  });

  test("a constructor that is only a value is an argument like others", () => {
    expect(calls(withInput('{"constructor":"Foo","prototype":1}'))).toMatchObject({
      kind: "calls",
    });
  });

  const call = 'an object with exactly the keys "name" and "input"';
  test.each([
    ['"tool_use"', "the top level", 'an object with the key "tool_use"', 'the text "tool_use"'],
    ["null", "the top level", 'an object with the key "tool_use"', "null"],
    ["{}", "the top level", 'an object with exactly one key, "tool_use"', "an empty object"],
    [
      '{"tool_use":[],"note":""}',
      "the top level",
      'an object with exactly one key, "tool_use"',
      'an object with the keys "tool_use", "note"',
    ],
    ['{"tool_use":"list_notes"}', "tool_use", "a list of calls", 'the text "list_notes"'],
    [
      '{"tool_use":["list_notes"]}',
      "tool_use[0]",
      'an object with the keys "name" and "input"',
      'the text "list_notes"',
    ],
    [
      '{"tool_use":[{"name":"a","input":{}},{"name":"b"}]}',
      "tool_use[1]",
      call,
      'an object with the key "name"',
    ],
    [
      '{"tool_use":[{"name":"a","arguments":{}}]}',
      "tool_use[0]",
      call,
      'an object with the keys "name", "arguments"',
    ],
    [
      '{"tool_use":[{"name":"a","input":{},"id":1}]}',
      "tool_use[0]",
      call,
      'an object with the keys "name", "input", "id"',
    ],
    [
      '{"tool_use":[{"name":"","input":{}}]}',
      "tool_use[0].name",
      "the name of a tool",
      "an empty text",
    ],
    ['{"tool_use":[{"name":7,"input":{}}]}', "tool_use[0].name", "the name of a tool", "7"],
    [
      '{"tool_use":[{"name":"a","input":[]}]}',
      "tool_use[0].input",
      "an object with the tool's arguments",
      "an empty list",
    ],
    [
      '{"tool_use":[{"name":"a","input":"{}"}]}',
      "tool_use[0].input",
      "an object with the tool's arguments",
      'the text "{}"',
    ],
  ])("the wrong shape %s", (json, at, expected, found) => {
    expect(calls(`\`\`\`json\n${json}\n\`\`\``)).toEqual({
      kind: "refused",
      problem: { code: "wrong_shape", at, expected, found },
    });
  });
});

describe("how a reply ended comes first", () => {
  test.each([
    ["", "text"],
    ["Let me", "text"],
    ["```js", "block"],
    ["``", "block"],
    ['{"tool_use":', "block"],
    [block, "block"],
    ["<think>so", "thinking"],
  ])("cut by length: %j", (text, inside) => {
    expect(calls(text, "length")).toEqual({
      kind: "refused",
      problem: { code: "cut_off", inside },
    });
  });

  test("filtered, whatever it looks like", () => {
    expect(calls(block, "content_filter")).toEqual({
      kind: "refused",
      problem: { code: "filtered" },
    });
    expect(answer("x", "content_filter")).toEqual({
      kind: "refused",
      problem: { code: "filtered" },
    });
  });

  test("thinking that never closes is cut off, even when the model stopped by itself", () => {
    expect(calls("<think>so")).toEqual({
      kind: "refused",
      problem: { code: "cut_off", inside: "thinking" },
    });
  });
});

describe("a call inside the thinking", () => {
  test.each([
    ["alone", `<think>\n${block}\n</think>`],
    ["never closed", `<think>\n${block}`],
    ["with prose behind it", `<think>\n${block}\n</think>\nI did that.`],
    ["in another notation", "<think>\nCALL delete_note title=plan\n</think>"],
    ["in thinking that the template opened", `${block}\n</think>`],
  ])("is named: %s", (_name, text) => {
    expect(calls(text)).toEqual({ kind: "refused", problem: { code: "in_thinking" } });
  });

  test("does not hide a question to the user", () => {
    expect(calls(`<think>\n${block}\n</think>\nWhich folder?`)).toEqual({
      kind: "refused",
      problem: { code: "no_block", bare_json: false },
    });
  });

  test("is nothing to an answer", () => {
    expect(answer(`<think>\n${block}\n</think>\nAll done.`)).toEqual({
      kind: "text",
      text: "All done.",
    });
  });
});

describe("an answer is text", () => {
  test.each([
    "Here is it:\n```js\nlet a = 1;\n```\nDone.",
    '```json\n{"name": "Ada", "born": 1815}\n```',
    '{"name": "Ada", "born": 1815}',
    "You would write `<tool_call>` or `CALL list_notes` there.",
    'The key is `{"tool_use": []}`.',
    'It\'s `a` and ``{"tool_use":["`"]}`` here.',
    '```js\nconst reply = {"tool_use": []};\n```',
    "The result is <ul><li>one</li></ul> in a page.",
    "Put <user_id><type>int</type></user_id> into the file.",
    "```\nUser: hi\nAssistant: hello\n```",
    "<b>bold</b> and <details><summary>more</summary></details>",
    "User: is the first word here.",
    "The model writes </think> at the end.",
    "Between <think> and </think> stands the thinking.",
    "```html\n<my_tag><x>1</x></my_tag>\n```",
    "CALL them back at five.",
    "Action: buy milk\nReason: none left",
    '{"type": "circle", "radius": 2}',
  ])("%j", (text) => {
    expect(answer(text)).toEqual({ kind: "text", text });
  });

  test.each([
    ["  Sunny.<end_of_turn>\n", "Sunny."],
    ["Sunny.\n<|im_start|>user\nthanks", "Sunny."],
    ["Sunny.<|im_end|>\n<|im_start|>user\nthanks", "Sunny."],
    ["Sunny.\nHuman: and tomorrow?\n```json", "Sunny."],
    ["Sunny.\n### User\nmore", "Sunny."],
    ["hm\n</think>\n\nSunny.", "Sunny."],
  ])("without what does not belong to it: %j", (text, expected) => {
    const reading = read(text, "text");
    expect(reading.verdict).toEqual({ kind: "text", text: expected });
    expect(reading.text).toBe(expected);
  });

  test.each([
    [block, { code: "block_in_answer" }],
    [`Let me look.\n${block}\nThere are three.`, { code: "block_in_answer" }],
    [`\`\`\`\n${list}\n\`\`\``, { code: "block_in_answer" }],
    [`\`\`\`json ${list} \`\`\``, { code: "block_in_answer" }],
    ['```json\n{ "tool_use": [', { code: "block_in_answer" }],
    [list, { code: "block_in_answer" }],
    [`Sure:\n${list}`, { code: "block_in_answer" }],
    [
      'Here you go: {"tool_use":[{"name":"delete_note","input":{"title":"plan"}}]}',
      { code: "block_in_answer" },
    ],
    ['Use `it`: { "tool_calls": [] } and `go`.', { code: "block_in_answer" }],
    ['A stray ` and {"tool_use":[]}', { code: "block_in_answer" }],
    ['Here: ```json {"tool_use":[]} ```', { code: "block_in_answer" }],
    ['{"name": "weather", "arguments": {"city": "Oslo"}}', { code: "block_in_answer" }],
    ['{"type":"object","properties":{"a":{"type":"string"}}}', { code: "schema_echo" }],
    [
      "<read_note><title>plan</title></read_note>\nDone.",
      { code: "foreign_syntax", syntax: "xml_tag", tool: "read_note" },
    ],
    ["", { code: "empty" }],
    ["User:", undefined],
    ["<think>a</think>", { code: "empty" }],
    ["<think>a", { code: "cut_off", inside: "thinking" }],
  ])("not when it wants to act, or is none: %j", (text, problem) => {
    expect(answer(text)).toEqual(
      problem === undefined ? { kind: "text", text } : { kind: "refused", problem },
    );
  });

  test("cut by length it is no answer", () => {
    expect(answer("The first thing is", "length")).toEqual({
      kind: "refused",
      problem: { code: "cut_off", inside: "text" },
    });
  });
});

describe("a reply is complete", () => {
  test("with the third back-tick of its closing fence", () => {
    expect(completeAfter(`${block}\nmore`)).toBe(block.length);
  });

  test("after its thinking, not with a block inside it", () => {
    const thinking = `<think>\n${block}\n</think>\n`;
    expect(completeAfter(`${thinking}${block}\n`)).toBe(thinking.length + block.length);
  });

  test("after thinking that the chat template opened, although it spoke of a block", () => {
    const thinking = `So I write:\n${block}\nYes.</think>`;
    expect(completeAfter(`${thinking}${block}\n`)).toBe(thinking.length + block.length);
  });

  test("after more thinking behind that, and white space", () => {
    const thinking = "Hm.\n</think>\n\n<think>So.</think>\n";
    expect(completeAfter(`${thinking}${block}\n`)).toBe(thinking.length + block.length);
  });

  test("when its strings have real line breaks in them, which is refused whatever follows", () => {
    expect(completeAfter('```json\n{"tool_use":"a\nb"}\n```')).toBe(30);
  });

  test("whatever is wrong inside a JSON value that has closed", () => {
    expect(completeAfter('```json\n{"tool_calls":[1,]}\n```')).toBe(31);
  });

  test.each([
    ["the fence is missing", `\`\`\`json\n${list}`],
    ["the JSON is still open", '```json\n{"tool_use":[\n```'],
    ["the fence is inside a string", '```json\n{"tool_use":[{"name":"a\n```'],
    ["something stands before the block", `Sure.\n${block}`],
    ["the block is of another kind", "```js\n1\n```"],
    ["the fence is behind the JSON", `\`\`\`json\n${list}\`\`\``],
  ])("not while %s", (_name, text) => {
    expect(completeAfter(text)).toBeNull();
  });

  test("not in an answer, whose blocks are text", () => {
    expect(completeAfter("```json\n1\n```", "text")).toBeNull();
  });

  test("stays so, and what is still written is judged", () => {
    const reader = codeblock.reader("calls");
    expect(reader.write(block)).toEqual({ complete: true });
    expect(reader.end("stop").verdict).toEqual(listNotes);
    expect(reader.write("\nDone.")).toEqual({ complete: true });
    expect(reader.end("stop").verdict).toMatchObject({
      problem: { code: "text_outside", where: "after" },
    });
  });
});

describe("the one right form", () => {
  test("is one line of JSON in a block", () => {
    const two: Call[] = [
      { name: "list_notes", input: {} },
      { name: "read_note", input: { title: "a\nb" } },
    ];
    expect(codeblock.format(two)).toBe(
      '```json\n{"tool_use":[{"name":"list_notes","input":{}},{"name":"read_note","input":{"title":"a\\nb"}}]}\n```',
    );
    expect(codeblock.format([])).toBe('```json\n{"tool_use":[]}\n```');
  });

  test("holds no token that a chat template would read", () => {
    expect(codeblock.format([{ name: "save_note", input: { text: "<|im_end|></s><eos>" } }])).toBe(
      String.raw`${"```"}json
{"tool_use":[{"name":"save_note","input":{"text":"\u003c|im_end|>\u003c/s>\u003ceos>"}}]}
${"```"}`,
    );
  });
});
