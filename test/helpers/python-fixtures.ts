import { execFileSync } from "node:child_process";
import { readdirSync } from "node:fs";
import { env } from "node:process";
import { fileURLToPath } from "node:url";
import type { JsonObject } from "../../src/contracts/call.ts";
import { findPython } from "../../src/skills/scripts/load-python-scripts.ts";
import type { PythonParser } from "../../src/skills/scripts/python-report.ts";
import { requirement } from "./requirement.ts";

const folder = new URL("../fixtures/python/", import.meta.url);

/** The real path of a fixture script for the Python reader. */
export const pythonFixture = (name: string) => fileURLToPath(new URL(name, folder));

export const python = requirement("python3", await findPython(env));

/** Scripts that have no parser of their own, or none that stays the same from run to run. */
const notComparable = new Set([
  "live_parser.py",
  "_private.py",
  "bad_effect.py",
  "bare_argv.py",
  "computed_helps.py",
  "fixed_job.py",
  "library.py",
  "side_effects.py",
  "syntax_error.py",
  "test_something.py",
  "unclear.py",
]);

/** The names of all fixtures with a parser that can be asked. */
export const argparseFixtures = readdirSync(folder)
  .filter((name) => name.endsWith(".py") && !notComparable.has(name))
  .toSorted();

/** What argparse itself says: the parser of each script, and what it makes of each list of words. */
export type LiveAnswers = Record<string, { parser: PythonParser; results: LiveResult[] }>;
export type LiveResult = { values: JsonObject } | { error: string };

/** Runs our own fixtures up to parse_args, and parses the given lists of words with them. */
export function askLiveParsers(argvs: Record<string, string[][]>): LiveAnswers {
  const options = {
    input: JSON.stringify(argvs),
    encoding: "utf8",
    maxBuffer: 64 * 1024 * 1024,
  } as const;
  const flags = ["-I", "-B", "-X", "utf8"];
  return JSON.parse(
    execFileSync(python.path, [...flags, pythonFixture("live_parser.py")], options),
  ) as LiveAnswers;
}

/** A parser without what the live one does not tell. */
export function comparableParser({ arguments: all, exclusive, commands }: PythonParser): object {
  return {
    arguments: all.map(({ dest_given: _given, metavar: _metavar, ...rest }) => rest),
    exclusive,
    commands:
      commands?.map(({ name, aliases, parser }) => ({
        name,
        aliases,
        parser: comparableParser(parser),
      })) ?? null,
  };
}
