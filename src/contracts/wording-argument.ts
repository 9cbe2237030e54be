import type { Json } from "./call.ts";
import type { ArgumentFault } from "./problem.ts";
import { quoted } from "./quote.ts";
import { oneLine } from "./wording.ts";

const FAULTS_MAX = 4;
const EXPECTED_CHARS_MAX = 140;
const NAME_CHARS_MAX = 40;

/** What a tool's schema refuses, one clause for each argument. */
export function argumentFaults(faults: readonly ArgumentFault[]): string {
  const shown = faults.slice(0, FAULTS_MAX).map(clause);
  if (faults.length > FAULTS_MAX) shown.push(`${faults.length - FAULTS_MAX} more`);
  return shown.length === 0 ? "it does not fit the tool" : shown.join("; ");
}

function clause({ fault, path, expected, found, nearest }: ArgumentFault): string {
  const name = quoted(path, NAME_CHARS_MAX);
  const wanted = oneLine(expected, EXPECTED_CHARS_MAX);
  const meant = nearest === undefined ? "" : ` (did you mean ${quoted(nearest, NAME_CHARS_MAX)}?)`;
  switch (fault) {
    case "missing_arg":
      return `${name} is missing (${wanted})`;
    case "unknown_arg":
      return `unknown argument ${name}, expected ${wanted}${meant}`;
    case "bad_type":
    case "bad_value":
    case "over_limit":
      return `${name} must be ${wanted}${found === undefined ? "" : `, not ${shortened(found)}`}${meant}`;
  }
}

function shortened(value: Json): string {
  return typeof value === "string"
    ? quoted(value, NAME_CHARS_MAX)
    : oneLine(JSON.stringify(value), NAME_CHARS_MAX);
}
