import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { fc, test as property } from "@fast-check/vitest";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { loadReference } from "../../src/skills/load-reference.ts";
import { defineSkill } from "../../src/skills/library.ts";
import type { Skill } from "../../src/skills/skill.ts";

let root: string;
let skill: Skill;
const references = [
  "references/de/metrics.md",
  "references/pandas-gotchas.md",
  "references/plans.md",
];

beforeAll(() => {
  root = realpathSync(mkdtempSync(path.join(tmpdir(), "reference-")));
  const folder = path.join(root, "mentor");
  mkdirSync(path.join(folder, "references/de"), { recursive: true });
  const files: Record<string, string | Buffer> = {
    "../secret.md": "secret",
    "../mentor-two/a.md": "secret",
    "SKILL.md": "skill",
    "references/de/metrics.md": "\uFEFFMaße\r\n",
    "references/pandas-gotchas.md": "gotchas",
    "references/plans.md": "plans",
    "references/50%.md": "half",
    "references/binary.md": "a\0b",
    "references/latin.md": Buffer.from([0xfc, 0x0a]),
    "references/large.md": "x".repeat(1_048_577),
    "references/full.md": "x".repeat(1_048_576),
    "references/empty.md": "",
  };
  mkdirSync(path.join(root, "mentor-two"));
  for (const [name, content] of Object.entries(files))
    writeFileSync(path.join(folder, name), content);
  execFileSync("mkfifo", [path.join(folder, "references/pipe.md")]);
  symlinkSync("../../secret.md", path.join(folder, "references/out.md"));
  symlinkSync("../..", path.join(folder, "references/up"));
  symlinkSync("plans.md", path.join(folder, "references/link.md"));
  symlinkSync("/dev/zero", path.join(folder, "references/zero.md"));
  symlinkSync("loop.md", path.join(folder, "references/loop.md"));
  skill = defineSkill({
    name: "mentor",
    description: "x",
    folder,
    references,
  });
});
afterAll(() => rmSync(root, { recursive: true, force: true }));

test.each([
  ["references/plans.md", "plans"],
  ["./references/plans.md", "plans"],
  ["references//plans.md", "plans"],
  ["references/link.md", "plans"],
  ["references/de/metrics.md", "Maße\r\n"],
  ["references/50%.md", "half"],
  ["references/latin.md", "\uFFFD\n"],
  ["references/empty.md", ""],
  ["SKILL.md", "skill"],
  ["mentor/references/plans.md", "plans"],
  ["${CLAUDE_SKILL_DIR}/references/plans.md", "plans"],
  ["{baseDir}/references/plans.md", "plans"],
])("%s is read", async (reference, text) => {
  expect(await loadReference(skill, reference)).toEqual({ ok: true, text });
});

test("an absolute path inside the skill's own folder is read", async () => {
  const reference = path.join(skill.folder, "references/plans.md");
  expect(await loadReference(skill, reference)).toEqual({ ok: true, text: "plans" });
});

test("a file of exactly 1 MiB is read", async () => {
  expect(await loadReference(skill, "references/full.md")).toMatchObject({ ok: true });
});

test.each([
  "/etc/passwd",
  "//server/share/a.md",
  "\\\\server\\share\\a.md",
  "references\\plans.md",
  "..\\secret.md",
  "C:\\secret.md",
  "C:secret.md",
  "c:/secret.md",
  "file:///etc/passwd",
  "../secret.md",
  "references/../../secret.md",
  "references/../references/plans.md",
  "..",
  "references/..",
  "%2e%2e/secret.md",
  "references/..%2f..%2fsecret.md",
  "%2E%2E%2Fsecret.md",
  "%252e%252e/secret.md",
  "%25252525252e%25252525252e/secret.md",
  "%2fetc%2fpasswd",
  "references%5c..%5csecret.md",
  "references/plans.md\0.png",
  "references/plans.md%00",
  "\0",
  "references/out.md",
  "references/up/secret.md",
  "references/up/mentor-two/a.md",
  "references/zero.md",
  "${CLAUDE_SKILL_DIR}/../secret.md",
  "{baseDir}//etc/passwd",
  "mentor/../../secret.md",
  "mentor//etc/passwd",
])("%j is unsafe", async (reference) => {
  expect(await loadReference(skill, reference)).toEqual({
    ok: false,
    problem: { code: "unsafe_reference", skill: "mentor", path: reference },
  });
});

describe("what is not there, or is no text, is unknown", () => {
  test.each([
    ["metrics.md", "references/de/metrics.md"],
    ["references/metrics.md", "references/de/metrics.md"],
    ["reference/plans.md", "references/plans.md"],
    ["references/plan.md", "references/plans.md"],
    ["PLANS.md", "references/plans.md"],
    ["gotchas.md", undefined],
    ["pandas-gotcha.md", "references/pandas-gotchas.md"],
    ["references%2Fplans.md", "references/plans.md"],
    ["something/else/entirely.txt", undefined],
    ["references/binary.md", undefined],
    ["references/large.md", undefined],
    ["references/pipe.md", undefined],
    ["references/loop.md", undefined],
    ["references/de", undefined],
    [".", undefined],
    ["", undefined],
    ["x".repeat(100_000), undefined],
    ["a/".repeat(50_000), undefined],
  ])("%j", async (reference, nearest) => {
    const { problem } = (await loadReference(skill, reference)) as { problem: unknown };
    expect(problem).toMatchObject({
      code: "unknown_reference",
      skill: "mentor",
      path: reference,
      known: references,
    });
    if (nearest !== undefined) expect(problem).toMatchObject({ nearest });
  });

  test("one that is listed and cannot be read is not offered again", async () => {
    const listed = { ...skill, references: ["references/binary.md", "references/plans.md"] };
    expect(await loadReference(listed, "references/binary.md")).toMatchObject({
      problem: { code: "unknown_reference", known: ["references/plans.md"] },
    });
  });
});

test("a skill whose folder has since become a link is not followed", async () => {
  const folder = path.join(root, "moved");
  symlinkSync("mentor-two", folder);
  expect(await loadReference({ ...skill, folder }, "a.md")).toMatchObject({
    problem: { code: "unsafe_reference" },
  });
});

const parts = fc.constantFrom(
  "..",
  ".",
  "/",
  "\\",
  "%2e",
  "%2f",
  "%",
  "references",
  "up",
  "secret.md",
  "mentor-two",
  "a.md",
  "C:",
  "\0",
  " ",
  "~",
  "$HOME",
  "é",
);
property.prop([
  fc.oneof(
    fc.string({ unit: "binary" }),
    fc.array(parts, { maxLength: 10 }).map((all) => all.join("")),
  ),
])("no path reaches a file outside of the skill, and none throws", async (reference) => {
  const result = await loadReference(skill, reference);
  expect(result).not.toEqual({ ok: true, text: "secret" });
});
