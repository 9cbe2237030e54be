// Compiles src to dist, copies what is not TypeScript (the prompt texts and the reader of Python scripts), and makes of
// visualizer the one script and the one style of the inspector's page.
import { execFileSync } from "node:child_process";
import { chmodSync, cpSync, readdirSync, renameSync, rmSync, statSync } from "node:fs";
import { createRequire } from "node:module";

const require = createRequire(import.meta.url);

// `npx broharness` in a clone runs `prepare` again each time npx has not seen the clone: nothing to do then but to look.
const ifStale = process.argv.includes("--if-stale");
const sources = ["src", "visualizer", "build.mjs", "tsconfig.json", "tsconfig.build.json"];
if (!ifStale || newest(sources) > builtAt()) build();

function build() {
  // Built beside dist and then put in its place, so that a build that fails or runs twice leaves a whole dist behind.
  const fresh = `dist.${process.pid}`;
  const tsc = require.resolve("typescript/bin/tsc");
  try {
    execFileSync(process.execPath, [tsc, "-p", "tsconfig.build.json", "--outDir", fresh], {
      stdio: "inherit",
    });
    cpSync("src", fresh, { recursive: true, filter: isShippedAsIs });
    bundlePage(`${fresh}/visualizer`);
    chmodSync(`${fresh}/cli/main.js`, 0o755);
    putInPlace(fresh);
  } finally {
    rmSync(fresh, { recursive: true, force: true });
  }
}

function bundlePage(outdir) {
  // Not imported above: to look takes no bundler.
  require("esbuild").buildSync({
    entryPoints: [
      { in: "visualizer/main.ts", out: "page" },
      { in: "visualizer/page.css", out: "page" },
    ],
    outdir,
    bundle: true,
    format: "iife",
    minify: true,
    target: "es2022",
    legalComments: "none",
    logLevel: "warning",
  });
}

function builtAt() {
  return statSync("dist/cli/main.js", { throwIfNoEntry: false })?.mtimeMs ?? 0;
}

/** When a file was changed last, or a folder's list of files. */
function newest(paths) {
  return paths.reduce((latest, path) => {
    const found = statSync(path);
    const inside = found.isDirectory() ? readdirSync(path).filter(isSource) : [];
    return Math.max(latest, found.mtimeMs, newest(inside.map((name) => `${path}/${name}`)));
  }, 0);
}

// What Python keeps of the reader's modules belongs to the place where they ran.
function isSource(path) {
  return !path.endsWith("__pycache__");
}

function isShippedAsIs(path) {
  return isSource(path) && !path.endsWith(".ts");
}

function putInPlace(fresh, triesLeft = 5) {
  rmSync("dist", { recursive: true, force: true });
  try {
    renameSync(fresh, "dist");
  } catch (error) {
    // Another build was quicker between the two lines above.
    if (triesLeft === 0 || !["ENOTEMPTY", "EEXIST"].includes(error.code)) throw error;
    putInPlace(fresh, triesLeft - 1);
  }
}
