// Compiles src to dist and copies what is not TypeScript: the prompt texts and the reader of Python scripts.
import { execFileSync } from "node:child_process";
import { chmodSync, cpSync, renameSync, rmSync } from "node:fs";
import { createRequire } from "node:module";

// Built beside dist and then put in its place, so that a build that fails or runs twice leaves a whole dist behind.
const fresh = `dist.${process.pid}`;
const tsc = createRequire(import.meta.url).resolve("typescript/bin/tsc");
try {
  execFileSync(process.execPath, [tsc, "-p", "tsconfig.build.json", "--outDir", fresh], {
    stdio: "inherit",
  });
  cpSync("src", fresh, { recursive: true, filter: (path) => !path.endsWith(".ts") });
  chmodSync(`${fresh}/cli/main.js`, 0o755);
  putInPlace();
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
