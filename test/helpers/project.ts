import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { temporaryFolder } from "./cli.ts";

/** A folder of its own with these files, each by its path. */
export function project(files: Record<string, string | Buffer> = {}): string {
  const folder = temporaryFolder();
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), content);
  }
  return folder;
}

/** A SKILL.md with a name, a description and a line of instructions. */
export const skillFile = (name: string, description = `Is ${name}.`) =>
  `---\nname: ${name}\ndescription: ${description}\n---\nBe ${name}.\n`;

/** A script without arguments, as a tool. */
export const tool = (code: string) =>
  `export const description = "Does it.";\nexport const options = {};\n${code}\n`;

/** What a model writes to make calls. */
export const block = (...calls: { name: string; input: object }[]) =>
  `\`\`\`json\n${JSON.stringify({ tool_use: calls })}\n\`\`\``;

export const loading = (...skills: string[]) =>
  block(...skills.map((skill_name) => ({ name: "load_skill", input: { skill_name } })));

export const calling = (...names: string[]) => block(...names.map((name) => ({ name, input: {} })));

/** Replies of a scripted model, one a line. */
export const script = (...texts: string[]) =>
  texts.map((text) => `${JSON.stringify({ text })}\n`).join("");

/** Everything a terminal would obey, but for line feed and tab. */
export const OBEYED = /(?![\t\n])\p{Cc}/u;

/** The events of `--output-format stream-json`. */
export const eventsIn = (stdout: string) =>
  stdout
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as { type: string; [key: string]: unknown });
