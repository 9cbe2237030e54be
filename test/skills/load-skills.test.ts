import { execFileSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { loadSkills } from "../../src/skills/load-skills.ts";
import { python } from "../helpers/python-fixtures.ts";

const fixtures = fileURLToPath(new URL("../fixtures/skills", import.meta.url));
const plain = (name: string) => `---\nname: ${name}\ndescription: Does ${name}.\n---\n\nDo it.\n`;
const script = 'export const description = "Does it.";\nexport const options = {};\n';

let root: string;
beforeEach(() => {
  root = realpathSync(mkdtempSync(path.join(tmpdir(), "skills-")));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

/** Writes files below the temporary folder. */
function write(files: Record<string, string | Buffer>): void {
  for (const [file, content] of Object.entries(files)) {
    mkdirSync(path.join(root, path.dirname(file)), { recursive: true });
    writeFileSync(path.join(root, file), content);
  }
}

async function load(...folders: string[]) {
  const all = folders.length === 0 ? [root] : folders.map((folder) => path.join(root, folder));
  const { skills, diagnostics } = await loadSkills({ folders: all, python: null });
  return {
    names: skills.map(({ name }) => name),
    tools: skills.flatMap(({ tools }) => tools.map(({ name }) => name)),
    references: skills.flatMap(({ references }) => references),
    diagnostics: diagnostics.map(({ path: file, code }) => `${file}: ${code}`),
    messages: diagnostics.map(({ message }) => message),
    skills,
  };
}

describe("the fixture folder", () => {
  test.skipIf(python.missing)(
    `gives its skills in the order of names, and says what is wrong with the others${python.note}`,
    async () => {
      const { skills, diagnostics } = await loadSkills({
        folders: [fixtures],
        python: python.path,
      });
      expect(skills.map(({ name, status, isDefault }) => [name, status, isDefault])).toEqual([
        ["broken-yaml", "active", false],
        ["no-frontmatter", "active", false],
        ["one-name", "active", false],
        ["other-name", "Draft", false],
        ["runs-on-import", "active", false],
        ["weather", "active", false],
        ["wetter-fur-alle", "active", false],
      ]);
      expect(diagnostics.map(({ level, path: file, code }) => `${level} ${file} ${code}`)).toEqual([
        "warning broken-yaml/SKILL.md bad_yaml",
        "warning empty/SKILL.md no_frontmatter",
        "error empty/SKILL.md no_description",
        "error executable-frontmatter/SKILL.md forbidden_engine",
        "warning no-frontmatter/SKILL.md no_frontmatter",
        "warning no-frontmatter/SKILL.md description_from_body",
        "warning weather/scripts/notes.txt unknown_script",
        "warning wetter-für-alle/SKILL.md bad_name",
      ]);
    },
  );

  test.skipIf(python.missing)(`gives a skill whole${python.note}`, async () => {
    const { skills } = await loadSkills({ folders: [fixtures], python: python.path });
    const folder = path.join(fixtures, "weather");
    expect(skills.find(({ name }) => name === "weather")).toEqual({
      name: "weather",
      description:
        "Tells the weather of a place. Use it when the user asks about rain, sun or wind.",
      version: "1.10",
      tags: ["weather", "rain"],
      status: "active",
      isDefault: false,
      userOnly: false,
      origin: "flag",
      folder,
      root: fixtures,
      fileName: "SKILL.md",
      license: null,
      compatibility: null,
      allowedTools: [],
      requires: [],
      needs: { network: false, environment: [] },
      extra: { author: "Ada" },
      instructions: "# Weather\n\nCall `get_weather` once.",
      references: ["references/clouds.md", "references/units/wind.md"],
      examples: [
        { tool: "get_weather", request: "will it rain in Berlin?" },
        { tool: null, request: "how windy is it?" },
      ],
      tools: [
        {
          name: "get_weather",
          skill: "weather",
          description: "Tells the weather of a place. Needs no key.",
          schema: {
            type: "object",
            properties: {
              place: { type: "string", description: "a city" },
              days: { type: "integer", minimum: 1, maximum: 14, default: 1 },
              unit: { type: "string", enum: ["celsius", "fahrenheit"] },
              verbose: { type: "boolean" },
            },
            required: ["place"],
            additionalProperties: false,
          },
          effect: "read",
          exclusive: [],
          runtime: "node",
          file: path.join(folder, "scripts/get_weather.mjs"),
          command: [],
          arguments: [
            { name: "place", flag: null, form: "value" },
            { name: "days", flag: "--days", form: "value" },
            { name: "unit", flag: "--unit", form: "value" },
            { name: "verbose", flag: "--verbose", form: "switch" },
          ],
        },
        {
          name: "history",
          skill: "weather",
          description: "Lists the storms of a year.",
          schema: {
            type: "object",
            properties: { year: { type: "integer" } },
            required: ["year"],
            additionalProperties: false,
          },
          effect: "read",
          exclusive: [],
          runtime: "python",
          file: path.join(folder, "scripts/storm/history.py"),
          command: [],
          arguments: [{ name: "year", flag: null, form: "value" }],
        },
      ],
    });
  });

  test.skipIf(python.missing)(
    `runs nothing: scripts that write or hang when imported become tools all the same${python.note}`,
    async () => {
      const { skills } = await loadSkills({
        folders: [path.join(fixtures, "runs-on-import")],
        python: python.path,
      });
      expect(skills[0]?.tools.map(({ name }) => name)).toEqual(["hangs", "writes", "writes_too"]);
      expect(existsSync(path.join(fixtures, "runs-on-import/scripts/imported.txt"))).toBe(false);
      expect(existsSync("frontmatter-ran.txt")).toBe(false);
    },
  );

  test("qualifies the names of tools that two skills share, or that the harness has itself", async () => {
    const { skills } = await loadSkills({ folders: [fixtures], python: null });
    const tools = skills.flatMap((skill) => skill.tools.map(({ name }) => name));
    expect(tools).toEqual([
      "one-name__load_skill",
      "one-name__search",
      "other-name__search",
      "hangs",
      "writes",
      "get_weather",
    ]);
  });

  test("without Python, says so for each Python script", async () => {
    const { diagnostics } = await loadSkills({ folders: [fixtures], environment: {} });
    expect(
      diagnostics.filter(({ code }) => code === "python_missing").map(({ path: file }) => file),
    ).toEqual(["runs-on-import/scripts/writes_too.py", "weather/scripts/storm/history.py"]);
  });
});

describe("skills folders", () => {
  test("that are missing or no folders are an error that names them", async () => {
    write({ file: "x" });
    await expect(load("nowhere")).rejects.toMatchObject({
      code: "no_such_file",
      message: `skills folder "${path.join(root, "nowhere")}": there is no such folder. Create it or name another.`,
    });
    await expect(load("file")).rejects.toMatchObject({
      code: "not_readable",
      message: `skills folder "${path.join(root, "file")}" cannot be read: it is not a folder. Name a folder of skills.`,
    });
  });

  test("may be empty, which is said, or not given at all", async () => {
    expect(await load()).toMatchObject({ names: [], diagnostics: [".: no_skills"] });
    expect(await loadSkills({ folders: [] })).toEqual({
      skills: [],
      diagnostics: [],
      python: null,
    });
  });

  test("may be one skill", async () => {
    write({
      "tea/SKILL.md": plain("tea"),
      "tea/scripts/make.mjs": script,
      "tea/scripts/bad.txt": "",
      "tea/inner/SKILL.md": plain("inner"),
    });
    expect(await load("tea")).toMatchObject({
      names: ["tea"],
      tools: ["make"],
      diagnostics: ["scripts/bad.txt: unknown_script"],
    });
  });

  test("that share a skill by real path give it once, without a word", async () => {
    write({ "a/tea/SKILL.md": plain("tea") });
    symlinkSync("tea", path.join(root, "a/also-tea"));
    symlinkSync("a", path.join(root, "b"));
    expect(await load("a", "b", "a/tea")).toMatchObject({ names: ["tea"], diagnostics: [] });
  });

  test("that have two skills of one name give the first, and say who won", async () => {
    write({
      "a/tea/SKILL.md": plain("tea"),
      "b/tea/SKILL.md": plain("Tea"),
      "b/tea/scripts/make.mjs": script,
      "b/best/SKILL.md": plain("tea"),
    });
    const loaded = await load("b", "a");
    expect(loaded).toMatchObject({
      names: ["tea"],
      tools: [],
      diagnostics: [
        "best/SKILL.md: name_not_folder",
        "tea/SKILL.md: name_not_folder",
        "tea/SKILL.md: name_taken",
        "tea/SKILL.md: name_taken",
      ],
    });
    expect(loaded.skills[0]?.folder).toBe(path.join(root, "b/best"));
    expect(loaded.messages[2]).toBe(
      `another skill is named "tea" and was found first: ${path.join(root, "b/best")}. That one is used; rename one of them.`,
    );
  });

  test("pass over files, hidden folders and node_modules, and name folders without a SKILL.md", async () => {
    write({
      "README.md": "x",
      ".git/SKILL.md": plain("git"),
      "node_modules/SKILL.md": plain("x"),
      "docs/a.md": "x",
      "group/tea/SKILL.md": plain("tea"),
    });
    expect(await load()).toMatchObject({
      names: [],
      diagnostics: ["docs: no_skill_file", "group: no_skill_file", ".: no_skills"],
    });
  });
});

describe("SKILL.md", () => {
  test("may be written in any case, with a remark", async () => {
    write({ "tea/skill.md": plain("tea"), "cake/Skill.md": plain("cake") });
    expect(await load()).toMatchObject({
      names: ["cake", "tea"],
      diagnostics: ["cake/Skill.md: file_name", "tea/skill.md: file_name"],
    });
  });

  test("with a byte order mark, CR LF or other bytes is read", async () => {
    write({
      "bom/SKILL.md": `\uFEFF${plain("bom")}`,
      "crlf/SKILL.md": plain("crlf").replaceAll("\n", "\r\n"),
      "latin/SKILL.md": Buffer.from(plain("latin").replace("Do it", "F\u00FCr"), "latin1"),
    });
    const loaded = await load();
    expect(loaded).toMatchObject({
      names: ["bom", "crlf", "latin"],
      diagnostics: [
        "bom/SKILL.md: byte_order_mark",
        "crlf/SKILL.md: carriage_returns",
        "latin/SKILL.md: not_utf8",
      ],
    });
    expect(loaded.skills.map(({ instructions }) => instructions)).toEqual([
      "Do it.",
      "Do it.",
      "F\uFFFDr.",
    ]);
  });

  test("that is a folder, a pipe, a device, too large or empty is a diagnostic, and the others load", async () => {
    mkdirSync(path.join(root, "folder/SKILL.md"), { recursive: true });
    write({
      "large/SKILL.md": `${plain("large")}${"x".repeat(2_000_000)}`,
      "empty/SKILL.md": "",
      "tea/SKILL.md": plain("tea"),
    });
    mkdirSync(path.join(root, "pipe"));
    execFileSync("mkfifo", [path.join(root, "pipe/SKILL.md")]);
    mkdirSync(path.join(root, "device"));
    symlinkSync("/dev/zero", path.join(root, "device/SKILL.md"));
    mkdirSync(path.join(root, "gone"));
    symlinkSync("nowhere", path.join(root, "gone/SKILL.md"));
    expect(await load()).toMatchObject({
      names: ["tea"],
      diagnostics: [
        "device/SKILL.md: outside",
        "empty/SKILL.md: no_frontmatter",
        "empty/SKILL.md: no_description",
        "folder/SKILL.md: not_a_file",
        "gone/SKILL.md: broken_link",
        "large/SKILL.md: too_large",
        "pipe/SKILL.md: not_a_file",
      ],
    });
  });
});

describe("links", () => {
  test("to a skill inside the skills folder are followed, out of it refused", async () => {
    write({ "skills/.store/tea/SKILL.md": plain("tea"), "elsewhere/cake/SKILL.md": plain("cake") });
    symlinkSync(".store/tea", path.join(root, "skills/tea"));
    symlinkSync("../elsewhere/cake", path.join(root, "skills/cake"));
    symlinkSync("..", path.join(root, "skills/above"));
    symlinkSync(".", path.join(root, "skills/itself"));
    symlinkSync("nowhere", path.join(root, "skills/gone"));
    expect(await load("skills")).toMatchObject({
      names: ["tea"],
      diagnostics: ["above: outside", "cake: outside", "gone: broken_link", "itself: outside"],
    });
  });

  test("to a SKILL.md of the same skills folder are followed, out of it refused", async () => {
    write({ "skills/tea/shared.md": plain("tea"), "secret.md": plain("secret") });
    mkdirSync(path.join(root, "skills/cake"));
    symlinkSync("shared.md", path.join(root, "skills/tea/SKILL.md"));
    symlinkSync("../../secret.md", path.join(root, "skills/cake/SKILL.md"));
    expect(await load("skills")).toMatchObject({
      names: ["tea"],
      diagnostics: ["cake/SKILL.md: outside"],
    });
  });

  test("from scripts and references that leave the skill are refused", async () => {
    write({
      "skills/tea/SKILL.md": plain("tea"),
      "skills/tea/real.mjs": script,
      "skills/tea/scripts/a.mjs": script,
      "skills/tea/references/a.md": "a",
      "out/b.mjs": script,
      "out/b.md": "b",
    });
    for (const [target, link] of [
      ["../real.mjs", "scripts/inside.mjs"],
      ["a.mjs", "scripts/alias.mjs"],
      ["../../../out/b.mjs", "scripts/b.mjs"],
      ["../../../out", "scripts/folder"],
      ["../../../out/b.md", "references/b.md"],
      ["../SKILL.md", "references/inside.md"],
      ["..", "references/loop"],
    ] as const) {
      symlinkSync(target, path.join(root, "skills/tea", link));
    }
    expect(await load("skills")).toMatchObject({
      tools: ["a", "inside"],
      diagnostics: [
        "tea/references/b.md: outside",
        "tea/scripts/b.mjs: outside",
        "tea/scripts/folder: outside",
      ],
    });
    write({ "skills/cake/SKILL.md": plain("cake") });
    symlinkSync("../../out", path.join(root, "skills/cake/scripts"));
    symlinkSync("/etc", path.join(root, "skills/cake/references"));
    expect(await load("skills/cake")).toMatchObject({
      tools: [],
      references: [],
      diagnostics: ["references: outside", "scripts: outside"],
    });
  });
});

describe("scripts", () => {
  test("in one level of folders are found; private ones, tests and modules are passed over", async () => {
    write(
      Object.fromEntries(
        [
          "a.mjs",
          "b.js",
          "sub/c.mjs",
          "sub/deep/d.mjs",
          "_x.mjs",
          ".y.mjs",
          "_lib/e.mjs",
          "tests/f.mjs",
          "test/g.mjs",
          "a.test.mjs",
          "node_modules/h.js",
          "__init__.py",
          "test_i.py",
          "conftest.py",
          "j.ts",
          "run",
        ].map((name) => [`tea/scripts/${name}`, script]),
      ),
    );
    write({ "tea/SKILL.md": plain("tea") });
    expect(await load()).toMatchObject({
      tools: ["a", "b", "c"],
      diagnostics: ["tea/scripts/j.ts: unknown_script", "tea/scripts/run: unknown_script"],
    });
  });

  test("that are broken, too large or no files keep no other from loading", async () => {
    write({
      "tea/SKILL.md": plain("tea"),
      "tea/scripts/good.mjs": script,
      "tea/scripts/bad.mjs": "export const options = {",
      "tea/scripts/large.mjs": `//${"x".repeat(1_100_000)}`,
      "tea/scripts/lib.mjs": "export const a = 1;",
    });
    execFileSync("mkfifo", [path.join(root, "tea/scripts/pipe.mjs")]);
    expect(await load()).toMatchObject({
      tools: ["good"],
      diagnostics: [
        "tea/scripts/large.mjs: too_large",
        "tea/scripts/pipe.mjs: not_a_file",
        "tea/scripts/bad.mjs: syntax_error",
        "tea/scripts/lib.mjs: no_command_line",
      ],
    });
  });

  test("more than sixteen are named, and left out", async () => {
    write({ "tea/SKILL.md": plain("tea") });
    for (let number = 10; number < 29; number += 1)
      write({ [`tea/scripts/s${number}.mjs`]: script });
    const loaded = await load();
    expect(loaded.tools).toHaveLength(16);
    expect(loaded.diagnostics).toEqual(["tea/SKILL.md: too_many_tools"]);
    expect(loaded.messages[0]).toBe(
      '19 tools, of which the first 16 are offered. Left out: s26, s27, s28. Split the skill, or start the names of modules with "_".',
    );
  });

  test("a file name that a terminal would obey is refused, and shown escaped", async () => {
    write({
      "tea/SKILL.md": plain("tea"),
      "tea/scripts/a\u202Eb.mjs": script,
      "tea/references/a\nb.md": "x",
    });
    expect(await load()).toMatchObject({
      tools: [],
      references: [],
      diagnostics: [
        "tea/references/a\\nb.md: bad_file_name",
        "tea/scripts/a\\u{202e}b.mjs: bad_file_name",
      ],
    });
  });

  test("what a description hides is shown", async () => {
    write({
      "tea/SKILL.md": plain("tea"),
      "tea/scripts/a.mjs":
        'export const description = "a\u200Bb\\n c";\nexport const options = {};',
    });
    expect((await load()).skills[0]?.tools[0]?.description).toBe("a\\u{200b}b c");
  });
});

test("references are all regular files down to three folders, but hidden or too large ones", async () => {
  write({ "tea/SKILL.md": plain("tea"), "tea/references/big.md": "x".repeat(1_100_000) });
  for (const name of [
    "b.md",
    "a.txt",
    "one/c.md",
    "one/two/d.md",
    "one/two/three/e.md",
    ".hidden.md",
    ".git/f.md",
  ]) {
    write({ [`tea/references/${name}`]: "x" });
  }
  expect(await load()).toMatchObject({
    references: [
      "references/a.txt",
      "references/b.md",
      "references/one/c.md",
      "references/one/two/d.md",
    ],
    diagnostics: ["tea/references/big.md: too_large"],
  });
});
