import { existsSync, readFileSync } from "node:fs";
import { fc, test as property } from "@fast-check/vitest";
import { describe, expect, test } from "vitest";
import { readSkillFile } from "../../src/skills/frontmatter.ts";

const codes = (source: string, folder = "tea") =>
  readSkillFile(source, folder).remarks.map(({ code }) => code);
const fields = (source: string, folder = "tea") => readSkillFile(source, folder).fields;

test("a file in order gives its fields, its text and no remark", () => {
  const source =
    "---\nname: tea\ndescription: Makes tea.\nversion: 1.10\ntags: [hot, green]\nstatus: draft\ndefault: true\nlicense: MIT\ncompatibility: needs a kettle\nallowed-tools: Read, Bash(git add *)\ndisable-model-invocation: yes\nauthor: Ada\nrequires:\n  bins: [kettle]\n---\n\n# Tea\n\nBoil water.\n";
  expect(readSkillFile(source, "tea")).toEqual({
    fields: {
      name: "tea",
      description: "Makes tea.",
      version: "1.10",
      tags: ["hot", "green"],
      status: "draft",
      isDefault: true,
      examples: [],
      license: "MIT",
      compatibility: "needs a kettle",
      allowedTools: ["Read", "Bash(git add *)"],
      userOnly: true,
      extra: { author: "Ada", requires: { bins: ["kettle"] } },
    },
    instructions: "# Tea\n\nBoil water.",
    remarks: [],
  });
});

test("what is absent has a plain value", () => {
  expect(fields("---\nname: tea\ndescription: x\n---\n")).toEqual({
    name: "tea",
    description: "x",
    version: null,
    tags: [],
    status: "active",
    isDefault: false,
    examples: [],
    license: null,
    compatibility: null,
    allowedTools: [],
    userOnly: false,
    extra: {},
  });
});

describe("values", () => {
  test.each([
    ["allowed-tools: wipe", ["wipe"]],
    ["allowed-tools: Read wipe Bash(git add *) Edit", ["Read", "wipe", "Bash(git add *)", "Edit"]],
    ["allowed-tools: [Read, wipe]", ["Read", "wipe"]],
    ["allowed-tools:\n  - Bash(git commit -m, *)\n  - wipe", ["Bash(git commit -m, *)", "wipe"]],
    ["allowed-tools: ((", []],
    ["allowed-tools:", []],
  ])("%j gives the allowed tools %j", (line, tools) => {
    expect(fields(`---\nname: tea\ndescription: x\n${line}\n---\n`).allowedTools).toEqual(tools);
  });

  test.each([
    ["tags: a, b,  c ", ["a", "b", "c"]],
    ["tags: [a, b, a]", ["a", "b"]],
    ["tags:\n  - a\n  - b c", ["a", "b c"]],
    ["tags:", []],
    ["tags: one", ["one"]],
  ])("%j gives the tags %j", (line, tags) => {
    expect(fields(`---\nname: tea\ndescription: x\n${line}\n---\n`).tags).toEqual(tags);
  });

  test.each([
    ["true", true],
    ["Yes", true],
    ["ON", true],
    ['"1"', true],
    ["false", false],
    ["no", false],
    ["2", false],
    ["", false],
  ])("default: %s means %s", (word, isDefault) => {
    expect(fields(`---\nname: tea\ndescription: x\ndefault: ${word}\n---\n`).isDefault).toBe(
      isDefault,
    );
  });

  test.each([
    ["version: 1.10", "1.10"],
    ["version: 2024-01-01", "2024-01-01"],
    ["version: ~", "~"],
    ["version:", null],
  ])("%j stays the text it is", (line, version) => {
    expect(fields(`---\nname: tea\ndescription: x\n${line}\n---\n`).version).toBe(version);
  });

  test("a description over several lines becomes one, and is never cut", () => {
    const long = "word ".repeat(2_000).trim();
    expect(
      fields(`---\nname: tea\ndescription: |\n  Makes tea.\n\n  Use it.\n---\n`).description,
    ).toBe("Makes tea. Use it.");
    expect(fields(`---\nname: tea\ndescription: >-\n  a\n  b\n---\n`).description).toBe("a b");
    expect(fields(`---\nname: tea\ndescription: ${long}\n---\n`).description).toBe(long);
  });

  test("an example names its tool or only says the request", () => {
    const source =
      '---\nname: tea\ndescription: x\nexamples:\n  - "make_tea: make me a tea"\n  - make_tea: with milk, please\n  - is there tea?\n  - ""\n---\n';
    expect(fields(source).examples).toEqual([
      { tool: "make_tea", request: "make me a tea" },
      { tool: "make_tea", request: "with milk, please" },
      { tool: null, request: "is there tea?" },
    ]);
  });
});

describe("names", () => {
  test.each([
    ["make-tea_2", "make-tea_2", ["name_not_folder"]],
    ["  tea  ", "tea", []],
    ["Tea", "Tea", ["name_not_folder"]],
    ["Make Tea", "make-tea", ["bad_name"]],
    ["Tee für Alle!", "tee-fur-alle", ["bad_name"]],
    ["ｔｅａ", "tea", ["bad_name"]],
    ["../../etc", "etc", ["bad_name"]],
    ["plugin:tea", "plugin-tea", ["bad_name"]],
    ["天气", "tea", ["bad_name"]],
    ["..", "tea", ["bad_name"]],
    ["-tea-", "tea", ["bad_name"]],
    ["x".repeat(65), "x".repeat(64), ["bad_name"]],
    ['"te\\u200Ba"', "te-u-200b-a", ["hidden_characters", "bad_name"]],
  ])("%j is taken as %s", (written, name, remarks) => {
    const source = `---\nname: ${written}\ndescription: x\n---\n`;
    expect([fields(source).name, codes(source)]).toEqual([name, remarks]);
  });

  test("without a usable letter anywhere, the name is made of code points", () => {
    expect(fields("---\nname: 天气\ndescription: x\n---\n", "天气").name).toBe("skill-5929-6c14");
  });
});

describe("repairs", () => {
  test.each([
    ["a byte order mark", "\uFEFF---\nname: tea\ndescription: x\n---\nBoil.", ["byte_order_mark"]],
    ["CR LF", "---\r\nname: tea\r\ndescription: x\r\n---\r\nBoil.", ["carriage_returns"]],
    ["NUL bytes", "---\nname: t\0ea\ndescription: x\n---\nBoil.", ["nul_bytes"]],
    ["blank lines first", "\n \n---\nname: tea\ndescription: x\n---\nBoil.", ["leading_lines"]],
    [
      "a comment first",
      "<!-- licence\nline -->\n---\nname: tea\ndescription: x\n---\nBoil.",
      ["leading_lines"],
    ],
    [
      "a fence around the file",
      "```markdown\n---\nname: tea\ndescription: x\n---\nBoil.\n```\n",
      ["fenced_file"],
    ],
    ["no closing line", "---\nname: tea\ndescription: x\n\nBoil.", ["unclosed_frontmatter"]],
    [
      "a heading for a closing line",
      "---\nname: tea\ndescription: x\n# Boil.",
      ["unclosed_frontmatter"],
    ],
    ["no opening line", "name: tea\ndescription: x\n---\nBoil.", ["no_opening_line"]],
    ["dots for a closing line", "---\nname: tea\ndescription: x\n...\nBoil.", []],
    ["a comment behind the opening line", "--- # tea\nname: tea\ndescription: x\n---\nBoil.", []],
    ["the word yaml behind the opening line", "---yaml\nname: tea\ndescription: x\n---\nBoil.", []],
    ["a longer closing line", "---\nname: tea\ndescription: x\n-----\nBoil.", []],
    ["a doubled key", "---\nname: x\nname: tea\ndescription: x\n---\nBoil.", ["duplicate_key"]],
    ["a tab behind the colon", "---\nname:\ttea\ndescription: x\n---\nBoil.", []],
    ["tabs before keys", "---\nname: tea\n\tdescription: x\n---\nBoil.", ["bad_yaml"]],
    ["a value that is a list", "---\nname: tea\ndescription: [x]\n---\nBoil.", []],
    ["a value that is a mapping", "---\nname: tea\ndescription: {x}\n---\nBoil.", ["bad_yaml"]],
  ])("%s: name, description and text are found", (_what, source, remarks) => {
    const file = readSkillFile(source, "tea");
    expect(file.fields.name).toBe("tea");
    expect(file.fields.description).toMatch(/^\{?x\}?$/);
    expect(file.instructions).toMatch(/^(?:# )?Boil\.$/);
    expect(file.remarks.map(({ code }) => code)).toEqual(remarks);
  });

  test.each([
    ["description: Use when: it rains", "Use when: it rains"],
    ['description: "Tea". And more', "Tea. And more"],
    ["description: 'it''s tea'\npaths: *.md", "it's tea"],
    ["description: @tea is hot", "@tea is hot"],
    ["description: Makes tea:\n  green: and black", "Makes tea: green: and black"],
    ["description: >\n  Makes\n  tea\nbad: a: b", "Makes tea"],
    ['description: "never closed', '"never closed'],
    ["description: [a, b", "[a, b"],
  ])("%j is no YAML, and is read all the same", (line, description) => {
    const source = `---\nname: tea\n${line}\ntags: [hot, green]\n---\nBoil.`;
    const file = readSkillFile(source, "tea");
    expect(file.fields).toMatchObject({ name: "tea", description, tags: ["hot", "green"] });
    expect(file.remarks).toMatchObject([{ level: "warning", code: "bad_yaml" }]);
  });

  test("a remark on YAML names the line in the file", () => {
    const [, remark] = readSkillFile(
      "\n\n---\nname: tea\ndescription: a: b\n---\nBoil.",
      "tea",
    ).remarks;
    expect(remark).toEqual({
      level: "warning",
      code: "bad_yaml",
      message:
        "line 5 is not YAML (Nested mappings are not allowed in compact mappings); put the value in double quotes. Read line by line",
    });
  });

  test("the same broken text gives the same remarks twice: nothing is remembered", () => {
    const source = "---\nname: tea\ndescription: a: b\n---\nBoil.";
    const first = readSkillFile(source, "tea");
    expect(readSkillFile(source, "tea")).toEqual(first);
    expect(first.fields.description).toBe("a: b");
  });

  test.each([
    ["an alias bomb", `a: &a [x, x]\nb: &b [*a, *a]\nc: [*b, *b]`],
    ["deep brackets", `a: ${"[".repeat(5_000)}`],
    ["deep braces", `a: ${"{".repeat(3_000)}${"}".repeat(3_000)}`],
    ["deep question marks", `more:\n  ${"? ".repeat(5_000)}`],
    ["too much of it", "more: x\n".repeat(10_000)],
  ])("%s is not given to the YAML reader", (_what, text) => {
    const source = `---\nname: tea\ndescription: x\n${text}\n---\nBoil.`;
    expect(fields(source)).toMatchObject({ name: "tea", description: "x" });
    expect(codes(source)).toEqual(["bad_yaml"]);
  });
});

describe("descriptions that are not given", () => {
  test.each([
    ["# Tea\n\nMakes *tea*.\nAlways hot.\n\nMore.", "Makes *tea*. Always hot."],
    ["# Tea\nMakes tea.", "Makes tea."],
    [
      "<!-- not\n\nthis -->\n\n- no list\n- at all\n\n> no quote\n\n| no | table |\n\nMakes tea.",
      "Makes tea.",
    ],
    ["```\nno code\n```\n\nMakes tea.", "Makes tea."],
    ["# Tea\n\n- only a list", "Tea"],
    ["---\n\nMakes tea.", "Makes tea."],
    ["word ".repeat(400), `${"word ".repeat(204).trim()}…`],
  ])("%j is described as %j", (body, description) => {
    expect(fields(body).description).toBe(description);
    expect(codes(body)).toEqual(["no_frontmatter", "description_from_body"]);
  });

  test.each(["", "\n\n", "- only\n- a list", "---\nname: tea\n---\n", "```\ncode\n```"])(
    "%j has nothing to say and is no skill",
    (source) => {
      expect(readSkillFile(source, "tea").remarks.at(-1)).toMatchObject({
        level: "error",
        code: "no_description",
      });
    },
  );
});

describe("hidden characters", () => {
  test("in a description they are shown", () => {
    const source =
      "---\nname: tea\ndescription: te\u200Ba \u202Eevil\u202C \u{E0041} \u0007 👨‍👩‍👧\n---\nBoil.";
    expect(fields(source).description).toBe(
      "te\\u{200b}a \\u{202e}evil\\u{202c} \\u{e0041} \\u{7} 👨‍👩‍👧",
    );
    expect(codes(source)).toEqual(["hidden_characters"]);
  });

  test("in the text they are shown, too", () => {
    const file = readSkillFile("---\nname: tea\ndescription: x\n---\nBoil\u{E0041}\tit.\n", "tea");
    expect(file.instructions).toBe("Boil\\u{e0041}\tit.");
    expect(file.remarks.map(({ code }) => code)).toEqual(["hidden_characters"]);
  });
});

describe("frontmatter that is code", () => {
  const source = readFileSync(
    new URL("../fixtures/skills/executable-frontmatter/SKILL.md", import.meta.url),
    "utf8",
  );

  test("is refused by name and does not run", () => {
    const file = readSkillFile(source, "executable-frontmatter");
    expect(file.remarks).toEqual([
      {
        level: "error",
        code: "forbidden_engine",
        message: 'frontmatter in "js" is not read, only YAML is; write "---" alone on line 1',
      },
    ]);
    expect(Object.hasOwn(globalThis, "frontmatterRan")).toBe(false);
    expect(existsSync("frontmatter-ran.txt")).toBe(false);
  });

  test.each([
    "js",
    " js",
    "JS",
    "javascript",
    "JavaScript",
    "coffee",
    "coffeescript",
    "cson",
    "json",
    "toml",
    "constructor",
    "__proto__",
    "toString",
  ])("---%s is refused, with blank lines before it and with a byte order mark, too", (word) => {
    for (const before of ["", "\n\n", "\uFEFF", "<!-- x -->\n", "```\n"]) {
      const hostile = source.replace("---js", `${before}---${word}`);
      expect(
        readSkillFile(hostile, "tea")
          .remarks.filter(({ level }) => level === "error")
          .map(({ code }) => code),
      ).toEqual(["forbidden_engine"]);
    }
    expect(Object.hasOwn(globalThis, "frontmatterRan")).toBe(false);
    expect(existsSync("frontmatter-ran.txt")).toBe(false);
  });
});

const pieces = fc.constantFrom(
  "---",
  "---js",
  "\n",
  "\r\n",
  "\t",
  " ",
  "name: ",
  "description: ",
  "tags: [",
  "]",
  "{",
  "}",
  "? ",
  "- ",
  "&a ",
  "*a",
  "!t ",
  "|",
  ">",
  '"',
  "'",
  "#",
  "```",
  "<!--",
  "-->",
  "...",
  "\0",
  "\uFEFF",
  "\u2028",
  "é",
  "天",
  "\uD800",
  "%",
  ":",
  "__proto__: x",
  "a",
);

describe("on any text", () => {
  property.prop([
    fc.oneof(
      fc.string({ unit: "binary" }),
      fc.array(pieces, { maxLength: 60 }).map((all) => all.join("")),
    ),
  ])("reading never throws, gives a usable name, and is plain JSON", (source) => {
    const file = readSkillFile(source, "tea");
    expect(file.fields.name).toMatch(/^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/);
    expect(file.fields.description).not.toMatch(/[\n\r\u202E\u200B]/);
    expect(JSON.parse(JSON.stringify(file.remarks))).toEqual(file.remarks);
  });

  property.prop([
    fc.array(pieces, { maxLength: 40 }).map((all) => `---\n${all.join("")}`),
    fc.string(),
  ])("reading twice gives the same, whatever the folder is called", (source, folder) => {
    expect(readSkillFile(source, folder)).toEqual(readSkillFile(source, folder));
  });

  test.each([
    ["line ends", `---\n${"\n".repeat(200_000)}---\n`],
    ["rules", "---\n".repeat(50_000)],
    ["comments", "<!--".repeat(50_000)],
    ["brackets", `---\na: ${"[{".repeat(100_000)}`],
    ["keys", `---\n${"a: b: c\n".repeat(25_000)}---\n`],
    ["separators", `---\n${"\u2028 ".repeat(100_000)}\n---\n`],
    ["spaces", `---${" ".repeat(200_000)}!`],
    ["headings", "# ".repeat(100_000)],
  ])("200 kB of %s is read in a moment", (_what, source) => {
    expect(readSkillFile(source, "tea").fields.name).toBe("tea");
  });
});
