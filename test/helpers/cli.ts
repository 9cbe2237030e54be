import { mkdtempSync, realpathSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { execa } from "execa";

export const main = fileURLToPath(new URL("../../dist/cli/main.js", import.meta.url));

export const temporaryFolder = () => realpathSync(mkdtempSync(join(tmpdir(), "broharness-cli-")));

interface CliOptions {
  cwd?: string;
  env?: Record<string, string>;
  input?: string;
  /** A pipe as input into which nothing is written and that stays open. */
  openInput?: boolean;
}

/** Runs the built command line in a folder, with a clean environment and no input unless some is given. */
export async function cli(
  args: readonly string[],
  { cwd = temporaryFolder(), env = {}, input }: CliOptions = {},
) {
  const { stdout, stderr, exitCode } = await startCli(
    args,
    input === undefined ? { cwd, env } : { cwd, env, input },
  );
  return { stdout, stderr, exitCode };
}

/** The same, as a running process. */
export function startCli(
  args: readonly string[],
  { cwd = temporaryFolder(), env = {}, input, openInput = false }: CliOptions = {},
) {
  const { PATH = "", HOME = "" } = process.env;
  return execa(process.execPath, [main, ...args], {
    cwd,
    reject: false,
    extendEnv: false,
    env: { PATH, HOME, ...env },
    stripFinalNewline: false,
    ...(input === undefined ? { stdin: openInput ? "pipe" : "ignore" } : { input }),
  });
}
