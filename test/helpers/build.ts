import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";

/** Before all tests: the command line is tested as it ships, so dist has to be what src says. */
export function setup(): void {
  const cwd = fileURLToPath(new URL("../..", import.meta.url));
  execFileSync(process.execPath, ["build.mjs", "--if-stale"], { cwd, stdio: "inherit" });
}
