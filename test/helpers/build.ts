import { execFileSync } from "node:child_process";
import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../..", import.meta.url));

/** Before all tests: the command line is tested as it ships, so dist has to be what src says. */
export function setup(): void {
  const built = statSync(join(root, "dist/cli/main.js"), { throwIfNoEntry: false })?.mtimeMs ?? 0;
  const newest = readdirSync(join(root, "src"), { recursive: true, encoding: "utf8" })
    .map((file) => statSync(join(root, "src", file)).mtimeMs)
    .reduce((a, b) => Math.max(a, b), 0);
  if (newest > built)
    execFileSync(process.execPath, ["build.mjs"], { cwd: root, stdio: "inherit" });
}
