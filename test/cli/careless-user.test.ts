import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { execa } from "execa";
import { describe, expect, test } from "vitest";
import { cli, main, startCli, withoutSession } from "../helpers/cli.ts";
import { block, calling, loading, project, script, skillFile, tool } from "../helpers/project.ts";

const OFFLINE =
  "broharness: offline, no language model: only what is fully understood is done (see -m in --help)\n";
const wellSaid = script(block(), "Well.");

/** A shell that runs the command line as "$@", with whatever is around it. */
async function shell(
  command: string,
  args: readonly string[],
  { cwd, env = {} }: { cwd: string; env?: Record<string, string> },
) {
  const { PATH = "", HOME = "" } = process.env;
  const { stdout, stderr, exitCode } = await execa(
    "sh",
    ["-c", command, "sh", process.execPath, main, ...args],
    { cwd, reject: false, extendEnv: false, env: { PATH, HOME, ...env }, stdin: "ignore" },
  );
  return { stdout, stderr, exitCode };
}

describe("a machine on which things are missing", () => {
  test("no HOME and no PATH: what needs neither works, and what needs Python says so", async () => {
    const cwd = project({ "a.txt": "hi\n" });
    const { stdout, stderr, exitCode } = await cli(["what's in a.txt?"], {
      cwd,
      env: { PATH: "", HOME: "" },
    });
    expect(stdout).toBe("hi\n");
    expect(stderr).toBe(OFFLINE);
    expect(exitCode).toBe(0);
    const counted = await cli(["how many words are in a.txt?"], {
      cwd,
      env: { PATH: "", HOME: "" },
    });
    expect(counted.stderr).toContain(
      "broharness: skill word-count/scripts/word_count.py: No tool: the script needs Python 3.8 or newer, and none was found on PATH. Install it, or put it on PATH.\n",
    );
    expect(counted.exitCode).toBe(1);
  });

  test("a working folder that was deleted", async () => {
    const cwd = project({ "gone/a.txt": "" });
    const leave = 'cd gone && rm -r ../gone && exec "$@"';
    expect(await shell(leave, ["hi"], { cwd })).toEqual({
      stdout: "",
      stderr: "broharness: the folder you are in is gone: change to one that is there",
      exitCode: 3,
    });
  });

  test("a closed stdin is no input, and a stdin that cannot be read is none either", async () => {
    const cwd = project({ "a.txt": "hi\n" });
    for (const input of ["<&-", "< /"])
      expect(await shell(`exec "$@" ${input}`, ["what's in a.txt?"], { cwd })).toMatchObject({
        stdout: "hi",
        exitCode: 0,
      });
  });

  // In CI it runs, and fails, even where the device is missing.
  test.skipIf(!existsSync("/dev/full") && process.env["CI"] === undefined)(
    "a full disk: a lost answer or recording is an error, lost notes are none (skipped where there is no /dev/full)",
    async () => {
      const cwd = project({ "a.txt": "hi\n", "replies.jsonl": wellSaid });
      for (const args of [["what's in a.txt?"], ["--help"]]) {
        const { stderr, exitCode } = await shell('exec "$@" > /dev/full', args, { cwd });
        expect(stderr).toMatch(
          /^(?:broharness: offline.*\n)?broharness: stdout cannot be written: the disk is full$/,
        );
        expect(exitCode).toBe(1);
      }
      expect(await shell('exec "$@" 2> /dev/full', ["what's in a.txt?"], { cwd })).toMatchObject({
        stdout: "hi",
        exitCode: 0,
      });
      const recorded = await cli(["hi", "-m", "scripted/replies.jsonl", "--record", "/dev/full"], {
        cwd,
      });
      expect(recorded.stderr).toBe(
        "broharness: /dev/full: the recording cannot be written: the disk is full; choose another file\n",
      );
      expect(recorded.exitCode).toBe(3);
    },
  );

  test("through a link, from another folder, with spaces and letters of all kinds in every path, under a strict Node", async () => {
    const cwd = project({
      "mÿ bin/x": "",
      "wörk here/ä b.txt": "hi\n",
      "wörk here/r e.jsonl": script(loading("uni"), calling("r_n_it"), block(), "Well."),
      "wörk here/my skills/ünï x/SKILL.md": skillFile("uni"),
      "wörk here/my skills/ünï x/scripts/rün it.mjs": tool("console.log(process.env.SKILL_DIR)"),
    });
    const bin = join(cwd, "mÿ bin/bro link");
    symlinkSync(main, bin);
    const { stdout } = await execa(
      bin,
      [
        "go",
        "--skills",
        "my skills",
        "--trust",
        "uni",
        "-m",
        "scripted/r e.jsonl",
        "--output-format",
        "stream-json",
      ],
      {
        cwd: join(cwd, "wörk here"),
        stdin: "ignore",
        env: { NODE_OPTIONS: "--throw-deprecation --pending-deprecation --trace-warnings" },
      },
    );
    expect(stdout).toContain(`"output":"${cwd}/wörk here/my skills/ünï x\\n"`);
    expect(stdout).toContain('"text":"Well."');
  });

  test("a Node that may not compile text says which flag is in the way", async () => {
    const cwd = project({ "a.txt": "hi\n" });
    const strict = 'node=$1; shift; exec "$node" --disallow-code-generation-from-strings "$@"';
    expect(await shell(strict, ["what's in a.txt?"], { cwd })).toEqual({
      stdout: "",
      stderr: `broharness: node was started with --disallow-code-generation-from-strings, which arguments cannot be checked under: leave it out`,
      exitCode: 3,
    });
  });
});

describe("questions of all kinds", () => {
  test("one of 1 MB, with line breaks and letters of all kinds, reaches the model as it is", async () => {
    const cwd = project({ "replies.jsonl": wellSaid });
    const question = `wörds 😀 \u200F\n\n${"long ".repeat(200_000)}end`;
    const { stdout, stderr } = await cli(["-m", "scripted/replies.jsonl", "--debug"], {
      cwd,
      input: question,
    });
    expect(stdout).toBe("Well.\n");
    expect(stderr.includes(`[user]\n${question}\n`)).toBe(true);
  });

  test("two runs at once in one folder do not meet", async () => {
    const cwd = project({ "replies.jsonl": script(block(), "First."), "a.txt": "hi\n" });
    const [one, two] = await Promise.all([
      cli(["hm", "-m", "scripted/replies.jsonl", "--record", "tape.jsonl"], { cwd }),
      cli(["what's in a.txt?"], { cwd }),
    ]);
    expect(one.stdout).toBe("First.\n");
    expect(two.stdout).toBe("hi\n");
  });
});

describe("time limits", () => {
  test("a shorter one than the start takes ends the turn at once; the longest there is does not", async () => {
    const cwd = project({ "a.txt": "hi\n" });
    const short = await cli(["what's in a.txt?", "--timeout", "0.001"], { cwd });
    expect(withoutSession(short.stderr)).toBe("broharness: stopped by --timeout\n");
    expect(short.exitCode).toBe(5);
    const long = await cli(["what's in a.txt?", "--timeout", "9999999"], { cwd });
    expect(long).toEqual({ stdout: "hi\n", stderr: OFFLINE, exitCode: 0 });
  });

  test("a pipe that stays open is waited for as long as the limit says, or until Ctrl-C", async () => {
    const cwd = project({ "replies.jsonl": wellSaid });
    const late = startCli(["hi", "-m", "scripted/replies.jsonl", "--timeout", "0.5"], {
      cwd,
      openInput: true,
    });
    const { stderr, exitCode } = await late;
    expect(withoutSession(stderr)).toBe("broharness: stopped by --timeout\n");
    expect(exitCode).toBe(5);
    const stopped = startCli(["-m", "scripted/replies.jsonl"], { cwd, openInput: true });
    stopped.stderr.once("data", () => stopped.kill("SIGINT")); // it says that it waits
    expect(await stopped).toMatchObject({
      stderr:
        "broharness: waiting for piped input to end (add < /dev/null if there is none)\nbroharness: stopped\n",
      exitCode: 130,
    });
  });
});

describe("files that cannot be meant", () => {
  test("each is refused in one line that says why, and none of them is changed", async () => {
    const cwd = project({ "replies.jsonl": wellSaid, "a.txt": "hi\n", "folder/x": "" });
    execFileSync("mkfifo", [join(cwd, "pipe")]);
    symlinkSync("replies.jsonl", join(cwd, "link.jsonl"));
    const model = ["-m", "scripted/replies.jsonl"];
    const aScript = 'a script is a file of JSON lines like {"text": "…"}';
    const expected: [string[], string, number][] = [
      [["-m", "scripted/pipe"], `pipe: not a file but a folder, pipe or device; ${aScript}`, 3],
      [["-m", "scripted/\u001B[31m\n"], String.raw`\u{1b}[31m\n: no such file; ${aScript}`, 3],
      [
        [...model, "--record", "folder"],
        "folder: the recording cannot be written: it is a folder; choose another file",
        3,
      ],
      [
        [...model, "--record", "link.jsonl"],
        "--record link.jsonl: the replies are read from this file; record to another one",
        2,
      ],
      [
        ["--system-prompt-file", "pipe"],
        "--system-prompt-file pipe: not a file but a folder, pipe or device",
        3,
      ],
      [
        ["--allow", "delete_fil"],
        "--allow delete_fil: no tool of that name; did you mean delete_file?",
        2,
      ],
    ];
    const results = await Promise.all(
      expected.map(async ([args]) => {
        const { stderr, exitCode } = await cli(["hi", ...args], { cwd });
        return [args, stderr, exitCode];
      }),
    );
    expect(results).toEqual(
      expected.map(([args, text, code]) => [args, `broharness: ${text}\n`, code]),
    );
    expect(readFileSync(join(cwd, "replies.jsonl"), "utf8")).toBe(wellSaid);
  });

  test("skills that are named twice are there once; a folder without any, or inside of one, is no silent nothing", async () => {
    const cwd = project({
      "mine/one/SKILL.md": skillFile("one"),
      "mine/one/scripts/run.mjs": tool(""),
    });
    mkdirSync(join(cwd, "empty"));
    const twice = await cli(
      [
        "skills",
        "list",
        "--skills",
        "mine",
        "--skills",
        "./mine/",
        "--skills",
        "mine/one",
        "--no-bundled-skills",
      ],
      { cwd },
    );
    expect(twice.stdout).toBe("one\n  Is one.\n  tools: run\n");
    const none = await cli(
      [
        "skills",
        "list",
        "--skills",
        "mine/one/scripts",
        "--skills",
        "empty",
        "--no-bundled-skills",
      ],
      { cwd },
    );
    expect(none.stdout).toBe(
      `error: no skill in "mine/one/scripts": a skill is a folder with a SKILL.md. It lies inside the skill "${cwd}/mine/one": name that one. [no_skills]\nerror: no skill in "empty": a skill is a folder with a SKILL.md. [no_skills]\n`,
    );
    const asked = await cli(["hm", "--skills", "empty"], { cwd });
    expect(asked.stderr).toContain(
      'broharness: no skill in "empty": a skill is a folder with a SKILL.md.\n',
    );
  });
});
