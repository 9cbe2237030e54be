/**
 * Runs one program in a subprocess and reports how it ended.
 *
 * Covered: no shell; its own process group, killed whole at the end of every run, on timeout, on abort and when this
 * process exits; exactly the given environment; stdin closed; bounded memory, however much is printed.
 * Not covered: no sandbox. A script can read files and reach the network, and a grandchild that opens a session of its
 * own (setsid) leaves the group: it is no longer waited for, but it lives on. On Windows, which has no process groups,
 * only the program itself is killed.
 */
import type { execa as Execa } from "execa";
import { constants } from "node:fs";
import { access, stat } from "node:fs/promises";
import { type CappedText, cappedOutput } from "./capped-output.ts";

export interface RunProcessOptions {
  file: string;
  arguments: readonly string[];
  cwd: string;
  environment: Record<string, string>;
  timeoutMs: number;
  /** For stdout and for stderr each. */
  outputBytesMax: number;
}

/** How a process ended. `exit_code` and `signal` are the program's own, whatever `ended` says; both null if unknown. */
export interface ProcessRun {
  ended: "exited" | "signalled" | "timed_out" | "aborted" | "not_started";
  exit_code: number | null;
  signal: string | null;
  /** Only with "not_started": why, and what to do. */
  reason?: string;
  stdout: CappedText;
  stderr: CappedText;
  duration_ms: number;
}

/** Between the polite signal and the one that cannot be refused. */
const termGraceMs = 500;
/** How long output is awaited from whatever still holds the pipes after the program has ended. */
const pipeGraceMs = 250;
/** After SIGKILL only the kernel can delay the end (a process in uninterruptible sleep). */
const killGraceMs = 2_000;
/** Node turns a longer delay into 1 ms. */
const timerMsMax = 2_147_483_647;

/** Resolves for every ending, after the whole process group was killed; never rejects for what the program does. */
export async function runProcess(
  options: RunProcessOptions,
  signal: AbortSignal,
): Promise<ProcessRun> {
  const startedAt = performance.now();
  const output = {
    stdout: cappedOutput(options.outputBytesMax),
    stderr: cappedOutput(options.outputBytesMax),
  };
  const finished = (ending: Pick<ProcessRun, "ended" | "reason"> & Partial<Exit>): ProcessRun => ({
    exit_code: null,
    signal: null,
    ...ending,
    stdout: output.stdout.end(),
    stderr: output.stderr.end(),
    duration_ms: Math.round(performance.now() - startedAt),
  });

  if (signal.aborted) return finished({ ended: "aborted" });
  if ([options.file, ...options.arguments].some((text) => text.includes("\0"))) {
    return finished({
      ended: "not_started",
      reason: "an argument holds a NUL character: leave it out",
    });
  }
  // Loaded here, because a turn that runs no script needs no process library.
  const { execa } = await import("execa");
  if (signal.aborted) return finished({ ended: "aborted" });
  const child = start(execa, options);
  if (child.pid === undefined) {
    const { code } = await child;
    return finished({ ended: "not_started", reason: await reasonFor(code, options) });
  }

  const watched = watch(child);
  child.stdout.on("data", (chunk: Uint8Array) => output.stdout.write(chunk));
  child.stderr.on("data", (chunk: Uint8Array) => output.stderr.write(chunk));
  stopWithUs(child);
  const cause = await superviseUntilGone(child, watched, options.timeoutMs, signal);
  keepAfterUs(child);
  child.stdout.destroy();
  child.stderr.destroy();
  child.unref();

  const exit = watched.exit();
  if (cause === "time") return finished({ ended: "timed_out", ...exit });
  if (cause === "abort") return finished({ ended: "aborted", ...exit });
  return finished({ ended: exit.signal === null ? "exited" : "signalled", ...exit });
}

type Child = ReturnType<typeof start>;
type Exit = Pick<ProcessRun, "exit_code" | "signal">;

function start(
  execa: typeof Execa,
  { file, arguments: argumentList, cwd, environment }: RunProcessOptions,
) {
  return execa(file, argumentList, {
    cwd,
    env: environment,
    extendEnv: false,
    stdin: "ignore",
    stdout: "pipe",
    stderr: "pipe",
    encoding: "buffer",
    buffer: false,
    reject: false,
    // A process group of its own, so that one signal reaches everything the program has started.
    detached: process.platform !== "win32",
    cleanup: false,
  });
}

/** The two ends of a process as promises: of the program itself, and of everything that held its pipes. */
function watch(child: Child) {
  let exit: Exit = { exit_code: null, signal: null };
  return {
    exit: () => exit,
    exited: new Promise<void>((resolve) => {
      child.once("exit", (exit_code, signal) => {
        exit = { exit_code, signal };
        resolve();
      });
    }),
    closed: new Promise<void>((resolve) => {
      child.once("close", () => resolve());
    }),
  };
}

/** Waits until the program has ended or has to, then kills its group. Says which of the two it was. */
async function superviseUntilGone(
  child: Child,
  { exited, closed }: ReturnType<typeof watch>,
  timeoutMs: number,
  signal: AbortSignal,
): Promise<Ended> {
  let cause = await firstOf(exited, timeoutMs, signal);
  // The time may have run out while this process was busy: look once whether the program had ended by itself.
  if (cause === "time" && (await firstOf(exited, 0)) === "done") cause = "done";
  if (cause === "done") {
    await firstOf(closed, pipeGraceMs, signal);
  } else {
    signalGroup(child, "SIGTERM");
    await firstOf(exited, termGraceMs);
  }
  // The leader may be gone while a background child still runs, with or without our pipes: kill the group anyway.
  signalGroup(child, "SIGKILL");
  await firstOf(exited, killGraceMs);
  await firstOf(closed, pipeGraceMs);
  return cause;
}

type Ended = "done" | "time" | "abort";

/** Waits for `done`, at most `timeMs` and not past an abort. Leaves neither timer nor listener behind. */
function firstOf(done: Promise<void>, timeMs: number, signal?: AbortSignal): Promise<Ended> {
  return new Promise((resolve) => {
    const settle = (ended: Ended) => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", onAbort);
      resolve(ended);
    };
    const onAbort = () => settle("abort");
    const timer = setTimeout(settle, Math.min(timeMs, timerMsMax), "time");
    signal?.addEventListener("abort", onAbort);
    if (signal?.aborted) onAbort();
    void done.then(() => settle("done"));
  });
}

/** A group that is gone (ESRCH), or one that changed its user (EPERM), is not ours to signal any more. */
function signalGroup(child: Child, signal: "SIGTERM" | "SIGKILL"): void {
  if (child.pid === undefined) return;
  if (process.platform === "win32") {
    child.kill(signal);
    return;
  }
  try {
    process.kill(-child.pid, signal);
  } catch (error) {
    const code = error instanceof Error && "code" in error ? error.code : undefined;
    if (code !== "ESRCH" && code !== "EPERM") throw error;
  }
}

/** Being in groups of their own, running programs would outlive a harness that exits in the middle of a run. */
const running = new Set<Child>();

function stopWithUs(child: Child): void {
  if (running.size === 0) process.on("exit", killRunning);
  running.add(child);
}

function keepAfterUs(child: Child): void {
  running.delete(child);
  if (running.size === 0) process.off("exit", killRunning);
}

function killRunning(): void {
  for (const child of running) signalGroup(child, "SIGKILL");
}

async function reasonFor(
  code: string | undefined,
  { file, cwd }: RunProcessOptions,
): Promise<string> {
  const folder = await stat(cwd).catch(() => null);
  if (!folder?.isDirectory())
    return `the working folder ${cwd} is not there: create it, or choose another`;
  const mayEnter = await access(cwd, constants.X_OK).then(
    () => true,
    () => false,
  );
  if (!mayEnter) return `the working folder ${cwd} may not be entered: check its permissions`;
  const why =
    notStarted[code ?? ""] ??
    ((program) => `${program} could not be started (${code ?? "unknown reason"})`);
  return why(file);
}

const noRoom = () => "the system has no room for another process: try again later";

const notStarted: Partial<Record<string, (file: string) => string>> = {
  ENOENT: (file) =>
    `${file} was not found, or the interpreter its first line names is missing: install it`,
  EACCES: (file) => `${file} may not be run: check its permissions`,
  EPERM: (file) => `${file} may not be run: check its permissions`,
  ENOEXEC: (file) => `${file} is not a program that this system can run`,
  E2BIG: () => "the arguments are too long for the operating system: pass less text",
  EAGAIN: noRoom,
  EMFILE: noRoom,
  ENFILE: noRoom,
  ENOMEM: noRoom,
};
