import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import {
  createOfflineBackend,
  codeblock,
  HarnessError,
  loadSkills,
  type HarnessOptions,
  type SkillSet,
} from "../index.ts";
import type { Flags } from "./flags.ts";
import { createBackends } from "./models.ts";

const BUNDLED_SKILLS = fileURLToPath(new URL("../../skills", import.meta.url));

/** The skills of this run: the folders that were named, then the ones that ship. The first of a name wins. */
export function skillsOf(flags: Flags): Promise<SkillSet> {
  const folders = [...flags.skills, ...(flags.bundledSkills ? [BUNDLED_SKILLS] : [])];
  return loadSkills({ folders, environment: process.env });
}

/** Flags, files and environment, made into complete options once; nothing deeper looks at them again. */
export async function harnessOptions(flags: Flags): Promise<HarnessOptions> {
  const skills = await skillsOf(flags);
  const persona = personaOf(flags);
  const offline = () => createOfflineBackend({ skills: skills.skills, contract: codeblock });
  return {
    skills,
    ...createBackends(flags, { offline, environment: process.env }),
    projectDir: process.cwd(),
    environment: process.env,
    ...(persona === undefined ? {} : { persona }),
    limits: { max_steps: flags.maxSteps, max_retries: flags.maxRetries, max_asks: flags.maxAsks },
    allow: flags.allow,
    scriptTimeoutMs: flags.scriptTimeout * 1000,
  };
}

function personaOf({ systemPrompt, systemPromptFile }: Flags): string | undefined {
  if (systemPromptFile === undefined) return systemPrompt;
  try {
    return readFileSync(systemPromptFile, "utf8");
  } catch (error) {
    throw new HarnessError(
      "no_such_file",
      `--system-prompt-file ${systemPromptFile}: cannot be read`,
      { cause: error },
    );
  }
}
