import { copyFileSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { cli } from "../helpers/cli.ts";
import { loading, project, script } from "../helpers/project.ts";
import { inTerminal } from "../helpers/terminal.ts";

/** One journal of one turn, in which a retry is not allowed. */
async function kept() {
  const cwd = project({ "one.jsonl": script(loading("tell-joke"), "no block", "Ha.") });
  const env = { BROHARNESS_HOME: join(cwd, "home") };
  const run = (...args: string[]) => cli(args, { cwd, env });
  await run("a joke", "-m", "scripted/one.jsonl", "--max-retries", "0");
  const folder = join(cwd, "home/sessions");
  const name = readdirSync(folder).find((file) => file.endsWith(".jsonl")) ?? "";
  copyFileSync(join(folder, name), join(cwd, "kept.jsonl"));
  return { cwd, env, run };
}

test("a page shows the state that was passed through, the parts that changed, and what is left", async () => {
  const { run } = await kept();
  const { stdout } = await run("step", "kept.jsonl");
  expect(stdout).toContain("  true  is_refused → fail_recovery\n");
  expect(stdout).toContain("  true  fail_recovery: max_retries → answer\n");
  expect(stdout).toContain("  budget.steps 12 → 11\n");
  expect(stdout).toContain("left: 0 retries, 11 steps, 3 questions\n");
});

test("G goes to the end and g to the beginning", async () => {
  const { cwd, env } = await kept();
  const { shown, exitCode } = await inTerminal(["step", "kept.jsonl"], {
    cwd,
    env,
    steps: [
      ["1/5 ", "G"],
      ["5/5 ", "g"],
      ["1/5 ", "q"],
    ],
  });
  expect(exitCode).toBe(0);
  expect([...shown.matchAll(/(\d)\/5 /g)].map(([, at]) => at).join("")).toBe("151");
});

test("a session without a turn says so", async () => {
  const { run, cwd } = await kept();
  const [first = ""] = readFileSync(join(cwd, "kept.jsonl"), "utf8").split("\n", 1);
  writeFileSync(join(cwd, "empty.jsonl"), `${first}\n`);
  expect((await run("step", "empty.jsonl")).stdout).toBe("no turn yet\n");
});

test.each([
  ["syntax error(", "cannot be loaded (Unexpected identifier 'error')"],
  ["export const turnMachine = 5;", "the module exports no turnMachine"],
])("replay --against a module like %j is wrong usage, not a bug of ours", async (source, why) => {
  const { run, cwd } = await kept();
  writeFileSync(join(cwd, "other.mjs"), source);
  const { stderr, exitCode } = await run("replay", "kept.jsonl", "--against", "other.mjs");
  expect(exitCode).toBe(2);
  expect(stderr).toContain(why);
});

test("several files are told apart", async () => {
  const { run, cwd } = await kept();
  copyFileSync(join(cwd, "kept.jsonl"), join(cwd, "copy.jsonl"));
  expect((await run("replay", "kept.jsonl", "copy.jsonl")).stdout).toBe(
    "kept.jsonl: identical: 1 turns, 4 events\ncopy.jsonl: identical: 1 turns, 4 events\n",
  );
});
