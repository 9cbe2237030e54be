import { mkdtempSync, realpathSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { execa } from "execa";
import { withoutPrivileges } from "./processes.ts";

export const main = fileURLToPath(new URL("../../dist/cli/main.js", import.meta.url));

export const temporaryFolder = () => realpathSync(mkdtempSync(join(tmpdir(), "broharness-cli-")));

/** What stderr says but for the line that names the session, whose id is another each time. */
export const withoutSession = (stderr: string) =>
  stderr.replace(/^broharness: to go on in this turn: broharness --resume [\w-]+\n/m, "");

interface CliOptions {
  cwd?: string;
  env?: Record<string, string>;
  input?: string;
  /** As somebody who has only the rights that a file's mode gives. */
  unprivileged?: boolean;
  /** A pipe as input into which nothing is written and that stays open. */
  openInput?: boolean;
}

/** Runs the built command line in a folder, with a clean environment and no input unless some is given. */
export async function cli(args: readonly string[], options: CliOptions = {}) {
  const { stdout, stderr, exitCode } = await startCli(args, options);
  return { stdout, stderr, exitCode };
}

/** The same, as a running process. */
export function startCli(
  args: readonly string[],
  {
    cwd = temporaryFolder(),
    env = {},
    input,
    openInput = false,
    unprivileged = false,
  }: CliOptions = {},
) {
  const { PATH = "", HOME = "", BROHARNESS_TEST_HOME: sessions } = process.env;
  const [file, ...before] = [...(unprivileged ? withoutPrivileges : []), process.execPath];
  return execa(file, [...before, main, ...args], {
    cwd,
    reject: false,
    extendEnv: false,
    env: { PATH, HOME, BROHARNESS_HOME: sessions, ...env },
    stripFinalNewline: false,
    ...(input === undefined ? { stdin: openInput ? "pipe" : "ignore" } : { input }),
  });
}
