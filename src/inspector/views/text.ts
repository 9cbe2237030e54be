import type { Call } from "../../contracts/call.ts";

/** A timeline's line. */
const TITLE_MAX = 200;

/** A file may hold anything where a text belongs. */
export const textOf = (value: unknown): string =>
  typeof value === "string" ? value : (JSON.stringify(value) ?? "");

/** On one line of at most 200 characters. */
export function oneLine(value: unknown): string {
  // So much is enough to fill the line, and a text may have millions.
  const line = textOf(value)
    .slice(0, TITLE_MAX * 4)
    .replaceAll(/\s+/g, " ")
    .trim();
  if (line.length <= TITLE_MAX) return line;
  // Half a surrogate pair at the cut would be no Unicode.
  return `${line.slice(0, TITLE_MAX - 1).replace(/[\ud800-\udbff]$/, "")}…`;
}

/** A call on one line; what loads a skill is called by the skill. */
export function callLine({ name, input }: Call): string {
  if (name === "load_skill" && typeof input["skill_name"] === "string")
    return `${name} ${input["skill_name"]}`;
  return Object.keys(input).length === 0 ? name : `${name} ${JSON.stringify(input)}`;
}

/** A call with each argument on lines of its own. */
export const callLines = ({ name, input }: Call): string =>
  Object.keys(input).length === 0 ? name : `${name} ${JSON.stringify(input, null, 2)}`;

/** "120 ms", "2 s". */
export const duration = (ms: number): string => (ms < 1000 ? `${ms} ms` : `${ms / 1000} s`);
