import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { fold } from "../../src/journal/fold.ts";
import { loadJournal } from "../../src/journal/load-journal.ts";
import { replayFault } from "../../src/journal/replay.ts";

let made: string | null = null;

/**
 * Before all tests: the command line is tested as it ships, so dist has to be what src says. Its sessions go apart, and
 * every temporary file is made in one folder, so that no test can touch what is not its own and nothing stays behind.
 */
export function setup(): void {
  const cwd = fileURLToPath(new URL("../..", import.meta.url));
  execFileSync(process.execPath, ["build.mjs", "--if-stale"], { cwd, stdio: "inherit" });
  made = mkdtempSync(join(tmpdir(), "broharness-test-"));
  process.env["TMPDIR"] = made;
  process.env["BROHARNESS_TEST_HOME"] = mkdtempSync(join(tmpdir(), "broharness-home-"));
}

/** After all tests: every session that they left is legal, and the same again when it is replayed. Then they go. */
export function teardown(): void {
  const folder = join(process.env["BROHARNESS_TEST_HOME"] ?? "", "sessions");
  for (const name of existsSync(folder) ? readdirSync(folder) : []) {
    if (!name.endsWith(".jsonl")) continue;
    const folded = fold(loadJournal(join(folder, name)));
    const fault = folded.fault ?? replayFault(folded);
    if (fault) throw new Error(`${join(folder, name)}, line ${fault.line}: ${fault.why}`);
  }
  // Never by what TMPDIR says: where the setup failed that is the folder of everybody.
  if (made !== null) rmSync(made, { recursive: true, force: true });
}
