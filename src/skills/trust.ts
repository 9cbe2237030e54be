import type { Skill, SkillEntry } from "./skill.ts";

/** What the scripts of a trusted folder may do beyond reading it and changing the workspace. */
export interface Grant {
  network: boolean;
  /** Names of environment variables that they see. */
  environment: readonly string[];
  /** Whether they may run where there is no sandbox. */
  unsandboxed: boolean;
}

/** Whether the scripts of a skill's folder may run as it is now. `hash` is that of the whole folder; null where none counts. */
export type TrustState =
  | { state: "trusted"; hash: string | null; grant: Grant }
  | { state: "new"; hash: string }
  | { state: "changed"; hash: string }
  /** The folder cannot be told from another one, for the reason said: too large, a link that leaves it … */
  | { state: "unpinnable"; reason: string };

/** Who may run what. */
export interface Trust {
  stateOf(skill: Skill): TrustState;
  /** Trusts a folder with just this content. Throws HarnessError for a folder that is another one by now. */
  grant(skill: SkillEntry, hash: string, grant: Grant): void;
  /** Takes the trust in a skill's folder back; false where there was none. */
  revoke(skill: SkillEntry): boolean;
}

/** Whether a skill is a part of the program itself, which runs with the same rights anyway. */
export const isPartOfProgram = ({ origin }: SkillEntry): boolean =>
  origin === "program" || origin === "bundled";
