import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { cli, main } from "../helpers/cli.ts";
import { block, loading, project, script } from "../helpers/project.ts";
import { inTerminal } from "../helpers/terminal.ts";

/** A folder with its own home for sessions, in which the command line runs. */
function workshop(files: Record<string, string>) {
  const cwd = project(files);
  const env = { BROHARNESS_HOME: join(cwd, "home") };
  const run = (...args: string[]) => cli(args, { cwd, env });
  const ids = () =>
    readdirSync(join(cwd, "home/sessions"))
      .filter((name) => name.endsWith(".jsonl"))
      .map((name) => name.slice(0, -".jsonl".length))
      .toSorted();
  return { cwd, env, run, ids, file: (id: string) => join(cwd, "home/sessions", `${id}.jsonl`) };
}

const asking = script(
  block({ name: "ask_user_question", input: { question: "Which note?" } }),
  block(),
  "The plan note.",
);

describe("a session", () => {
  test("goes on in the same folder with what was said, and with the model it had", async () => {
    const { run, ids, cwd } = workshop({ "one.jsonl": script(block(), "First.") });
    await run("hello", "-m", "scripted/one.jsonl");
    writeFileSync(join(cwd, "one.jsonl"), script(block(), "Second."));
    const second = await run("-c", "and now?", "--debug");
    expect(second).toMatchObject({ stdout: "Second.\n", exitCode: 0 });
    expect(second.stderr).toContain("[assistant]\nFirst.");
    expect(ids()).toHaveLength(1);
    const { stdout } = await run("sessions", "list", "--json");
    expect(JSON.parse(stdout)).toMatchObject([
      { id: ids()[0], cwd, turns: 2, first_question: "hello", state: "answered" },
    ]);
  });

  test("that waits with a question takes the words as its reply", async () => {
    const { run, ids, cwd } = workshop({ "ask.jsonl": asking });
    const asked = await run("what is in it?", "-p", "-m", "scripted/ask.jsonl");
    const [id = ""] = ids();
    expect(asked.exitCode).toBe(4);
    expect(asked.stderr).toContain(
      `broharness: to go on in this turn: broharness --resume ${id}\n`,
    );
    writeFileSync(join(cwd, "ask.jsonl"), script(block(), "The plan note."));
    expect(await run("-r", id, "the plan")).toMatchObject({
      stdout: "The plan note.\n",
      exitCode: 0,
    });
    const { stdout } = await run("sessions", "show", id.slice(0, -1));
    expect(stdout).toBe(
      "> what is in it?\n  asked: Which note?\n  reply: the plan\nThe plan note.\n",
    );
  });

  test("that waits asks again, and waits on, when there is still nobody", async () => {
    const { run } = workshop({ "ask.jsonl": asking });
    await run("what is in it?", "-m", "scripted/ask.jsonl");
    const again = await run("-c");
    expect(again.exitCode).toBe(4);
    expect(again.stderr).toContain("Which note?");
  });

  test("whose turn has ended shows its end again, and runs nothing", async () => {
    const { run } = workshop({ "one.jsonl": script(block(), "Hello.") });
    await run("hello", "-m", "scripted/one.jsonl");
    expect(await run("-c")).toStrictEqual({
      stdout: "Hello.\n",
      stderr: "broharness: this turn had ended; its end again (ask something to go on)\n",
      exitCode: 0,
    });
  });

  test("is copied by a fork, itself byte-equal", async () => {
    const { run, ids, file } = workshop({ "one.jsonl": script(block(), "Hi.") });
    await run("hello", "-m", "scripted/one.jsonl");
    const [id = ""] = ids();
    const before = readFileSync(file(id), "utf8");
    await run("-c", "--fork-session", "again");
    expect(readFileSync(file(id), "utf8")).toBe(before);
    const copy = ids().find((other) => other !== id) ?? "";
    expect(readFileSync(file(copy), "utf8").split("\n", 1)[0]).toContain(`"forked_from":"${id}"`);
    expect((await run("verify", copy)).stdout).toBe("ok: 2 turns, 4 events, each one legal\n");
    expect(await run("sessions", "rm", copy)).toMatchObject({ exitCode: 0 });
    expect(ids()).toStrictEqual([id]);
  });

  test("is not kept with --no-session, nor for a question that never was one", async () => {
    const { run, cwd } = workshop({ "one.jsonl": script(block(), "Hi.") });
    await run("hello", "-m", "scripted/one.jsonl", "--no-session");
    await run("hello", "--allow", "nonsense");
    expect(existsSync(join(cwd, "home/sessions"))).toBe(false);
  });

  test.each([
    [["-c", "go on"], "broharness: --continue: no session in this folder yet\n"],
    [["--fork-session", "x"], "broharness: --fork-session: say which session, with -c or -r ID\n"],
    [["-r"], "broharness: --resume: there is no session yet\n"],
    [
      ["-r", "nope", "x"],
      'broharness: session "nope" is not there; `broharness sessions` lists them\n',
    ],
    [
      ["-c", "--no-session", "x"],
      "error: option '--no-session' cannot be used with option '-c, --continue'\n",
    ],
  ])("that cannot be: %j", async (args, stderr) => {
    expect(await workshop({}).run(...args)).toStrictEqual({ stdout: "", stderr, exitCode: 2 });
  });
});

describe("what can be made of a journal", () => {
  const kept = async () => {
    const made = workshop({
      "one.jsonl": script(loading("tell-joke"), "no block", block(), "Ha."),
    });
    await made.run("a joke", "-m", "scripted/one.jsonl");
    const [id = ""] = made.ids();
    return { ...made, id };
  };

  test("verify and replay: fine, or the first line that is not, with exit code 7", async () => {
    const { run, file, id } = await kept();
    expect((await run("verify", id)).stdout).toBe("ok: 1 turns, 6 events, each one legal\n");
    expect((await run("replay", file(id), "--check")).stdout).toBe(
      "identical: 1 turns, 6 events\n",
    );
    const lines = readFileSync(file(id), "utf8").split("\n");
    writeFileSync(
      file(id),
      lines.with(3, (lines[3] ?? "").replace("tell-joke", "tell-jokes")).join("\n"),
    );
    const why =
      "line 4: this line was changed, or a line before it is missing: its checksum is another\n";
    expect(await run("verify", id)).toMatchObject({ stdout: why, exitCode: 7 });
    expect(await run("replay", id)).toMatchObject({ stdout: why, exitCode: 7 });
    expect(await run("-c", "more")).toMatchObject({ exitCode: 3 });
  });

  test("replay --against: nothing for the same machine, the turns that change for other limits", async () => {
    const { run, id, file } = await kept();
    const same = await run("replay", id, "--against", join(dirname(main), "../index.js"));
    expect(same).toMatchObject({ stdout: "0 of 1 recorded turns change\n", exitCode: 0 });
    const other = await run("replay", file(id), "--against", "max_retries=0");
    expect(other.stdout).toBe(
      [
        `${file(id)}:2: "a joke" changes at state 4`,
        "  was: skill_call → tool_use → tool_call → fail_recovery → tool_call → answer → answered (answered)",
        "  now: skill_call → tool_use → tool_call → answer → answered (answered (max_retries))",
        "1 of 1 recorded turns change",
        "",
      ].join("\n"),
    );
    expect((await run("replay", id, "--against", "max_stepps=1")).exitCode).toBe(2);
  });

  test("step: all of it in a pipe, a page at a time with keys", async () => {
    const { run, id, cwd, env } = await kept();
    const { stdout } = await run("step", id);
    expect(stdout).toContain(
      "turn at line 2: a joke\n[*] → skill_call\n\nline 3: skill_call: calls",
    );
    expect(stdout).toContain("  false asks\n  false max_asks\n");
    expect(stdout).toContain("  true  is_refused → fail_recovery\n");
    const { shown, exitCode } = await inTerminal(["step", id], {
      cwd,
      env,
      steps: [
        ["1/7 ", "\u001B[C"],
        ["2/7 ", "\u001B[C"],
        ["3/7 ", "\u001B[D"],
        ["2/7 ", "\u001B[F"],
        ["7/7 ", "\u001B[H"],
        ["1/7 ", "q"],
      ],
    });
    expect(exitCode).toBe(0);
    expect([...shown.matchAll(/(\d)\/7 /g)].map(([, at]) => at).join("")).toBe("123271");
  });
});

describe("prove", () => {
  test("shows the worst case of these limits, and refuses what need not end", async () => {
    const { run } = workshop({});
    const finite = await run("prove", "--max-steps", "5");
    expect(finite.exitCode).toBe(0);
    expect(finite.stdout).toContain(
      "the most in one turn: 14 model calls, 5 tool runs, 3 questions\n",
    );
    const endless = await run("prove", "--max-steps", "infinity");
    expect(endless.exitCode).toBe(7);
    expect(endless.stdout).toContain(
      "refused: a turn need not end, for this way can be taken for ever:\n  tool_call — one call → tool_use\n  tool_use — it ran (read) → tool_call\n",
    );
  });
});
