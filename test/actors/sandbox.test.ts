import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { homedir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { runProcess } from "../../src/actors/run-script.ts";
import { confined, findSandbox, type Sandbox } from "../../src/actors/sandbox.ts";
import { scriptEnvironment } from "../../src/actors/script-environment.ts";
import { gone } from "../helpers/processes.ts";
import { project } from "../helpers/project.ts";
import { requirement } from "../helpers/requirement.ts";

const found = await findSandbox("auto", process.env);
const bubblewrap = requirement("bubblewrap", found.kind === "bubblewrap" ? found.file : null);
const none: Sandbox = { kind: "none", why: "for this test" };

const secrets = { ...process.env, AWS_SECRET_ACCESS_KEY: "s3", LD_PRELOAD: "", NODE_OPTIONS: "" };
let served = 0;
const server = createServer((_request, response) => {
  served += 1;
  response.end("secret");
});
beforeAll(() => new Promise<void>((resolve) => server.listen(0, "127.0.0.1", () => resolve())));
afterAll(() => server.close());

/** A workspace with a skill in it, a repository, and a file of somebody else beside both. */
function place() {
  const root = project({
    "outside/secret.txt": "secret",
    "work/a.txt": "a",
    "work/.git/hooks/pre-commit": "",
    "work/.claude/skills/mine/SKILL.md": "hi",
    "work/.claude/skills/other/SKILL.md": "hi",
  });
  const projectDir = path.join(root, "work");
  return { root, projectDir, skillDir: path.join(projectDir, ".claude/skills/mine") };
}

interface Given {
  sandbox?: Sandbox;
  network?: boolean;
  timeoutMs?: number;
}

/** What a script prints; `code` is a module that may use fs, path, net, cp, root and say(). */
async function run(where: ReturnType<typeof place>, code: string, given: Given = {}) {
  const { root, projectDir, skillDir } = where;
  const file = path.join(skillDir, "run.mjs");
  const port = (server.address() as AddressInfo).port;
  writeFileSync(
    file,
    `import fs from "node:fs"; import path from "node:path"; import cp from "node:child_process"; import os from "node:os";
const root = ${JSON.stringify(root)}, port = ${port};
const say = (text) => console.log(text);
const tried = (act) => { try { return act() ?? "done"; } catch (error) { return error.code ?? error.message; } };
${code}\n`,
  );
  const start = confined(
    {
      file: process.execPath,
      arguments: [file],
      cwd: projectDir,
      environment: scriptEnvironment(secrets, { projectDir, skillDir }),
    },
    { skillDir, projectDir, network: given.network ?? false },
    given.sandbox ?? { kind: "bubblewrap", file: bubblewrap.path },
  );
  if ("missing" in start) throw new Error(start.missing);
  const options = { ...start, timeoutMs: given.timeoutMs ?? 20_000, outputBytesMax: 10_000 };
  const { ended, exit_code, stdout, stderr } = await runProcess(
    options,
    new AbortController().signal,
  );
  return { ended, exit_code, printed: `${stdout.text}${stderr.text}` };
}

describe.skipIf(bubblewrap.missing)(`a hostile script in bubblewrap${bubblewrap.note}`, () => {
  test.each<[what: string, code: string, printed: string]>([
    [
      "reads a file beside the workspace",
      `say(tried(() => fs.readFileSync(root + "/outside/secret.txt", "utf8")));`,
      "ENOENT\n",
    ],
    [
      "goes there by ../",
      `say(tried(() => fs.readFileSync("../outside/secret.txt", "utf8")));`,
      "ENOENT\n",
    ],
    [
      "goes there by a link of its own",
      `fs.symlinkSync("../outside/secret.txt", "link"); say(tried(() => fs.readFileSync("link", "utf8")));`,
      "ENOENT\n",
    ],
    [
      "writes beside the workspace",
      `say(tried(() => fs.writeFileSync(root + "/outside/x", "")));`,
      "ENOENT\n",
    ],
    [
      "reads the home folder",
      `say(tried(() => fs.readdirSync(${JSON.stringify(homedir())}).length));`,
      "ENOENT\n",
    ],
    [
      "looks what home it has",
      `say(os.homedir() + " " + fs.readdirSync(os.homedir()).length);`,
      "/tmp/home 0\n",
    ],
    ["reads passwords", `say(tried(() => fs.readFileSync("/etc/shadow", "utf8")));`, "ENOENT\n"],
    [
      "changes the system's programs",
      `say(tried(() => fs.writeFileSync("/usr/bin/x", "")));`,
      "EROFS\n",
    ],
    [
      "changes its own folder",
      `say(tried(() => fs.writeFileSync(process.env.SKILL_DIR + "/SKILL.md", "")));`,
      "EROFS\n",
    ],
    [
      "changes another skill of the project",
      `say(tried(() => fs.writeFileSync(".claude/skills/other/SKILL.md", "")));`,
      "EROFS\n",
    ],
    [
      "leaves a hook for git",
      `say(tried(() => fs.writeFileSync(".git/hooks/pre-commit", "rm -rf /")));`,
      "EROFS\n",
    ],
    [
      "takes keys from its environment",
      `say(Object.keys(process.env).filter((name) => /KEY|SECRET|PRELOAD/.test(name)).length);`,
      "0\n",
    ],
    [
      "takes keys from another process's environment",
      `say(fs.readdirSync("/proc").filter((name) => /^\\d+$/.test(name) && name > 2).length);`,
      "0\n",
    ],
    ["stops a process of ours", `say(tried(() => process.kill(${process.pid}, 0)));`, "ESRCH\n"],
    [
      "talks to the local network",
      `await fetch("http://127.0.0.1:" + port).then(() => say("sent"), (error) => say(error.cause.code));`,
      "ECONNREFUSED\n",
    ],
    [
      "looks at the devices",
      `say(fs.readdirSync("/dev").includes("mem") || fs.readdirSync("/dev").includes("sda"));`,
      "false\n",
    ],
    [
      "mounts something",
      `say(cp.spawnSync("mount", ["-t", "tmpfs", "x", "/tmp"]).status !== 0);`,
      "true\n",
    ],
    [
      "makes a name space to be root in",
      `say(cp.spawnSync("unshare", ["-Ur", "cat", root + "/outside/secret.txt"]).stdout.toString() === "");`,
      "true\n",
    ],
    [
      "works as it should",
      `fs.writeFileSync("b.txt", fs.readFileSync("a.txt", "utf8") + "b"); fs.mkdtempSync(os.tmpdir() + "/x"); say("ok");`,
      "ok\n",
    ],
  ])("that %s", async (_what, code, printed) => {
    const where = place();
    expect(await run(where, code)).toEqual({ ended: "exited", exit_code: 0, printed });
    expect(readdirSync(path.join(where.root, "outside"))).toEqual(["secret.txt"]);
    expect(readFileSync(path.join(where.projectDir, ".git/hooks/pre-commit"), "utf8")).toBe("");
    expect(existsSync(path.join(where.skillDir, "SKILL.md"))).toBe(true);
  });

  test("reaches the network where that was granted, and nothing was sent before", async () => {
    expect(served).toBe(0);
    const code = `say(await (await fetch("http://127.0.0.1:" + port)).text());`;
    const { printed } = await run(place(), code, { network: true });
    expect([printed, served]).toEqual(["secret\n", 1]);
  });

  test("dies with all it started, in a session of its own too, when its time is over", async () => {
    // The number of a process is another one outside, so it is found by its name.
    const name = `kept-${process.pid}-${Date.now()}`;
    const code = `const child = cp.spawn("bash", ["-c", "exec -a ${name} sleep 300"], { detached: true, stdio: "ignore" });
child.unref(); setTimeout(() => { say("sleeps: " + (child.exitCode === null)); setInterval(() => {}, 1000); }, 300);`;
    expect(await run(place(), code, { timeoutMs: 2_000 })).toEqual({
      ended: "timed_out",
      exit_code: expect.toSatisfy((status) => status !== 0) as number,
      printed: "sleeps: true\n",
    });
    const ids = execFileSync("sh", ["-c", `pgrep -f '^${name}' || true`], { encoding: "utf8" });
    await gone(ids.split("\n").filter(Boolean).map(Number));
  });

  test("is not started in the whole disk as a workspace", () => {
    const start = { file: "/bin/true", arguments: [], cwd: "/", environment: {} };
    const where = { skillDir: "/skills/x", projectDir: "/", network: false };
    expect(confined(start, where, { kind: "bubblewrap", file: bubblewrap.path })).toEqual({
      missing:
        'scripts may change the folder you are in, and "/" is the whole disk: go into a folder of your work',
    });
  });
});

describe("without a sandbox", () => {
  test.each<[what: string, code: string, printed: string]>([
    [
      "takes keys from its environment",
      `say(Object.keys(process.env).filter((name) => /KEY|SECRET|PRELOAD/.test(name)).length);`,
      "0\n",
    ],
    ["waits for what a person types", `say(tried(() => fs.readFileSync(0).length));`, "0\n"],
  ])("a hostile script that %s", async (_what, code, printed) => {
    expect(await run(place(), code, { sandbox: none })).toEqual({
      ended: "exited",
      exit_code: 0,
      printed,
    });
  });

  test("nothing is changed about how a program starts", () => {
    const start = { file: "/bin/true", arguments: ["a"], cwd: "/", environment: { A: "b" } };
    expect(confined(start, { skillDir: "/s", projectDir: "/", network: false }, none)).toBe(start);
  });
});

describe("the sandbox of this machine", () => {
  test("is none where it is switched off, or not installed", async () => {
    const empty = project();
    mkdirSync(path.join(empty, "bwrap"));
    expect(await findSandbox("off", process.env)).toEqual({
      kind: "none",
      why: "it is switched off",
    });
    const nowhere = await findSandbox("auto", { PATH: `relative:${project()}` });
    expect(nowhere).toMatchObject({ kind: "none" });
    await expect(findSandbox("required", { PATH: project() })).rejects.toThrow(
      /^--sandbox required: .*; install bubblewrap, or take --sandbox auto and be asked$/,
    );
  });

  test("is none where bubblewrap is there and cannot start anything, with what it says", async () => {
    const bin = project({
      bwrap: "#!/bin/sh\necho 'bwrap: No permissions to create new namespace' >&2\nexit 1\n",
    });
    execFileSync("chmod", ["+x", path.join(bin, "bwrap")]);
    expect(await findSandbox("auto", { PATH: bin })).toEqual({
      kind: "none",
      why: "bubblewrap cannot start here: bwrap: No permissions to create new namespace",
    });
  });
});
