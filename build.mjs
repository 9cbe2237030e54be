// Compiles src to dist and copies what is not TypeScript: the prompt texts and the reader of Python scripts.
import { execFileSync } from "node:child_process";
import { chmodSync, cpSync, existsSync, renameSync, rmSync, symlinkSync } from "node:fs";
import { createRequire } from "node:module";

// Built beside dist and then put in its place, so that a build that fails or runs twice leaves a whole dist behind.
const fresh = `dist.${process.pid}`;
// What Python keeps of the reader's modules belongs to the place where they ran.
const filter = (path) => !path.endsWith(".ts") && !path.endsWith("__pycache__");
const tsc = createRequire(import.meta.url).resolve("typescript/bin/tsc");
try {
  execFileSync(process.execPath, [tsc, "-p", "tsconfig.build.json", "--outDir", fresh], {
    stdio: "inherit",
  });
  cpSync("src", fresh, { recursive: true, filter });
  chmodSync(`${fresh}/cli/main.js`, 0o755);
  putInPlace();
  linkBins();
} finally {
  rmSync(fresh, { recursive: true, force: true });
}

function putInPlace(triesLeft = 5) {
  rmSync("dist", { recursive: true, force: true });
  try {
    renameSync(fresh, "dist");
  } catch (error) {
    // Another build was quicker between the two lines above.
    if (triesLeft === 0 || !["ENOTEMPTY", "EEXIST"].includes(error.code)) throw error;
    putInPlace(triesLeft - 1);
  }
}

/**
 * npm links the bins of dependencies, not a clone's own. Without these links the first `npx broharness` in a clone would
 * install the clone into npx's cache, and build it once more there.
 */
function linkBins() {
  if (!existsSync("node_modules/.bin") || process.platform === "win32") return;
  for (const name of ["broharness", "bro"]) {
    rmSync(`node_modules/.bin/${name}`, { force: true });
    symlinkSync("../../dist/cli/main.js", `node_modules/.bin/${name}`);
  }
}
