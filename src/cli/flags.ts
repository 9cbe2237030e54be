/** The options of the command line, as commander gives them. */
export interface Flags {
  print?: boolean;
  outputFormat: "text" | "json" | "stream-json";
  model: string;
  roleModel: string[];
  record?: string;
  skills: string[];
  bundledSkills: boolean;
  maxSteps: number;
  maxRetries: number;
  maxAsks: number;
  timeout: number;
  scriptTimeout: number;
  allow: string[];
  /** Names of skills whose folders are trusted for this run. */
  trust: string[];
  sandbox: "required" | "auto" | "off";
  systemPrompt?: string;
  systemPromptFile?: string;
  debug?: boolean;
  /** False with --no-session. */
  session: boolean;
  continue?: boolean;
  /** True without an id. */
  resume?: string | true;
  forkSession?: boolean;
  /** "stay": the command `inspect`, which goes on showing a turn that has ended. */
  inspect?: boolean | "stay";
  /** Where the inspector holds the turn; left out for the command's own default. */
  break?: string[];
  /** Whether a browser may be opened. */
  open: boolean;
  stately?: boolean;
}

/** What `inspect` takes beside them. */
export interface InspectFlags extends Flags {
  html?: string;
  machine?: string;
  exportName?: string;
  input?: string;
}

/** What a session keeps of the flags, so that it goes on with the same model and skills in another process. */
const KEPT: readonly string[] = [
  "model",
  "roleModel",
  "skills",
  "bundledSkills",
  "systemPrompt",
  "systemPromptFile",
] satisfies (keyof Flags)[];

/** Flags as plain data, to keep in the session. */
export const keptOf = (flags: Flags) =>
  Object.fromEntries(
    Object.entries(flags).filter(([name, value]) => KEPT.includes(name) && value !== undefined),
  ) as Record<string, string | boolean | string[]>;

/** The flags of a run that goes on: what the session kept, unless this command line says otherwise. */
export const withKept = (
  flags: Flags,
  kept: object,
  isGiven: (flag: string) => boolean,
): Flags => ({
  ...flags,
  ...Object.fromEntries(
    Object.entries(kept).filter(([name]) => KEPT.includes(name) && !isGiven(name)),
  ),
});
