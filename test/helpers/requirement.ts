import { env } from "node:process";

/** Programs that some tests need and that a user's machine may lack. */
export type RequirementName = "python3" | "chromium" | "bubblewrap";

export interface Requirement {
  /** For `describe.skipIf`. */
  missing: boolean;
  /** For the title: empty when it is there, "(skipped: …)" when it is not. */
  note: string;
  /** Where it is; empty when it is missing, and then nothing may use it. */
  path: string;
}

/**
 * What a test needs, found at `path` or not found (null). Without it the tests are skipped with the reason in their
 * title; in CI (`CI` is set) nothing may be skipped, so there it throws.
 */
export function requirement(name: RequirementName, path: string | null): Requirement {
  if (path !== null) return { missing: false, note: "", path };
  if (env["CI"])
    throw new Error(`${name} is missing, and in CI no test may be skipped: install it there`);
  return { missing: true, note: ` (skipped: ${name} is not installed)`, path: "" };
}
