import { folderHash, HarnessError, openTrust, configFolder, type Skill } from "../index.ts";
import { terminalText } from "../terminal-text.ts";
import { noSuchSkill, skillsOf } from "./config.ts";
import type { Flags } from "./flags.ts";
import { print } from "./print.ts";

/** What `skills trust` takes beside the options of every command. */
export interface TrustFlags extends Flags {
  network?: boolean;
  env: string[];
  unsandboxed?: boolean;
  yes?: boolean;
}

/** `skills trust NAME`: says what is in the folder, and with --yes trusts it as it is now. */
export async function trustSkill(name: string, flags: TrustFlags): Promise<void> {
  const skill = await skillNamed(name, flags);
  const trust = openTrust({ configFolder: configFolder(process.env) });
  const { state } = trust.stateOf(skill);
  if (skill.origin === "bundled")
    return print(`${skill.name} ships with broharness; it is trusted.`);
  const found = folderHash(skill.folder);
  if (!found.ok)
    throw new HarnessError("config", `${skill.folder} cannot be trusted: ${found.reason}`);
  const { network = false, env: environment, unsandboxed = false } = flags;
  const words = { network, environment, unsandboxed };
  print(overview(skill, state, found.hash, words));
  if (!flags.yes)
    throw new HarnessError("usage", `nothing was trusted: look at the folder, then add --yes`);
  trust.grant(skill, found.hash, words);
  print(`${skill.name} is trusted as it is now; after a change you are asked again.`);
}

/** `skills untrust NAME`. */
export async function untrustSkill(name: string, flags: Flags): Promise<void> {
  const skill = await skillNamed(name, flags);
  if (skill.origin === "bundled")
    throw new HarnessError(
      "usage",
      `${name} ships with broharness; leave it out with --no-bundled-skills`,
    );
  const was = openTrust({ configFolder: configFolder(process.env) }).revoke(skill);
  print(was ? `${name} is not trusted any more.` : `${name} was not trusted.`);
}

async function skillNamed(name: string, flags: Flags): Promise<Skill> {
  const { skills } = await skillsOf(flags);
  const skill = skills.find((candidate) => candidate.name === name);
  if (!skill) throw noSuchSkill(name, skills);
  return skill;
}

function overview(
  skill: Skill,
  state: string,
  hash: string,
  {
    network,
    environment,
    unsandboxed,
  }: { network: boolean; environment: string[]; unsandboxed: boolean },
): string {
  const scripts = [...new Set(skill.tools.map(({ file }) => file))];
  const may = [
    "read its folder",
    "change the folder you run broharness in",
    ...(network ? ["use the network"] : []),
    ...environment.map((variable) => `see ${variable}`),
    ...(unsandboxed ? ["do all of this without a sandbox, which means whatever you can do"] : []),
  ];
  const lines = [
    `${skill.name} (${skill.origin}, ${state}): ${skill.description}`,
    `  folder   ${skill.folder}`,
    `  SHA-256  ${hash}`,
    ...(scripts.length > 0 ? scripts : ["(none)"]).map((file) => `  script   ${file}`),
    `Its scripts may ${may.join("; ")}.`,
  ];
  return terminalText(lines.join("\n"));
}
