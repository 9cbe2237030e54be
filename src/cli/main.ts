#!/usr/bin/env node
import { CommanderError } from "commander";
import { HarnessError, reasonOf } from "../errors.ts";
import { terminalText } from "../terminal-text.ts";
import { createProgram } from "./program.ts";

/** The only place that ends the process, and that tells a person's mistake from a bug of ours. */
async function main(): Promise<number> {
  let code = 0;
  const program = createProgram((exitCode) => {
    code = exitCode;
  });
  try {
    await program.parseAsync();
    return code;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
    if (error instanceof HarnessError) {
      // A message is one line, whatever the file is called that it names.
      const message = terminalText(error.message).replaceAll("\n", String.raw`\n`);
      process.stderr.write(`broharness: ${message}\n`);
      return error.code === "usage" ? 2 : 3;
    }
    const stack = (error instanceof Error && error.stack) || String(error);
    process.stderr.write(
      `broharness: this is a bug in broharness or in a backend of yours, please report it:\n${terminalText(stack)}\n`,
    );
    return 1;
  }
}

/** An answer that did not arrive is no success; but a reader that has gone (`broharness … | head -1`) had enough. */
function endWithoutOutput(error: NodeJS.ErrnoException): never {
  if (error.code === "EPIPE") process.exit(0);
  process.stderr.write(`broharness: stdout cannot be written: ${reasonOf(error)}\n`);
  process.exit(1);
}

process.stdout.on("error", endWithoutOutput);
// Notes that nobody can read are no reason to end without the answer.
process.stderr.on("error", () => undefined);

const code = await main();
// Kept-alive connections must not hold the process, and what was written must arrive before it ends.
process.stdout.write("", (error) => {
  if (error) endWithoutOutput(error);
  process.stderr.write("", () => process.exit(code));
});
