import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { type Node, parse } from "acorn";
import { describe, expect, test } from "vitest";
import { parse as parseYaml } from "yaml";

import { skillsFolder } from "./tool-runs.ts";

interface Frontmatter {
  name: string;
  description: string;
  version: string;
  tags: string[];
  status: string;
  default: string;
  examples: string[];
}

const tokensMax: Record<string, number> = {
  "file-ops": 350,
  "tell-joke": 250,
  "ds-mentor": 250,
  "word-count": 250,
};

function readSkill(name: string) {
  const text = readFileSync(path.join(skillsFolder, name, "SKILL.md"), "utf8");
  const [, head = "", body = ""] = /^---\n(.*?)\n---\n(.*)$/su.exec(text) ?? [];
  return { head: parseYaml(head, { schema: "failsafe" }) as Frontmatter, body };
}

function filesIn(skill: string, folder: string): string[] {
  const all = readdirSync(path.join(skillsFolder, skill), { recursive: true, encoding: "utf8" });
  return all
    .filter(
      (file) =>
        file.startsWith(`${folder}/`) && path.extname(file) !== "" && !file.includes("__pycache__"),
    )
    .toSorted();
}

/** A rough count from above: a word of up to eight letters is one, every other character one. */
function tokensOf(text: string): number {
  const pieces = text.match(/[A-Za-z]+|[^\sA-Za-z]/gu) ?? [];
  return pieces.reduce((sum, piece) => sum + Math.ceil(piece.length / 8), 0);
}

/** The exported constants of a script, read without running it. Throws where one is not a literal. */
function exportedLiterals(source: string): Record<string, unknown> {
  const literals: Record<string, unknown> = {};
  for (const statement of parse(source, { ecmaVersion: "latest", sourceType: "module" }).body) {
    if (
      statement.type !== "ExportNamedDeclaration" ||
      statement.declaration?.type !== "VariableDeclaration"
    )
      continue;
    for (const { id, init } of statement.declaration.declarations) {
      if (id.type === "Identifier" && init)
        literals[id.name] = JSON.parse(literalText(source, init));
    }
  }
  return literals;
}

function literalText(source: string, node: Node): string {
  if (
    node.type === "ObjectExpression" ||
    node.type === "ArrayExpression" ||
    node.type === "Literal"
  ) {
    // Only literals survive this: identifiers and calls are no JSON once keys and strings are quoted.
    const text = source.slice(node.start, node.end).replace(/^\s*\/\/.*$/gm, "");
    const keysQuoted = text
      .replace(/([{,]\s*)([A-Za-z_]\w*):/g, '$1"$2":')
      .replace(/\b(\d+)_(\d+)\b/g, "$1$2");
    return keysQuoted.replace(/,(\s*[}\]])/g, "$1");
  }
  throw new Error(`not a literal: ${source.slice(node.start, node.end)}`);
}

test("these skills ship", () => {
  expect(readdirSync(skillsFolder).toSorted()).toEqual([
    "ds-mentor",
    "file-ops",
    "tell-joke",
    "word-count",
  ]);
});

describe.each(Object.keys(tokensMax))("%s", (name) => {
  const { head, body } = readSkill(name);

  test("its frontmatter is complete", () => {
    expect(head).toMatchObject({ name, version: "1.0.0", status: "active", default: "false" });
    expect(head.description.length).toBeGreaterThan(60);
    expect(head.description.length).toBeLessThan(240);
    expect(head.description).toMatch(/\. Use it (when|for) .+\.$/);
    expect(head.tags.length).toBeGreaterThan(1);
  });

  test("its body fits into a small prompt", () => {
    expect(tokensOf(body)).toBeGreaterThan(100);
    expect(tokensOf(body)).toBeLessThanOrEqual(tokensMax[name] ?? 0);
  });

  test("its body names every reference, and no other", () => {
    const named = body.match(/references\/[\w-]+\.md/gu) ?? [];
    expect(named.toSorted()).toEqual(filesIn(name, "references"));
  });

  test("it has examples for each of its tools", () => {
    const tools = filesIn(name, "scripts")
      .map((file) => path.parse(file).name)
      .filter((stem) => !stem.startsWith("_"));
    expect(head.examples.length).toBeGreaterThanOrEqual(4);
    expect(head.examples.length).toBeLessThanOrEqual(12);
    const named = head.examples.map((example) => /^([a-z_]+): /u.exec(example)?.[1]);
    expect(new Set(named)).toEqual(new Set(tools.length === 0 ? [undefined] : tools));
  });
});

test.each([
  ["file-ops", "create_file.mjs", "write", ["path", "content"], ["path", "content"]],
  ["file-ops", "delete_file.mjs", "destructive", ["path"], ["path"]],
  ["file-ops", "find_file.mjs", "read", ["name"], ["name"]],
  ["file-ops", "list_files.mjs", "read", ["path", "glob", "depth"], []],
  ["file-ops", "read_file.mjs", "read", ["path", "from_line", "lines"], ["path"]],
  [
    "file-ops",
    "update_file.mjs",
    "destructive",
    ["path", "content", "append"],
    ["path", "content"],
  ],
  ["tell-joke", "tell_joke.mjs", "read", ["kind", "number"], []],
])("%s/%s says in literals what it is: %s", (skill, script, effect, names, required) => {
  const source = readFileSync(path.join(skillsFolder, skill, "scripts", script), "utf8");
  const read = exportedLiterals(source);
  const options = read["options"] as Record<
    string,
    { type: string; description: string; required?: boolean }
  >;
  expect(read["effect"]).toBe(effect);
  expect(read["description"]).toMatch(/^[A-Z].{10,60}\.$/);
  expect(Object.keys(options)).toEqual(names);
  expect(Object.keys(options).filter((key) => options[key]?.required)).toEqual(required);
  for (const option of Object.values(options)) expect(option.description).toMatch(/^.{5,50}$/);
});

test.each([
  [
    "file-ops",
    ["_project.mjs", "_search.mjs", "create_file.mjs", "read_file.mjs", "update_file.mjs"],
  ],
  ["word-count", ["word_count.py"]],
  ["tell-joke", ["tell_joke.mjs"]],
])("each failure that %s gives advice on is one its scripts can report", (skill, scripts) => {
  const sources = scripts
    .map((file) => readFileSync(path.join(skillsFolder, skill, "scripts", file), "utf8"))
    .join("\n");
  const advice = readSkill(skill)
    .body.split("\n")
    .filter((line) => /^(- )?`[a-z ]+`(, `| or `|:)/u.test(line));
  const phrases = advice.flatMap(
    (line) => line.slice(0, line.indexOf(":")).match(/(?<=`)[a-z ]{3,}(?=`)/gu) ?? [],
  );
  expect(phrases.length).toBeGreaterThan(0);
  for (const phrase of phrases.filter((text) => text.trim() === text))
    expect(sources).toContain(phrase);
});
