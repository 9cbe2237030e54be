#!/usr/bin/env node
import { CommanderError } from "commander";
import { HarnessError } from "../index.ts";
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
      process.stderr.write(`broharness: ${error.message}\n`);
      return error.code === "usage" ? 2 : 3;
    }
    const stack = error instanceof Error ? error.stack : String(error);
    process.stderr.write(
      `broharness: this is a bug in broharness or in a backend of yours, please report it:\n${stack}\n`,
    );
    return 1;
  }
}

// A reader that has gone (`broharness … | head -1`) is not an error of ours.
process.stdout.on("error", (error: NodeJS.ErrnoException) =>
  process.exit(error.code === "EPIPE" ? 0 : 1),
);

const code = await main();
// Kept-alive connections must not hold the process, and what was written must arrive before it ends.
process.stdout.write("", () => process.stderr.write("", () => process.exit(code)));
