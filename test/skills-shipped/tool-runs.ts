import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { execa } from "execa";
import { onTestFinished } from "vitest";
import { withoutPrivileges } from "../helpers/processes.ts";

export const skillsFolder = fileURLToPath(new URL("../../skills", import.meta.url));

export interface Ran {
  code: number | undefined;
  stdout: string;
  stderr: string;
  /** stdout, byte for byte. */
  bytes: Buffer;
}

interface Running {
  /** As somebody who has only the rights that a file's mode gives. */
  unprivileged?: boolean;
  /** The folder that PROJECT_DIR names, when it is not the working folder. */
  projectDir?: string;
}

/** A project folder that is removed after the test, with these files in it. Its parent belongs to the test too. */
export function makeProject(files: Record<string, string | Buffer> = {}): string {
  const parent = mkdtempSync(path.join(tmpdir(), "skills-shipped-"));
  onTestFinished(() => rmSync(parent, { recursive: true, force: true }));
  const project = path.join(parent, "project");
  mkdirSync(project);
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(path.dirname(path.join(project, name)), { recursive: true });
    writeFileSync(path.join(project, name), content);
  }
  return project;
}

export const contentOf = (project: string, name: string) =>
  readFileSync(path.join(project, name), "utf8");

export const scriptPath = (skill: string, script: string) =>
  path.join(skillsFolder, skill, "scripts", script);

/** Runs a script the way the harness does: no shell, stdin closed, hardly any environment. */
export async function runScript(
  command: string[],
  project: string,
  { unprivileged = false, projectDir = project }: Running = {},
): Promise<Ran> {
  const [program = "", ...rest] = [...(unprivileged ? withoutPrivileges : []), ...command];
  const ran = await execa(program, rest, {
    cwd: project,
    env: { PROJECT_DIR: projectDir },
    extendEnv: false,
    encoding: "buffer",
    stdin: "ignore",
    stripFinalNewline: false,
    reject: false,
  });
  const bytes = Buffer.from(ran.stdout);
  return {
    code: ran.exitCode,
    bytes,
    stdout: bytes.toString("utf8"),
    stderr: Buffer.from(ran.stderr).toString("utf8"),
  };
}

/** A call of one file-ops tool: `fileOps("read_file", { path: "a.txt" }, project)`. */
export function fileOps(
  tool: string,
  input: Record<string, string | number | true>,
  project: string,
  running: Running = {},
): Promise<Ran> {
  const words = Object.entries(input).map(([name, value]) =>
    value === true ? `--${name}` : `--${name}=${value}`,
  );
  return runScript(
    [process.execPath, scriptPath("file-ops", `${tool}.mjs`), ...words],
    project,
    running,
  );
}

/** What a failed run says, with the exit code in front: easy to compare as one literal. */
export const failure = ({ code, stdout, stderr }: Ran) => `${code} ${stdout}${stderr.trimEnd()}`;
