import { fileURLToPath } from "node:url";
import { execa } from "execa";
import { main } from "./cli.ts";

const helper = fileURLToPath(new URL("terminal.py", import.meta.url));

interface TerminalOptions {
  cwd: string;
  columns?: number;
  /**
   * Once the first text is shown (or the file with that absolute path is there, as long as something is shown at times),
   * the second is typed, or the signal of that number is sent; in this order.
   */
  steps?: [string, string | number][];
  env?: Record<string, string>;
  /** A shell's redirections, like "2> notes". */
  redirections?: string;
}

/** What the command line shows in a real terminal, as it was written, and its exit code. Needs python3. */
export async function inTerminal(
  args: readonly string[],
  { cwd, columns = 80, steps = [], env = {}, redirections = "" }: TerminalOptions,
) {
  const { PATH = "", HOME = "", BROHARNESS_TEST_HOME = "" } = process.env;
  const shell = ["sh", "-c", `exec "$@" ${redirections}`, "sh"];
  const { stdout } = await execa(
    "python3",
    [helper, `${columns}`, JSON.stringify(steps), ...shell, process.execPath, main, ...args],
    {
      cwd,
      extendEnv: false,
      env: { PATH, HOME, TERM: "xterm", BROHARNESS_HOME: BROHARNESS_TEST_HOME, ...env },
      stdin: "ignore",
    },
  );
  return JSON.parse(stdout) as { shown: string; exitCode: number };
}

/** What is left on the screen in the end: each line after what erased it. */
export const leftOnScreen = (shown: string) =>
  shown
    .replaceAll("\r\n", "\n")
    .split("\n")
    .map((line) => line.split("\r\u001B[K").at(-1))
    .join("\n");
