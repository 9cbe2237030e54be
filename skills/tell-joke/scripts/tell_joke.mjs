import { realpathSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";

import { jokes } from "./_jokes.mjs";

export const description = "Gives one ready joke, at random or by number.";
export const effect = "read";
export const options = {
  kind: {
    type: "string",
    enum: ["dad", "pun", "knock-knock", "one-liner", "riddle"],
    description: "any kind if absent",
  },
  number: {
    type: "string",
    value: "integer",
    minimum: 1,
    description: "always the same joke for a number",
  },
};

/** The joke that is asked for, or what is wrong with the request. */
export function tellJoke({ kind, number }, random) {
  if (kind !== undefined && !options.kind.enum.includes(kind)) {
    return { problem: `no kind ${JSON.stringify(kind)}. Kinds: ${options.kind.enum.join(", ")}.` };
  }
  const known = kind === undefined ? Object.values(jokes).flat() : jokes[kind];
  if (number === undefined) return { joke: known[Math.floor(random() * known.length)] };
  const joke = /^[1-9]\d{0,5}$/.test(number) ? known[Number(number) - 1] : undefined;
  if (joke !== undefined) return { joke };
  return {
    problem: `no joke with that number: --number must be from 1 to ${known.length}, got ${JSON.stringify(number)}.`,
  };
}

function main() {
  let told;
  try {
    told = tellJoke(parseArgs({ options }).values, Math.random);
  } catch (error) {
    told = { problem: error.message.split("\n")[0] }; // only parseArgs throws here
  }
  if (told.joke !== undefined) return process.stdout.write(`${told.joke}\n`);
  process.stderr.write(`${told.problem}\n`);
  process.exitCode = 2;
}

function isProgram() {
  try {
    return realpathSync(process.argv[1] ?? "") === fileURLToPath(import.meta.url);
  } catch {
    return false;
  }
}

if (isProgram()) main();
