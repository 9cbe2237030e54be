import { once } from "node:events";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import { WebSocket } from "ws";
import type { ToPage } from "../../src/inspector/protocol.ts";
import { cli, startCli } from "../helpers/cli.ts";
import { openPage } from "../helpers/inspected.ts";
import { block, calling, loading, project, script, skillFile, tool } from "../helpers/project.ts";
import { inTerminal } from "../helpers/terminal.ts";

const answered = script(calling(), "Hello.");
const asking = script(
  block({ name: "ask_user_question", input: { question: "Which note?" } }),
  calling(),
  "The plan note.",
);
const running = script(loading("log"), calling("append"), calling(), "Done.");

/** A folder with its own home for sessions, and the inspector running in it. */
function workshop(replies = answered, files: Record<string, string> = {}) {
  const cwd = project({
    "replies.jsonl": replies,
    "skills/log/SKILL.md": skillFile("log"),
    "skills/log/scripts/append.mjs": tool(`console.log("appended");`),
    ...files,
  });
  const env = { BROHARNESS_HOME: join(cwd, "home") };
  const model = ["--skills", "skills", "--no-bundled-skills", "--trust", "log"].concat([
    "-m",
    "scripted/replies.jsonl",
  ]);
  const sessions = join(cwd, "home/sessions");
  return {
    cwd,
    env,
    run: (...args: string[]) => cli([...args, ...model], { cwd, env }),
    start: (...args: string[]) => started([...args, ...model], { cwd, env }),
    file: () => {
      const [name = ""] = readdirSync(sessions).filter((file) => file.endsWith(".jsonl"));
      return join(sessions, name);
    },
  };
}

const sockets: WebSocket[] = [];
afterEach(() => {
  for (const socket of sockets.splice(0)) socket.terminate();
});

/** A process that serves a page: its address, a page of it, and how it ended. */
function started(args: string[], options: { cwd: string; env: Record<string, string> }) {
  const child = startCli(args, options);
  let notes = "";
  const address = new Promise<string>((resolve, reject) => {
    child.stderr.on("data", (chunk: Buffer) => {
      notes += chunk.toString();
      const [, found] = /inspector: (http:\S+)\n/.exec(notes) ?? [];
      if (found !== undefined) resolve(found);
    });
    void child.then(() => reject(new Error(`it ended without a page: ${notes}`)));
  });
  // A test of one that ends before it serves anything reads how it ended.
  address.catch(() => undefined);
  return {
    child,
    address,
    /** Opens a page over a real socket, and resolves when it has been told the first run. */
    page: async () => {
      const { origin, pathname, host } = new URL(await address);
      const socket = new WebSocket(`ws://${host}${pathname}socket`, { origin });
      sockets.push(socket);
      const closed = once(socket, "close");
      const page = openPage({
        connectPage: (tell) => {
          socket.on("message", (data: Buffer) => tell(JSON.parse(data.toString()) as ToPage));
          return {
            receive: (message) => socket.send(JSON.stringify(message)),
            leave: () => socket.close(),
          };
        },
        connectReceiver: () => ({ leave: () => undefined }),
      });
      await page.until(() => page.heard.some(({ type }) => type === "steps"));
      return { ...page, closed };
    },
    ended: async () => {
      const { stdout, stderr, exitCode } = await child;
      return { stdout, stderr, exitCode };
    },
  };
}

describe("inspect with a question", () => {
  test("holds the turn until the page steps it to its end, and has the turn's exit code", async () => {
    const { start, file } = workshop(running);
    const { page: open, ended } = start("inspect", "append it");
    const page = await open();
    await page.held();
    expect(page.states()).toEqual(["skill_call"]);
    while (page.status()?.phase !== "ended") await page.step();
    expect(page.states()).toEqual([
      "skill_call",
      "tool_use",
      "tool_call",
      "tool_use",
      "tool_call",
      "answer",
      "answered",
    ]);
    page.leave();
    const { stdout, exitCode } = await ended();
    expect({ stdout, exitCode }).toEqual({ stdout: "Done.\n", exitCode: 0 });
    expect(readFileSync(file(), "utf8")).toContain("append");
  });

  test("counts no time that it is held against --timeout", async () => {
    const { start } = workshop(running);
    const { page: open, ended } = start(
      "inspect",
      "append it",
      "--timeout",
      "8",
      "--break",
      "tool",
    );
    const page = await open();
    await page.held();
    await new Promise((resolve) => {
      setTimeout(resolve, 9000);
    });
    expect(page.status()?.phase).toBe("held");
    page.send({ type: "breakpoints", run: 0, breakpoints: [] });
    page.send({ type: "go", run: 0 });
    await page.phase(0, "ended");
    page.leave();
    expect(await ended()).toMatchObject({ stdout: "Done.\n", exitCode: 0 });
  });

  test("is answered from the page", async () => {
    const { start } = workshop(asking);
    const { page: open, ended } = start("inspect", "what is in it?", "--break", "none");
    const page = await open();
    await page.phase(0, "asking");
    page.send({ type: "answer", run: 0, text: "the plan" });
    await page.phase(0, "ended");
    page.leave();
    expect(await ended()).toMatchObject({ stdout: "The plan note.\n", exitCode: 0 });
  });

  test("is stopped by Ctrl-C while it is held, without any page", async () => {
    const { start } = workshop();
    const { child, address, ended } = start("inspect", "hello");
    await address;
    child.kill("SIGINT");
    const { stderr, exitCode } = await ended();
    expect(exitCode).toBe(130);
    expect(stderr.match(/it ends when its last page is closed, or with Ctrl-C/g)).toHaveLength(1);
    expect(stderr).toContain("to go on in this turn");
  });

  test("is stopped when the last page leaves in the middle of it", async () => {
    const { start } = workshop();
    const { page: open, ended } = start("inspect", "hello");
    const page = await open();
    await page.held();
    page.leave();
    expect((await ended()).exitCode).toBe(130);
  });

  test("stays when the page stops it, and has the exit code of a stopped turn", async () => {
    const { start } = workshop();
    const { page: open, ended } = start("inspect", "hello");
    const page = await open();
    await page.held();
    page.send({ type: "stop", run: 0 });
    await page.phase(0, "ended");
    expect(page.states()).toEqual(["skill_call", "stopped"]);
    page.leave();
    expect((await ended()).exitCode).toBe(130);
  });

  test("stays after the end until SIGTERM, which changes nothing about it", async () => {
    const { start } = workshop();
    const { child, page: open, ended } = start("inspect", "hello", "--break", "none");
    const page = await open();
    await page.phase(0, "ended");
    child.kill("SIGTERM");
    expect(await ended()).toMatchObject({ stdout: "Hello.\n", exitCode: 0 });
    await page.closed;
  });
});

describe("--inspect", () => {
  test("ends with the turn, though nobody looks", async () => {
    const { run } = workshop();
    const { stdout, stderr, exitCode } = await run("hello", "--inspect");
    expect({ stdout, exitCode }).toEqual({ stdout: "Hello.\n", exitCode: 0 });
    expect(stderr).toMatch(/^broharness: inspector: http:\/\/127\.0\.0\.1:\d+\/[\w-]+\/$/m);
  });

  test("asks nobody where no page is", async () => {
    const { run } = workshop(asking);
    expect((await run("what is in it?", "--inspect")).exitCode).toBe(4);
  });

  test("tells its pages everything before it goes", async () => {
    const { start } = workshop();
    const { page: open, ended } = start("hello", "--inspect", "--break", "start", "--no-session");
    const page = await open();
    await page.held();
    page.send({ type: "go", run: 0 });
    await page.closed;
    expect(page.states()).toEqual(["skill_call", "answer", "answered"]);
    expect(page.status()?.phase).toBe("ended");
    expect(page.runs[0]?.session).toBe(null);
    expect(await ended()).toMatchObject({ stdout: "Hello.\n", exitCode: 0 });
  });

  test("shows the turns before it of a session that goes on", async () => {
    const { run, start, cwd } = workshop();
    await run("hello");
    writeFileSync(join(cwd, "replies.jsonl"), script(calling(), "Again."));
    const { page: open, ended } = start("-c", "and now?", "--inspect", "--break", "start");
    const page = await open();
    await page.held();
    expect(page.runs[0]?.steps.map(({ turn, title }) => [turn, title])).toEqual([
      [1, "hello"],
      [1, "no calls: no skill needed"],
      [1, "answer"],
      [2, "and now?"],
    ]);
    page.send({ type: "go", run: 0 });
    await page.closed;
    expect(page.runs[0]?.steps).toHaveLength(6);
    expect(await ended()).toMatchObject({ stdout: "Again.\n", exitCode: 0 });
  });
});

describe("inspect with a journal", () => {
  test("shows it, forks it, and ends when the last page leaves", async () => {
    const { run, start, file, cwd } = workshop();
    await run("hello");
    const before = readFileSync(file());
    const { page: open, ended } = start("inspect", file());
    const page = await open();
    await page.until(() => page.states().length === 3);
    expect(page.runs[0]?.steps.at(-1)?.ended).toBe("answered");
    const usage = { input_tokens: 1, output_tokens: 1, estimated: false };
    const output = { kind: "text", text: "Bye.", reply: "Bye.", usage };
    page.send({ type: "fork", run: 0, step: 2, output, remainder: "recorded" });
    await page.phase(1, "ended");
    const fork = join(cwd, "home/sessions", `${page.runs[1]?.session}.jsonl`);
    expect(readFileSync(fork, "utf8")).toContain("Bye.");
    expect(readFileSync(file()).equals(before) || readFileSync(fork).equals(before)).toBe(true);
    expect((await page.prompt(0))?.messages.at(-1)?.text).toContain("hello");
    page.leave();
    expect(await ended()).toMatchObject({ stdout: "", exitCode: 0 });
    expect((await cli(["verify", fork])).exitCode).toBe(0);
  });

  test("takes a session's id, and Ctrl-C", async () => {
    const { run, start, file } = workshop();
    await run("hello");
    const id = file().split("/").at(-1)?.replace(".jsonl", "") ?? "";
    const { child, page: open, ended } = start("inspect", id);
    const page = await open();
    await page.until(() => page.states().length === 3);
    child.kill("SIGINT");
    expect(await ended()).toMatchObject({ stdout: "", exitCode: 0 });
  });

  test("shows a damaged one up to its first illegal line", async () => {
    const { run, start, file } = workshop();
    await run("hello");
    const lines = readFileSync(file(), "utf8").split("\n");
    writeFileSync(file(), [...lines.slice(0, 3), "{}", ...lines.slice(4)].join("\n"));
    const { child, page: open, ended } = start("inspect", file());
    const page = await open();
    await page.until(() => page.states().length === 2);
    const [hello] = page.heard;
    expect(hello?.type === "hello" && hello.recording.title).toMatch(/ \(only up to line 4\)$/);
    child.kill("SIGTERM");
    const { stderr, exitCode } = await ended();
    expect(exitCode).toBe(0);
    expect(stderr).toContain("line 4: not a line of a journal: it does not end in a checksum");
  });

  test("leaves out half a line at its end, and says so", async () => {
    const { run, start, file } = workshop();
    await run("hello");
    writeFileSync(file(), readFileSync(file(), "utf8").slice(0, -20));
    const { child, page: open, ended } = start("inspect", file());
    const page = await open();
    await page.until(() => page.states().length === 3);
    child.kill("SIGTERM");
    expect((await ended()).stderr).toContain("half a line at its end is left out");
  });

  test("writes it as one page with --html", async () => {
    const { run, file, cwd } = workshop();
    await run("hello");
    const { stdout, stderr, exitCode } = await run("inspect", file(), "--html", "out.html");
    expect({ stdout, exitCode }).toEqual({ stdout: "", exitCode: 0 });
    expect(stderr).toMatch(/^broharness: out\.html is written, \d+ kB\n$/);
    const html = readFileSync(join(cwd, "out.html"), "utf8");
    expect(html).toContain('id="recording"');
    expect(html).toContain("no calls: no skill needed");
  });

  test.each([
    [["inspect", "nowhere.jsonl"], 3, "nowhere.jsonl: no such file or folder"],
    [["inspect", "20990101-000000-abcdef"], 2, 'session "20990101-000000-abcdef" is not there'],
    [["inspect", "hello", "--html", "out.html"], 2, "--html out.html: name the journal"],
    [["inspect", "hello", "--break", "tol"], 2, "did you mean tool?"],
    [["hello", "--inspect", "--break", "anser"], 2, "did you mean answer?"],
    [["inspect", "hello", "--input", "{}"], 2, "belong to --machine"],
    [["inspect", "runs/mistyped"], 3, "runs/mistyped: no such file or folder"],
    [["inspect", "--machine", "nowhere.mjs"], 3, "nowhere.mjs"],
    [
      ["inspect", "--machine", "door.mjs", "--input", "{"],
      2,
      "--input {: no JSON: Expected property name",
    ],
    [["inspect", "hello", "--machine", "door.mjs"], 2, "--machine takes no question"],
    [["inspect"], 2, "the question is empty"],
  ])("%j ends with %i", async (args, code, message) => {
    const { run, cwd } = workshop(answered, { "door.mjs": door });
    const { stdout, stderr, exitCode } = await run(...args);
    expect(stderr).toContain(message);
    expect({ stdout, exitCode }).toEqual({ stdout: "", exitCode: code });
    expect(existsSync(join(cwd, "out.html"))).toBe(false);
  });
});

const xstate = import.meta.resolve("xstate");
const door = `import { createMachine } from ${JSON.stringify(xstate)};
export const door = createMachine({ id: "door", initial: "shut", states: { shut: { on: { open: "ajar" } }, ajar: {} } });
`;

describe("inspect with a machine", () => {
  test("steps it with events", async () => {
    const { start } = workshop(answered, { "door.mjs": door });
    const { page: open, ended } = start("inspect", "--machine", "door.mjs");
    const page = await open();
    page.send({ type: "send", run: 0, step: 0, event: { type: "open" } });
    await page.until(() => page.runs[0]?.steps.length === 2);
    expect(page.runs[0]?.steps[1]?.to).toEqual(["door.ajar"]);
    page.leave();
    expect(await ended()).toMatchObject({ stdout: "", exitCode: 0 });
  });
});

describe("the browser", () => {
  // What it is told to open is written down.
  const opener = `#!/bin/sh\necho "$1" > opened.txt\n`;

  test("has its address on a line of its own, before the live one begins", async () => {
    const steps: [string, string][] = [["or with Ctrl-C", "\u0003"]];
    const { shown, exitCode } = await inTerminal(["inspect", "hello", "--no-open"], {
      cwd: project({}),
      steps,
    });
    expect(shown).toMatch(/^broharness: inspector: http\S+\r\nbroharness: it ends/);
    expect(exitCode).toBe(130);
  });

  test("is opened for somebody at a terminal, unless they say no", async () => {
    const { cwd, env } = workshop();
    const bin = join(cwd, "open.sh");
    writeFileSync(bin, opener, { mode: 0o755 });
    const more = { ...env, BROWSER: bin };
    const args = ["hello", "-m", "scripted/replies.jsonl", "--inspect"];
    const shown = await inTerminal(args, { cwd, env: more });
    expect(shown.exitCode).toBe(0);
    expect(readFileSync(join(cwd, "opened.txt"), "utf8")).toMatch(/^http:\/\/127\.0\.0\.1:/);
    writeFileSync(join(cwd, "opened.txt"), "");
    await inTerminal([...args, "--no-open"], { cwd, env: more });
    await inTerminal(args, { cwd, env: { ...more, CI: "true" } });
    expect(readFileSync(join(cwd, "opened.txt"), "utf8")).toBe("");
  });
});
