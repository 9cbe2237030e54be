import { readFileSync, statSync } from "node:fs";
import { fileURLToPath } from "node:url";
import {
  cacheFolder,
  createOfflineBackend,
  codeblock,
  HarnessError,
  loadSkills,
  configFolder,
  nearest,
  openTrust,
  type HarnessOptions,
  type Skill,
  type SkillSet,
} from "../index.ts";
import { reasonOf } from "../errors.ts";
import type { Flags } from "./flags.ts";
import { createBackends } from "./models.ts";

const BUNDLED_SKILLS = fileURLToPath(new URL("../../skills", import.meta.url));

/** The skills of this run: the folders that were named, then the ones that ship. The first of a name wins. */
export function skillsOf(flags: Flags): Promise<SkillSet> {
  const folders = [...flags.skills, ...(flags.bundledSkills ? [BUNDLED_SKILLS] : [])];
  return loadSkills({
    folders,
    bundled: [BUNDLED_SKILLS],
    environment: process.env,
    cacheFolder: cacheFolder(process.env),
  });
}

/** Flags, files and environment, made into complete options once; nothing deeper looks at them again. */
export async function harnessOptions(flags: Flags): Promise<HarnessOptions> {
  const skills = await skillsOf(flags);
  const persona = personaOf(flags);
  const offline = () => createOfflineBackend({ skills: skills.skills, contract: codeblock });
  return {
    skills,
    ...createBackends(flags, { offline, environment: process.env }),
    projectDir: workingFolder(),
    environment: process.env,
    ...(persona === undefined ? {} : { persona }),
    limits: { max_steps: flags.maxSteps, max_retries: flags.maxRetries, max_asks: flags.maxAsks },
    allow: checkedAllow(flags.allow, skills),
    trust: openTrust({
      configFolder: configFolder(process.env),
      names: checkedTrust(flags.trust, skills),
    }),
    sandbox: flags.sandbox,
    scriptTimeoutMs: flags.scriptTimeout * 1000,
  };
}

/** A name that allows nothing would only be noticed when the tool is refused. */
function checkedAllow(allow: readonly string[], { skills }: SkillSet): readonly string[] {
  const tools = skills.flatMap((skill) => skill.tools.map(({ name }) => name));
  for (const name of allow) {
    if (tools.includes(name)) continue;
    const near = nearest(name, tools);
    throw new HarnessError(
      "usage",
      `--allow ${name}: no tool of that name${near ? `; did you mean ${near}?` : "; see skills list"}`,
    );
  }
  return allow;
}

function checkedTrust(trust: readonly string[], { skills }: SkillSet): readonly string[] {
  for (const name of trust)
    if (!skills.some((skill) => skill.name === name)) throw noSuchSkill(name, skills);
  return trust;
}

/** The error for a skill that is not there. */
export function noSuchSkill(name: string, skills: readonly Skill[]): HarnessError {
  const names = skills.map((skill) => skill.name);
  const near = nearest(name, names);
  return new HarnessError(
    "usage",
    `no skill named "${name}"${near ? `; did you mean ${near}?` : ""} (there are: ${names.join(", ") || "none"})`,
  );
}

function workingFolder(): string {
  try {
    return process.cwd();
  } catch (cause) {
    throw new HarnessError(
      "no_such_file",
      "the folder you are in is gone: change to one that is there",
      { cause },
    );
  }
}

const PERSONA_BYTES_MAX = 1024 * 1024;

function personaOf({ systemPrompt, systemPromptFile }: Flags): string | undefined {
  if (systemPromptFile === undefined) return systemPrompt;
  const refused = (why: string, cause?: unknown) =>
    new HarnessError("not_readable", `--system-prompt-file ${systemPromptFile}: ${why}`, { cause });
  try {
    const found = statSync(systemPromptFile);
    // Looked at first: a pipe would be waited for, and a device may never end.
    if (!found.isFile()) throw refused("not a file but a folder, pipe or device");
    if (found.size > PERSONA_BYTES_MAX) throw refused("over 1 MB; make it shorter");
    return readFileSync(systemPromptFile, "utf8");
  } catch (cause) {
    throw cause instanceof HarnessError ? cause : refused(reasonOf(cause), cause);
  }
}
