import type { Call } from "../contracts/call.ts";
import type { Skill } from "../skills/skill.ts";
import { oneLine } from "../skills/text.ts";
import { confirmation } from "./confirmation.ts";

/** What a person has to know to trust the folder of a skill. */
export interface TrustQuestion {
  call: Call;
  /** What else the call has to be asked about. */
  why: "destructive" | "interrupted" | null;
  skill: Skill;
  state: "new" | "changed" | "unsandboxed";
  hash: string;
  /** Why scripts run without a sandbox here; null where they run in one. */
  unsandboxed: string | null;
}

const STATES = {
  new: "was never trusted",
  changed: "has changed since it was trusted",
  unsandboxed: "was trusted to run in a sandbox only",
};

/** The question before the first script of a folder that is not trusted, or not as it is now. */
export function trustQuestion({
  call,
  why,
  skill,
  state,
  hash,
  unsandboxed,
}: TrustQuestion): string {
  const { network, environment } = skill.needs;
  const asked = [...(network ? ["the network"] : []), ...environment];
  return [
    confirmation(call, why),
    `It is a script of the skill "${skill.name}" (${skill.origin}), whose folder ${STATES[state]}: ${oneLine(skill.folder)}`,
    ...(asked.length > 0 ? [`The skill asks for ${asked.map(oneLine).join(", ")}.`] : []),
    unsandboxed === null
      ? "It runs in a sandbox: it may read its own folder, and change only the folder you are in."
      : `There is no sandbox (${unsandboxed}): the script can do whatever you can.`,
    `Trust the folder as it is now (${hash.slice(0, 12)}), and run it?`,
  ].join("\n");
}
