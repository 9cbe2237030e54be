import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { toMermaid } from "../src/machine/to-mermaid.ts";
import { version } from "../src/version.ts";

const root = fileURLToPath(new URL("..", import.meta.url));
const text = (file: string) => readFileSync(join(root, file), "utf8");
const filesOf = (folder: string) =>
  readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !entry.parentPath.includes("__pycache__"))
    .map((entry) => join(entry.parentPath, entry.name).slice(root.length));

test("the import check sees the code (it reports 0 modules when it cannot read TypeScript)", () => {
  const report = execFileSync(
    "npx",
    ["depcruise", "src", "--config", ".dependency-cruiser.mjs", "--output-type", "json"],
    {
      cwd: root,
      encoding: "utf8",
      maxBuffer: 64 * 1024 * 1024,
    },
  );
  const { summary } = JSON.parse(report) as { summary: { totalCruised: number; error: number } };
  expect(summary.totalCruised).toBeGreaterThan(100);
  expect(summary.error).toBe(0);
});

test("the chart in the README is the machine that runs", () => {
  const drawn = /<!-- graph -->\s+```mermaid\n([\s\S]*?)```\s+<!-- \/graph -->/.exec(
    text("README.md"),
  )?.[1];
  expect(drawn?.trimEnd()).toBe(toMermaid());
});

test("AGENTS.md has a line for every source file, and for no other", () => {
  const mapped = [...text("AGENTS.md").matchAll(/^- `((?:src|visualizer)\/[^`]+)`/gm)].map(
    ([, file]) => file ?? "",
  );
  const sources = [...filesOf("src"), ...filesOf("visualizer")];
  const files = sources.filter((file) => !file.endsWith("tsconfig.json"));
  expect(mapped.toSorted()).toEqual(files.toSorted());
});

test("the README names every option of the command line", () => {
  const flags = [...text("src/cli/program.ts").matchAll(/"(?:-\w, )?(--[a-z-]+)/g)].map(
    ([, flag]) => flag ?? "",
  );
  expect(flags.length).toBeGreaterThan(15);
  const readme = text("README.md");
  expect(flags.filter((flag) => !readme.includes(flag))).toEqual([]);
});

test("every prompt file is loaded, and every prompt that is loaded has a file", () => {
  const files = filesOf("src/prompts").filter((file) => file.endsWith(".md"));
  const names = [...text("src/prompts/prompts.ts").matchAll(/^ {2}"(\w+)",$/gm)].map(
    ([, name]) => `src/prompts/${name}.md`,
  );
  expect(files.toSorted()).toEqual(names.toSorted());
});

test("the version is the package's", () => {
  expect((JSON.parse(text("package.json")) as { version: string }).version).toBe(version);
});
