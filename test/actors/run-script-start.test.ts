import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test, vi } from "vitest";
import { type RunProcessOptions, runProcess } from "../../src/actors/run-script.ts";
import { commandFor } from "../../src/actors/script-command.ts";
import { scriptEnvironment } from "../../src/actors/script-environment.ts";
import { scriptPath } from "../helpers/processes.ts";

const folder = mkdtempSync(join(tmpdir(), "run-script-"));
afterAll(() => rmSync(folder, { recursive: true }));

const runWith = (options: Partial<RunProcessOptions>) =>
  runProcess(
    {
      file: process.execPath,
      arguments: [],
      cwd: folder,
      environment: {},
      timeoutMs: 3_600_000,
      outputBytesMax: 100_000,
      ...options,
    },
    new AbortController().signal,
  );

/** What the script show-arguments.mjs has found around it. */
async function seen(words: readonly string[], options: Partial<RunProcessOptions> = {}) {
  const { stdout } = await runWith({
    arguments: [scriptPath("show-arguments.mjs"), ...words],
    ...options,
  });
  return JSON.parse(stdout.text);
}

async function reasonOf(options: Partial<RunProcessOptions>) {
  const { ended, exit_code, reason } = await runWith(options);
  return ended === "not_started" && exit_code === null ? reason : ended;
}

function shellScript(text: string, mode = 0o755): string {
  const file = join(folder, `script-${mode}`);
  writeFileSync(file, text);
  chmodSync(file, mode);
  return file;
}

describe("what a program is given", () => {
  test("its arguments arrive byte for byte", async () => {
    const quotes = `"'\`\\`;
    const words = [
      "",
      "a b",
      " ",
      "two\nlines\r\n",
      quotes,
      "$(touch x)",
      "; rm x",
      "*",
      "~",
      "--",
      "-x=1",
      "émoji 🎉",
      "",
    ];
    const { arguments: arrived } = await seen(words);
    expect(arrived).toEqual(words);
  });

  test("its environment is the given one and nothing of ours", async () => {
    vi.stubEnv("AWS_SECRET_ACCESS_KEY", "secret");
    const { environment } = await seen([], { environment: { GREETING: "hello world" } });
    vi.unstubAllEnvs();
    expect(environment).toEqual({ GREETING: "hello world" });
  });

  test("the environment made for scripts holds no secret", async () => {
    const parent = { AWS_SECRET_ACCESS_KEY: "secret", TZ: "UTC" };
    const { environment } = await seen([], {
      environment: scriptEnvironment(parent, { projectDir: "/p", skillDir: "/s" }),
    });
    expect(environment).toMatchObject({ TZ: "UTC", PROJECT_DIR: "/p", SKILL_DIR: "/s" });
    expect(JSON.stringify(environment)).not.toContain("secret");
  });

  test("its stdin is at its end, and its folder is the given one", async () => {
    const { stdin, folder: cwd } = await seen([], { cwd: scriptPath("") });
    expect(stdin).toBe("");
    expect(join(cwd, "/")).toBe(scriptPath(""));
  });
});

describe("a program that cannot be started", () => {
  test("because it is not there", async () => {
    expect(await reasonOf({ file: "/nowhere/python3" })).toBe(
      "/nowhere/python3 was not found, or the interpreter its first line names is missing: install it",
    );
    const script = shellScript("#!/nowhere/sh\n");
    expect(await reasonOf({ file: script })).toContain("was not found, or the interpreter");
  });

  test("because it may not be run", async () => {
    const script = shellScript("#!/bin/sh\n", 0o644);
    expect(await reasonOf({ file: script })).toBe(
      `${script} may not be run: check its permissions`,
    );
    expect(await reasonOf({ file: folder })).toBe(
      `${folder} may not be run: check its permissions`,
    );
  });

  test("because its folder is not there", async () => {
    expect(await reasonOf({ cwd: "/nowhere" })).toBe(
      "the working folder /nowhere is not there: create it, or choose another",
    );
  });

  test("because an argument is too long", async () => {
    expect(await reasonOf({ arguments: ["x".repeat(20_000_000)] })).toBe(
      "the arguments are too long for the operating system: pass less text",
    );
  });

  test("because an argument holds a NUL character", async () => {
    expect(await reasonOf({ arguments: ["a\0b"] })).toBe(
      "an argument holds a NUL character: leave it out",
    );
  });
});

describe("the command of a script", () => {
  test("names the interpreter, then the file", () => {
    const runtimes = { node: "/opt/node", python: "/opt/python3" };
    expect(commandFor({ runtime: "node", file: "/s/list.mjs" }, runtimes)).toEqual({
      file: "/opt/node",
      arguments: ["/s/list.mjs"],
    });
    expect(commandFor({ runtime: "python", file: "/s/list.py" }, runtimes)).toEqual({
      file: "/opt/python3",
      arguments: ["-u", "/s/list.py"],
    });
  });

  test("says what is missing", () => {
    expect(
      commandFor({ runtime: "python", file: "/s/list.py" }, { node: "/opt/node", python: null }),
    ).toEqual({
      missing: "list.py needs Python 3, and none was found: install python3",
    });
  });
});
