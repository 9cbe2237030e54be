import { readdirSync, renameSync, symlinkSync, writeFileSync } from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { execa } from "execa";
import { describe, expect, test } from "vitest";

import { contentOf, makeProject, scriptPath } from "./tool-runs.ts";

// Another process: turns docs into a link that leads outside and back, until there is a file called stop. Prints how
// often it did. For a moment there is no docs, and what a tool makes in its place is put aside.
const swapper = `
import { existsSync, renameSync, symlinkSync, unlinkSync } from "node:fs";
let swaps = 0;
let made = 0;
function insist(step) {
  try {
    step();
  } catch {
    renameSync("docs", "made" + made++);
    insist(step);
  }
}
const stay = () => { for (let times = 0; times < 12; times++) existsSync("docs"); };
while (!existsSync("../stop"))
  for (let times = 0; times < 50; times++, swaps++) {
    renameSync("docs", "docs.away");
    insist(() => symlinkSync("../outside", "docs"));
    stay();
    unlinkSync("docs");
    insist(() => renameSync("docs.away", "docs"));
    stay();
  }
console.log(swaps);
`;

// One process that runs a tool many times as if each were a start of its own. "N" in its arguments counts them.
const caller = `
const [url, from, to, ...words] = process.argv.slice(1);
const { fileURLToPath } = await import("node:url");
process.execArgv = []; // else parseArgs takes the tool's file for an argument
for (let number = Number(from); number < Number(to); number++) {
  process.argv = [process.argv[0], fileURLToPath(url), ...words.map((word) => word.replace("N", number))];
  await import(url + "?" + number);
}
process.exitCode = 0;
`;

const RUNS = 4;
const CALLS_A_RUN = 250; // each leaves two handles open, of which a process may have 1,024
const names = Array.from({ length: RUNS * CALLS_A_RUN }, (_, index) => `file${index}.txt`);

const runModule = (code: string, cwd: string, words: string[] = [], imported: string[] = []) =>
  execa(process.execPath, [...imported, "--input-type=module", "--eval", code, "--", ...words], {
    cwd,
    env: { PROJECT_DIR: cwd },
    stdin: "ignore",
    stripFinalNewline: false,
  });

/** All that a tool prints in 1,000 calls while docs is swapped, and how many swaps there were. */
async function whileSwapped(project: string, tool: string, words: string[]) {
  const swapping = runModule(swapper, project);
  const url = pathToFileURL(scriptPath("file-ops", `${tool}.mjs`)).href;
  let printed = "";
  for (let run = 0; run < RUNS; run++) {
    const numbers = [run * CALLS_A_RUN, (run + 1) * CALLS_A_RUN].map(String);
    printed += (await runModule(caller, project, [url, ...numbers, ...words])).stdout;
  }
  writeFileSync(path.join(project, "../stop"), "");
  return { printed, swaps: Number((await swapping).stdout) };
}

const madeWith = (prefix: string, content: string) =>
  Object.fromEntries(names.map((name) => [`${prefix}/${name}`, content]));

describe.skipIf(process.platform !== "linux")("while docs is swapped for a link", () => {
  test("read_file reads nothing outside", async () => {
    const project = makeProject({ "docs/a.txt": "inside\n", "../outside/a.txt": "secret\n" });
    const { printed, swaps } = await whileSwapped(project, "read_file", ["--path=docs/a.txt"]);
    expect(swaps).toBeGreaterThan(1000);
    expect(new Set(printed.trim().split("\n"))).toEqual(new Set(["inside"]));
  });

  test("list_files lists nothing outside", async () => {
    const project = makeProject({ "docs/a.txt": "", "../outside/secret.txt": "" });
    const { printed, swaps } = await whileSwapped(project, "list_files", ["--path=docs"]);
    expect(swaps).toBeGreaterThan(1000);
    expect(new Set(printed.trim().split("\n"))).toEqual(new Set(["docs/a.txt"]));
  });

  test("create_file makes nothing outside", async () => {
    const project = makeProject({ "docs/a.txt": "", "../outside/a.txt": "" });
    const words = ["--path=docs/new/fileN.txt", "--content=x"];
    const { printed, swaps } = await whileSwapped(project, "create_file", words);
    expect(swaps).toBeGreaterThan(1000);
    expect(printed).toContain("created");
    expect(readdirSync(path.join(project, "../outside"))).toEqual(["a.txt"]);
  });

  test("update_file writes nothing outside, and leaves no draft", async () => {
    const project = makeProject({ "docs/a.txt": "old", "../outside/a.txt": "secret" });
    const words = ["--path=docs/a.txt", "--content=N,", "--append"];
    const { printed, swaps } = await whileSwapped(project, "update_file", words);
    expect(swaps).toBeGreaterThan(1000);
    const added = printed.trim().split("\n").length;
    expect(contentOf(project, "docs/a.txt")).toMatch(/^old(\d+,)+$/);
    expect(contentOf(project, "docs/a.txt").split(",").length - 1).toBe(added);
    expect(contentOf(project, "../outside/a.txt")).toBe("secret");
    expect(readdirSync(path.join(project, "../outside"))).toEqual(["a.txt"]);
    expect(readdirSync(path.join(project, "docs"))).toEqual(["a.txt"]);
  });

  test("delete_file deletes nothing outside", async () => {
    const project = makeProject({ ...madeWith("docs", ""), ...madeWith("../outside", "") });
    const { printed, swaps } = await whileSwapped(project, "delete_file", [
      "--path=docs/fileN.txt",
    ]);
    expect(swaps).toBeGreaterThan(1000);
    expect(printed).toContain("deleted");
    expect(readdirSync(path.join(project, "../outside"))).toHaveLength(names.length);
  });
});

// Where there is no /proc, paths are used: what is allowed and refused is the same.
const elsewhere = [
  "--import=data:text/javascript,Object.defineProperty(process,'platform',{value:'darwin'})",
];

test("without handles the tools do the same, links included", async () => {
  const project = makeProject({ "docs/a.txt": "a", "../outside/a.txt": "secret" });
  symlinkSync("../outside", path.join(project, "away"));
  symlinkSync("docs", path.join(project, "link"));
  symlinkSync("../project/docs/a.txt", path.join(project, "round"));
  const run = async (tool: string, ...words: string[]) => {
    const command = [...elsewhere, scriptPath("file-ops", `${tool}.mjs`), ...words];
    const options = { cwd: project, env: { PROJECT_DIR: project }, reject: false } as const;
    const { stdout, stderr } = await execa(process.execPath, command, options);
    return stdout + stderr;
  };
  expect(await run("read_file", "--path=link/a.txt")).toBe("a");
  expect(await run("read_file", "--path=round")).toBe("a");
  expect(await run("read_file", "--path=away/a.txt")).toMatch(/^"away\/a.txt" leads outside/);
  expect(await run("update_file", "--path=link/a.txt", "--content=b", "--append")).toMatch(
    /^added/,
  );
  expect(contentOf(project, "docs/a.txt")).toBe("ab");
  expect(await run("create_file", "--path=link/n/b.txt", "--content=")).toMatch(/^created/);
  expect(await run("create_file", "--path=away/b.txt", "--content=")).toMatch(/leads outside/);
  expect(await run("list_files", "--path=link", "--depth=2")).toBe(
    "docs/a.txt\ndocs/n/\ndocs/n/b.txt",
  );
  expect(await run("delete_file", "--path=away/a.txt")).toMatch(/leads outside/);
  expect(await run("delete_file", "--path=link/n/b.txt")).toMatch(/^deleted/);
  expect(readdirSync(path.join(project, "docs/n"))).toEqual([]);
  expect(contentOf(project, "../outside/a.txt")).toBe("secret");
});

test("links that go up and round are followed while they stay inside", async () => {
  const project = makeProject({ "docs/deep/a.txt": "a", "b.txt": "b" });
  symlinkSync("../../b.txt", path.join(project, "docs/deep/up"));
  symlinkSync("../project/docs", path.join(project, "round"));
  symlinkSync(path.join(project, "docs/deep"), path.join(project, "absolute"));
  symlinkSync("deep/../../docs/deep/.", path.join(project, "docs/winding"));
  const read = async (file: string) =>
    (
      await execa(process.execPath, [scriptPath("file-ops", "read_file.mjs"), `--path=${file}`], {
        cwd: project,
        env: { PROJECT_DIR: project },
        reject: false,
      })
    ).stdout;
  expect(await read("docs/deep/up")).toBe("b");
  expect(await read("round/deep/a.txt")).toBe("a");
  expect(await read("absolute/a.txt")).toBe("a");
  expect(await read("round/winding/a.txt")).toBe("a");
  renameSync(path.join(project, "docs/deep/a.txt"), path.join(project, "docs/deep/gone.txt"));
  expect(await read("absolute/a.txt")).toBe("");
});
