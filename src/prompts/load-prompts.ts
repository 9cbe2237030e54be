import { readFileSync } from "node:fs";
import { promptNames, type Prompts } from "./prompts.ts";

let loaded: Prompts | undefined;

/** Reads the prompt files that come with the package, once per process. */
export function loadPrompts(): Prompts {
  loaded ??= Object.fromEntries(
    promptNames.map((name) => [
      name,
      readFileSync(new URL(`./${name}.md`, import.meta.url), "utf8"),
    ]),
  ) as Record<(typeof promptNames)[number], string>;
  return loaded;
}
