import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { execa } from "execa";
import { describe, expect, test } from "vitest";
import { cli, main, temporaryFolder, withoutSession } from "../helpers/cli.ts";

const OFFLINE =
  "broharness: offline, no language model: only what is fully understood is done (see -m in --help)\n";

const project = (files: Record<string, string>) => {
  const cwd = temporaryFolder();
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(join(cwd, name, ".."), { recursive: true });
    writeFileSync(join(cwd, name), text);
  }
  return cwd;
};
const script = (...texts: string[]) => texts.map((text) => JSON.stringify({ text })).join("\n");
const block = (...calls: { name: string; input: object }[]) =>
  `\`\`\`json\n${JSON.stringify({ tool_use: calls })}\n\`\`\``;
const loadFileOps = block({ name: "load_skill", input: { skill_name: "file-ops" } });

describe("without any configuration", () => {
  test("a file is read by a real script and its content is the answer", async () => {
    const cwd = project({ "docs/notes.txt": "Buy milk.\n\tAnd bread – 2 ×.\n" });
    const { stdout, stderr, exitCode } = await cli(["what's in docs/notes.txt?"], { cwd });
    expect(stdout).toBe("Buy milk.\n\tAnd bread – 2 ×.\n");
    expect(stderr).toBe(OFFLINE);
    expect(exitCode).toBe(0);
  });

  test("words without quotes are one question", async () => {
    const { stdout } = await cli(["list", "the", ".md", "files", "in", "docs"], {
      cwd: project({ "docs/a.md": "", "docs/b.txt": "" }),
    });
    expect(stdout).toBe("docs/a.md\n");
  });

  test("a joke is told", async () => {
    const { stdout, exitCode } = await cli(["tell me a dad joke"]);
    expect(stdout.trim().length).toBeGreaterThan(20);
    expect(exitCode).toBe(0);
  });

  test("a file is created, and deleting it waits for a person", async () => {
    const cwd = temporaryFolder();
    const created = await cli(['create notes.txt with "hello"'], { cwd });
    expect(created.exitCode).toBe(0);
    expect(readFileSync(join(cwd, "notes.txt"), "utf8")).toBe("hello");
    const deleted = await cli(["delete notes.txt"], { cwd });
    expect(deleted.exitCode).toBe(4);
    expect(deleted.stderr).toContain(
      'delete_file path="notes.txt"\nThis changes or deletes what is there. Run it?',
    );
    expect(readFileSync(join(cwd, "notes.txt"), "utf8")).toBe("hello");
    const allowed = await cli(["delete notes.txt", "--allow", "delete_file"], { cwd });
    expect(allowed.exitCode).toBe(0);
    expect(() => readFileSync(join(cwd, "notes.txt"))).toThrow("ENOENT");
  });

  test("what it does not understand it declines, with what it can do", async () => {
    const { stdout, stderr, exitCode } = await cli(["what is the capital of France?"]);
    expect(stdout).toBe("");
    expect(stderr).toContain("-m bedrock");
    expect(exitCode).toBe(1);
  });
});

describe("output", () => {
  const cwd = project({
    "replies.jsonl": script(
      loadFileOps,
      block({ name: "read_file", input: { path: "a.txt" } }),
      block(),
      "It says hi.",
    ),
    "a.txt": "hi\n",
  });

  test("json is one result object", async () => {
    const { stdout } = await cli(
      ["what is in a.txt?", "-m", "scripted/replies.jsonl", "--output-format", "json"],
      { cwd },
    );
    expect(JSON.parse(stdout)).toMatchObject({
      type: "result",
      outcome: "answered",
      text: "It says hi.",
      path: ["skill_call", "tool_use", "tool_call", "tool_use", "tool_call", "answer", "answered"],
      calls: [{ call: { name: "read_file", input: { path: "a.txt" } }, outcome: "done" }],
      exit_code: 0,
    });
  });

  test("stream-json begins with init, ends with result, and holds each step", async () => {
    const { stdout, stderr } = await cli(
      ["what is in a.txt?", "-m", "scripted/replies.jsonl", "--output-format", "stream-json"],
      { cwd },
    );
    const events = stdout
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line) as { type: string });
    expect(events.map(({ type }) => type)).toEqual([
      "init",
      "state",
      "state",
      "tool_use",
      "tool_result",
      "state",
      "state",
      "tool_use",
      "tool_result",
      "state",
      "state",
      "state",
      "text",
      "result",
    ]);
    expect(events[0]).toMatchObject({
      type: "init",
      version: "0.1.0",
      machine_hash: expect.stringMatching(/^[0-9a-f]{16}$/),
      models: {
        skill_call: "scripted/replies.jsonl",
        tool_call: "scripted/replies.jsonl",
        answer: "scripted/replies.jsonl",
      },
      contract: "codeblock",
      limits: { max_retries: 3, max_steps: 12, max_asks: 3 },
    });
    expect(stderr).toBe("");
  });

  test("--debug shows every request and reply on stderr, and stdout stays clean", async () => {
    const { stdout, stderr } = await cli(
      ["what is in a.txt?", "-m", "scripted/replies.jsonl", "--debug"],
      { cwd },
    );
    expect(stdout).toBe("It says hi.\n");
    expect(stderr.match(/^>>> \w+/gm)).toEqual([
      ">>> skill_call",
      ">>> tool_call",
      ">>> tool_call",
      ">>> answer",
    ]);
    expect(stderr.match(/^<<< .*/gm)).toEqual([
      "<<< skill_call (stop)",
      "<<< tool_call (stop)",
      "<<< tool_call (stop)",
      "<<< answer (stop)",
    ]);
  });

  test("a recording plays back to the same answer", async () => {
    const recorded = await cli(
      ["what is in a.txt?", "-m", "scripted/replies.jsonl", "--record", "tape.jsonl"],
      { cwd },
    );
    expect(recorded.stdout).toBe("It says hi.\n");
    const played = await cli(["what is in a.txt?", "-m", "recorded/tape.jsonl"], { cwd });
    expect(played.stdout).toBe("It says hi.\n");
    expect(played.exitCode).toBe(0);
  });

  test("no colour and no control codes are written to a pipe", async () => {
    const { stdout, stderr } = await cli(["what is in a.txt?", "-m", "scripted/replies.jsonl"], {
      cwd,
    });
    expect(stdout + stderr).not.toContain("\u001B");
  });

  test("a reader that goes away is no error", async () => {
    const { stderr, stdout } = await execa("sh", [
      "-c",
      '"$0" "$1" skills list | head -n 1',
      process.execPath,
      main,
    ]);
    expect(stdout).toBe("ds-mentor (1.0.0)");
    expect(stderr).toBe("");
  });
});

describe("input", () => {
  const echo = (...answers: string[]) => project({ "replies.jsonl": script(block(), ...answers) });

  test("piped text is added to the question", async () => {
    const { stderr } = await cli(["how many lines?", "-m", "scripted/replies.jsonl", "--debug"], {
      cwd: echo("Two."),
      input: "a\nb\n",
    });
    expect(stderr).toMatch(
      /\[user\]\nhow many lines\?\n\nText that came with the request:\n(\[\w+-text\])\na\nb\n\1\n/,
    );
  });

  test("piped text alone is the question", async () => {
    const { stdout } = await cli(["-m", "scripted/replies.jsonl"], {
      cwd: echo("Fine."),
      input: "How are things?\n",
    });
    expect(stdout).toBe("Fine.\n");
  });

  test("an endless pipe is refused with what to do", async () => {
    const { stderr, exitCode } = await cli(["x"], { input: "x".repeat(11 * 1024 * 1024) });
    expect(stderr).toBe(
      "broharness: piped input is over 10 MB: save it as a file and ask about the file\n",
    );
    expect(exitCode).toBe(3);
  });

  test("the persona is replaced by --system-prompt and by --system-prompt-file", async () => {
    const cwd = project({ "persona.md": "You are a pirate.\n" });
    const given = await cli(["prompt", "skill_call", "hi", "--system-prompt", "You are a cat."], {
      cwd,
    });
    expect(
      (JSON.parse(given.stdout) as { system: string }).system.startsWith(
        "You are a cat.\n\nYou work in steps.",
      ),
    ).toBe(true);
    const file = await cli(["prompt", "skill_call", "hi", "--system-prompt-file", "persona.md"], {
      cwd,
    });
    expect(
      (JSON.parse(file.stdout) as { system: string }).system.startsWith(
        "You are a pirate.\n\nYou work",
      ),
    ).toBe(true);
  });

  test("each role can have a model of its own", async () => {
    const cwd = project({ "a.jsonl": script(block()), "b.jsonl": script("From b.") });
    const { stdout } = await cli(
      ["hi", "-m", "scripted/a.jsonl", "--role-model", "answer=scripted/b.jsonl"],
      { cwd },
    );
    expect(stdout).toBe("From b.\n");
  });
});

describe("wrong usage: one line that says what, with which value, and what to do", () => {
  test.each([
    [["--modle", "x", "hi"], 2, "error: unknown option '--modle'\n(Did you mean --model?)\n"],
    [
      ["hi", "-m", "bedrok"],
      2,
      'broharness: --model bedrok: no provider "bedrok"; there are offline, bedrock, scripted, recorded; did you mean bedrock?\n',
    ],
    [
      ["hi", "-m", "scripted"],
      2,
      "broharness: --model scripted: name a file, as in scripted/replies.jsonl\n",
    ],
    [
      ["hi", "-m", "scripted/none.jsonl"],
      3,
      'broharness: none.jsonl: no such file; a script is a file of JSON lines like {"text": "…"}\n',
    ],
    [
      ["hi", "--max-steps", "infinity"],
      2,
      "broharness: max_steps: expected a whole number from 0, got Infinity; every limit is finite, so that a turn always ends\n",
    ],
    [
      ["hi", "--timeout", "0"],
      2,
      "error: option '--timeout <seconds>' argument '0' is invalid. expected seconds above 0, got \"0\".\n",
    ],
    [
      ["hi", "--output-format", "xml"],
      2,
      "error: option '--output-format <format>' argument 'xml' is invalid. Allowed choices are text, json, stream-json.\n",
    ],
    [
      ["hi", "--role-model", "thinker=offline"],
      2,
      "broharness: --role-model thinker=offline: expected ROLE=PROVIDER/ID with a role of skill_call, tool_call, answer\n",
    ],
    [
      ["hi", "--system-prompt-file", "none.md"],
      3,
      "broharness: --system-prompt-file none.md: no such file or folder\n",
    ],
    [
      ["tools", "file-opps"],
      2,
      'broharness: no skill named "file-opps"; did you mean file-ops? (there are: ds-mentor, file-ops, tell-joke, word-count)\n',
    ],
    [
      ["prompt", "thinker", "hi"],
      2,
      "broharness: prompt thinker: a role is skill_call, tool_call or answer\n",
    ],
    [[""], 2, "broharness: the question is empty: say what you want\n"],
    [[], 2, "broharness: the question is empty: say what you want\n"],
  ])("%j", async (args, code, message) => {
    const { stderr, stdout, exitCode } = await cli(args);
    expect(stderr).toBe(message);
    expect(stdout).toBe("");
    expect(exitCode).toBe(code);
  });

  test("a folder of skills that is not there", async () => {
    const { stderr, exitCode } = await cli(["hi", "--skills", "nowhere"]);
    expect(stderr).toMatch(/^broharness: .*nowhere.*\n$/);
    expect(exitCode).toBe(3);
  });
});

describe("commands", () => {
  test("skills list names every skill, its tools and every remark", async () => {
    const cwd = project({
      "mine/broken/SKILL.md": "---js\nthrow 1\n---\n",
      "mine/good/SKILL.md": "---\nname: good\ndescription: Is good.\n---\nBe good.\n",
    });
    const { stdout, exitCode } = await cli(["skills", "list", "--skills", "mine"], { cwd });
    expect(stdout).toContain("good\n  Is good.\n");
    expect(stdout).toMatch(
      /file-ops \(1\.0\.0\)\n {2}.*\n {2}tools: create_file, delete_file, find_file, list_files, read_file, update_file\n/,
    );
    expect(stdout).toMatch(/error: .*broken.*\[forbidden_engine\]/);
    expect(exitCode).toBe(0);
  });

  test("tools shows the JSON Schemas", async () => {
    const { stdout } = await cli(["tools", "tell-joke"]);
    expect(JSON.parse(stdout)).toMatchObject([
      {
        name: "tell_joke",
        effect: "read",
        schema: { type: "object", additionalProperties: false },
      },
    ]);
  });

  test("prompt shows what would be sent, with skills taken as loaded", async () => {
    const { stdout } = await cli(["prompt", "tool_call", "what's in a.txt?", "--load", "file-ops"]);
    const { messages } = JSON.parse(stdout) as { messages: { role: string; text: string }[] };
    expect(messages).toHaveLength(1);
    expect(messages[0]?.text).toMatch(
      /^what's in a\.txt\?\n\nSkill file-ops is loaded\.[\s\S]*read_file path\*[\s\S]*This step wants calls/,
    );
  });

  test("graph draws the machine that runs", async () => {
    const { stdout } = await cli(["graph"]);
    expect(stdout.startsWith("stateDiagram-v2\n  [*] --> skill_call\n")).toBe(true);
    expect(stdout).toContain("  fail_recovery --> fallback: answer_given_up · crash\n");
  });

  test("--version and --help", async () => {
    expect((await cli(["--version"])).stdout).toBe("0.1.0\n");
    const { stdout, exitCode } = await cli(["--help"]);
    expect(stdout).toContain("Exit codes:");
    expect(exitCode).toBe(0);
  });
});

describe("exit codes", () => {
  const play = (...texts: string[]) =>
    project({ "replies.jsonl": script(...texts), "a.txt": "hi\n" });
  const run = (cwd: string, ...more: string[]) =>
    cli(["do it", "-m", "scripted/replies.jsonl", ...more], { cwd });

  test("1: the model had nothing to say", async () => {
    const { exitCode, stderr } = await run(play(block(), "", "", "", ""));
    expect(exitCode).toBe(1);
    expect(stderr).toMatch(/^No answer could be made: .+\.\n$/);
  });

  test("1: the script is used up", async () => {
    const { exitCode, stderr } = await run(play(block()));
    expect(exitCode).toBe(1);
    expect(stderr).toBe(
      "scripted/replies.jsonl: all 1 replies of the script are used up, and the turn wants another one\n",
    );
  });

  test("3: no credentials", async () => {
    const { exitCode, stderr } = await cli(["hi", "-m", "bedrock"], {
      env: {
        AWS_EC2_METADATA_DISABLED: "true",
        AWS_CONFIG_FILE: "/nowhere",
        AWS_SHARED_CREDENTIALS_FILE: "/nowhere",
      },
    });
    expect(stderr).toContain("AWS_ACCESS_KEY_ID");
    expect(exitCode).toBe(3);
  });

  test("4: a question under --print", async () => {
    const { exitCode, stderr } = await run(
      play(block({ name: "ask_user_question", input: { question: "Which?" } })),
      "--print",
    );
    expect(exitCode).toBe(4);
    expect(withoutSession(stderr)).toBe(
      "broharness: this needs a reply, and there is nobody to ask:\nWhich?\n",
    );
  });

  test("5: a limit ended the turn, and the honest answer is printed", async () => {
    const { exitCode, stdout } = await run(
      play(loadFileOps, "I could not look."),
      "--max-steps",
      "0",
    );
    expect(stdout).toBe("I could not look.\n");
    expect(exitCode).toBe(5);
  });

  test("5: the time is up", async () => {
    const cwd = project({
      "replies.jsonl": script(
        block({ name: "load_skill", input: { skill_name: "slow" } }),
        block({ name: "sleep", input: {} }),
      ),
      "mine/slow/SKILL.md": "---\nname: slow\ndescription: Sleeps.\n---\nSleep.\n",
      "mine/slow/scripts/sleep.mjs":
        'export const description = "Sleeps.";\nexport const options = {};\nsetInterval(() => {}, 1000);\n',
    });
    const { exitCode, stderr } = await run(
      cwd,
      "--skills",
      "mine",
      "--trust",
      "slow",
      "--timeout",
      "2",
    );
    expect(withoutSession(stderr)).toBe("broharness: stopped by --timeout\n");
    expect(exitCode).toBe(5);
  });
});
