import { getEventListeners } from "node:events";
import { chmodSync, existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { shown } from "../../src/actors/capped-output.ts";
import { type RunProcessOptions, runProcess } from "../../src/actors/run-script.ts";
import { gone, idsIn, scriptPath } from "../helpers/processes.ts";

const folder = mkdtempSync(join(tmpdir(), "run-script-"));
afterAll(() => rmSync(folder, { recursive: true }));

const hourMs = 3_600_000;
const never = () => new AbortController().signal;

const optionsFor = (file: string, words: readonly string[]): RunProcessOptions => ({
  file,
  arguments: words,
  cwd: folder,
  environment: {},
  timeoutMs: hourMs,
  outputBytesMax: 100_000,
});
/** Runs a fixture with node. */
const run = (
  [name, ...words]: [string, ...string[]],
  changes: Partial<RunProcessOptions> = {},
  signal: AbortSignal = never(),
) =>
  runProcess({ ...optionsFor(process.execPath, [scriptPath(name), ...words]), ...changes }, signal);

let files = 0;
const newFile = () => join(folder, `file-${files++}`);

function shellScript(text: string): string {
  const file = newFile();
  writeFileSync(file, text);
  chmodSync(file, 0o755);
  return file;
}

describe("a program that ends by itself", () => {
  test("gives its exit code and both streams", async () => {
    const { duration_ms, ...rest } = await run(["exit-with.mjs", "3"]);
    expect(rest).toEqual({
      ended: "exited",
      exit_code: 3,
      signal: null,
      stdout: { text: "to stdout\n", missing_bytes: 0, missing_at: 10 },
      stderr: { text: "to stderr\n", missing_bytes: 0, missing_at: 10 },
    });
    expect(Number.isInteger(duration_ms)).toBe(true);
    expect(await run(["exit-with.mjs", "0"])).toMatchObject({ ended: "exited", exit_code: 0 });
  });

  test("gives the signal it died by", async () => {
    expect(await run(["die-by.mjs", "SIGKILL"])).toMatchObject({
      ended: "signalled",
      exit_code: null,
      signal: "SIGKILL",
      stdout: { text: "before" },
    });
    expect(await run(["die-by.mjs", "SIGTERM"])).toMatchObject({
      ended: "signalled",
      signal: "SIGTERM",
    });
  });

  test("reports a script that is gone as node does", async () => {
    const { ended, exit_code, stderr } = await runProcess(
      optionsFor(process.execPath, [newFile()]),
      never(),
    );
    expect({ ended, exit_code }).toEqual({ ended: "exited", exit_code: 1 });
    expect(stderr.text).toContain("Cannot find module");
  });

  test("runs a script by its first line", async () => {
    const script = shellScript('#!/bin/sh\nprintf "%s|" "$@"\nexit 4\n');
    expect(await runProcess(optionsFor(script, ["a b", "$(c)"]), never())).toMatchObject({
      exit_code: 4,
      stdout: { text: "a b|$(c)|" },
    });
  });
});

describe("output", () => {
  test("of 300 MB is kept as its head and its tail, and the rest does not grow memory", async () => {
    const before = process.memoryUsage().rss;
    const { ended, stdout } = await run(["print-much.mjs", "300"], { outputBytesMax: 40 });
    expect(ended).toBe("exited");
    expect(shown(stdout)).toBe(
      "firstxxxxxxxxxxxxxxxxxxxxxxxxx\n[… 299,999,969 bytes left out …]\nxxxxxxlast",
    );
    expect(process.memoryUsage().rss - before).toBeLessThan(200_000_000);
  });

  test("that is not UTF-8 becomes replacement characters", async () => {
    const { stdout } = await run(["print-hex.mjs", "61ff62c328e282"]);
    expect(stdout.text).toBe("a\uFFFDb\uFFFD(\uFFFD");
  });

  test("is cut between characters", async () => {
    const hex = Buffer.from("€".repeat(100)).toString("hex");
    const { stdout } = await run(["print-hex.mjs", hex], { outputBytesMax: 16 });
    expect(stdout).toEqual({ text: "€€€€€", missing_bytes: 285, missing_at: 4 });
  });
});

describe("a program that does not end", () => {
  test("is stopped when its time is up", async () => {
    expect(await run(["hang.mjs", newFile()], { timeoutMs: 200 })).toMatchObject({
      ended: "timed_out",
      exit_code: null,
      signal: "SIGTERM",
    });
  });

  test("is killed when it ignores SIGTERM, with what it has started", async () => {
    const file = newFile();
    const controller = new AbortController();
    const running = run(["hang.mjs", file, "deaf", "grandchild"], {}, controller.signal);
    const ids = await idsIn(file);
    controller.abort();
    expect(await running).toMatchObject({ ended: "aborted", exit_code: null, signal: "SIGKILL" });
    expect(await gone(ids)).toBe(2);
  });

  test("keeps what it printed before its time was up", async () => {
    const script = shellScript("#!/bin/sh\necho so far\nexec sleep 1000\n");
    const environment = { PATH: "/usr/bin:/bin" };
    expect(
      await runProcess({ ...optionsFor(script, []), environment, timeoutMs: 1_000 }, never()),
    ).toMatchObject({
      ended: "timed_out",
      stdout: { text: "so far\n" },
    });
  });

  test("may take longer than a timer of node can count", async () => {
    expect(await run(["exit-with.mjs", "0"], { timeoutMs: 1e12 })).toMatchObject({
      ended: "exited",
    });
  });
});

describe("a grandchild that is left behind", () => {
  test.each(["inherit", "ignore"])(
    "does not hold up the run and is killed (stdio: %s)",
    async (stdio) => {
      const { ended, exit_code, stdout } = await run(["leave-grandchild.mjs", stdio]);
      expect({ ended, exit_code }).toEqual({ ended: "exited", exit_code: 0 });
      expect(await gone(JSON.parse(stdout.text))).toBe(1);
    },
  );

  test("in a session of its own is not waited for either", async () => {
    const file = newFile();
    const { ended } = await run(["leave-session.mjs", file]);
    expect(ended).toBe("exited");
    const [id = 0] = await idsIn(file);
    process.kill(id, "SIGKILL");
  });
});

describe("an abort", () => {
  test("before the start starts nothing", async () => {
    const file = newFile();
    expect(await run(["hang.mjs", file], {}, AbortSignal.abort())).toMatchObject({
      ended: "aborted",
      exit_code: null,
      signal: null,
      stdout: { text: "", missing_bytes: 0 },
    });
    expect(existsSync(file)).toBe(false);
  });

  test("in the middle stops the program and what it has started", async () => {
    const file = newFile();
    const controller = new AbortController();
    const running = run(["hang.mjs", file, "grandchild"], {}, controller.signal);
    const ids = await idsIn(file);
    controller.abort();
    expect(await running).toMatchObject({ ended: "aborted", signal: "SIGTERM" });
    expect(await gone(ids)).toBe(2);
  });

  test("after the end changes nothing, and no listener is left for it", async () => {
    const controller = new AbortController();
    const exitListeners = process.listenerCount("exit");
    const result = await run(["exit-with.mjs", "0"], {}, controller.signal);
    expect(getEventListeners(controller.signal, "abort")).toEqual([]);
    expect(process.listenerCount("exit")).toBe(exitListeners);
    controller.abort();
    expect(result.ended).toBe("exited");
  });
});

/** Runs a small harness, which runs a script, in a process of its own. */
const harness = (words: string[]) =>
  runProcess(
    {
      ...optionsFor(process.execPath, [
        "--import",
        "tsx",
        scriptPath("run-and-leave.ts"),
        ...words,
      ]),
      cwd: scriptPath("../../.."),
      environment: { TMPDIR: folder },
    },
    never(),
  );

describe("the process of the harness", () => {
  test("can end once the run has ended, with nothing left that keeps it awake", async () => {
    const { ended, exit_code, stdout, stderr } = await harness([
      "FINISH",
      scriptPath("leave-grandchild.mjs"),
      "inherit",
    ]);
    expect({ ended, exit_code, text: stdout.text, errors: stderr.text }).toEqual({
      ended: "exited",
      exit_code: 0,
      text: "exited 0",
      errors: "",
    });
  });

  test("takes a running script with it when it exits", async () => {
    const file = newFile();
    const { ended, exit_code } = await harness([
      file,
      scriptPath("hang.mjs"),
      file,
      "deaf",
      "grandchild",
    ]);
    expect({ ended, exit_code }).toEqual({ ended: "exited", exit_code: 7 });
    expect(await gone(await idsIn(file))).toBe(2);
  });
});
