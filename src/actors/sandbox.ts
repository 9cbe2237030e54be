import { execFile } from "node:child_process";
import { existsSync, lstatSync, readlinkSync, realpathSync } from "node:fs";
import { homedir } from "node:os";
import path from "node:path";
import { HarnessError } from "../errors.ts";
import { findProgram } from "./find-program.ts";
import { isInside } from "../skills/load-text.ts";

/** Whether scripts have to be kept in a sandbox, are where there is one, or are not. */
export type SandboxMode = "required" | "auto" | "off";

/** What scripts are kept in. `why`: why in nothing, as half a sentence. */
export type Sandbox = { kind: "bubblewrap"; file: string } | { kind: "none"; why: string };

/** How a program is started. */
export interface Start {
  file: string;
  arguments: readonly string[];
  cwd: string;
  environment: Record<string, string>;
}

/** What a script may reach. Real paths. */
export interface Confinement {
  /** To be read only. */
  skillDir: string;
  /** To be read and changed. */
  projectDir: string;
  network: boolean;
}

/** A sandbox that takes longer than this to start `true` is none. */
const PROBE_MS = 5_000;

/** Read-only in the sandbox, where they exist: programs, libraries, and the settings that these need. */
const SYSTEM = ["/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32"];
const SETTINGS = [
  "alternatives",
  "ld.so.cache",
  "ld.so.conf",
  "ld.so.conf.d",
  "localtime",
  "nsswitch.conf",
  "passwd",
  "group",
  "ssl",
  "ca-certificates",
  "pki",
];
const NETWORK_SETTINGS = ["resolv.conf", "hosts", "services", "protocols", "gai.conf"];

/** In the workspace, and still not for a script: what other programs run or obey. */
const KEPT_IN_PROJECT = [".git/hooks", ".git/config", ".agents", ".claude", ".broharness"];

/**
 * What keeps scripts in on this machine: bubblewrap from PATH, if it can really start something (a container may forbid
 * it). Throws HarnessError "config" where one is required and there is none.
 */
export async function findSandbox(
  mode: SandboxMode,
  environment: Readonly<Record<string, string | undefined>>,
): Promise<Sandbox> {
  if (mode === "off") return { kind: "none", why: "it is switched off" };
  const file = findProgram("bwrap", environment["PATH"] ?? "");
  const why =
    process.platform === "linux"
      ? "bubblewrap (bwrap) is not installed"
      : "there is one on Linux only";
  const found: Sandbox = file === null ? { kind: "none", why } : await tried(file);
  if (mode === "required" && found.kind === "none")
    throw new HarnessError(
      "config",
      `--sandbox required: ${found.why}; install bubblewrap, or take --sandbox auto and be asked`,
    );
  return found;
}

function tried(file: string): Promise<Sandbox> {
  const options = { timeout: PROBE_MS, killSignal: "SIGKILL" as const };
  const probe = [...isolation(false), ...system(false), "/usr/bin/env", "true"];
  return new Promise((resolve) => {
    execFile(file, probe, options, (error, _stdout, stderr) => {
      const said = stderr.trim().split("\n").at(-1)?.slice(0, 200) ?? "";
      const why = `bubblewrap cannot start here${said === "" ? "" : `: ${said}`}`;
      resolve(error === null ? { kind: "bubblewrap", file } : { kind: "none", why });
    });
  });
}

/**
 * The same program in the sandbox: it reads its skill and the system's programs, changes the workspace, and has folders
 * for home and temporary files that are gone afterwards; the rest of the disk, other processes and, unless granted, the
 * network are not there. Without a sandbox nothing changes. `missing`: a sentence, for a workspace that cannot be confined.
 */
export function confined(
  start: Start,
  confinement: Confinement,
  sandbox: Sandbox,
): Start | { missing: string } {
  if (sandbox.kind === "none") return start;
  const { skillDir, projectDir, network } = confinement;
  if (projectDir === path.parse(projectDir).root)
    return {
      missing: `scripts may change the folder you are in, and "${projectDir}" is the whole disk: go into a folder of your work`,
    };
  const environment: Record<string, string> = { ...start.environment, HOME: "/tmp/home" };
  delete environment["TMPDIR"];
  const argumentList = [
    ...isolation(network),
    ...system(network),
    "--dir",
    "/tmp/home",
    ...interpreterOf(start.file),
    ...workspace(skillDir, projectDir),
    "--chdir",
    start.cwd,
    "--",
    start.file,
    ...start.arguments,
  ];
  return { ...start, file: sandbox.file, arguments: argumentList, environment };
}

/**
 * What is bound later lies over what was bound before: a skill in the workspace is not to be changed all the same. A
 * workspace in a skill, or that is one, can be: whoever works on a skill there is asked about it again after a change.
 */
function workspace(skillDir: string, projectDir: string): string[] {
  const skill = ["--ro-bind", skillDir, skillDir];
  const project = [
    "--bind",
    projectDir,
    projectDir,
    ...KEPT_IN_PROJECT.map((name) => path.join(projectDir, name)).flatMap(readOnly),
  ];
  return isInside(skillDir, projectDir) ? [...skill, ...project] : [...project, ...skill];
}

/** Namespaces of its own and no rights in them. The caller gives it a session, so that no terminal can be typed into. */
const isolation = (network: boolean): string[] => [
  "--unshare-all",
  ...(network ? ["--share-net"] : []),
  "--die-with-parent",
  "--cap-drop",
  "ALL",
];

function system(network: boolean): string[] {
  const settings = [...SETTINGS, ...(network ? NETWORK_SETTINGS : [])];
  return [
    ...SYSTEM.flatMap(asItIs),
    ...settings.map((name) => `/etc/${name}`).flatMap(readOnly),
    "--proc",
    "/proc",
    "--dev",
    "/dev",
    "--tmpfs",
    "/tmp",
  ];
}

/** A link stays a link ("/lib" is one to "usr/lib" on many systems), so that both of its names work. */
function asItIs(folder: string): string[] {
  const found = lstatSync(folder, { throwIfNoEntry: false });
  if (!found) return [];
  return found.isSymbolicLink()
    ? ["--symlink", readlinkSync(folder), folder]
    : ["--ro-bind", folder, folder];
}

const readOnly = (file: string): string[] =>
  existsSync(file) ? ["--ro-bind", realpathSync(file), file] : [];

/**
 * An interpreter that is not the system's own (pyenv, nvm …) comes with the folder it was installed into. Of a folder
 * that holds much else, such as ~/.local, only the program itself.
 */
function interpreterOf(file: string): string[] {
  if (!path.isAbsolute(file) || SYSTEM.some((folder) => file.startsWith(`${folder}/`))) return [];
  const [installed, bin] = [path.dirname(path.dirname(file)), path.basename(path.dirname(file))];
  const isShared = path.basename(installed).startsWith(".") || installed === homedir();
  const seen = bin === "bin" && !isShared && installed !== "/" ? installed : file;
  return ["--ro-bind", seen, seen];
}
