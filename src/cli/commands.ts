import {
  createHarness,
  HarnessError,
  newConversation,
  toMermaid,
  type Diagnostic,
  type Skill,
} from "../index.ts";
import { harnessOptions, noSuchSkill, skillsOf } from "./config.ts";
import type { Flags } from "./flags.ts";
import { jsonText, print } from "./print.ts";

/** `skills list`: every skill that was found, and every remark about one. */
export async function listSkills(flags: Flags & { json?: boolean }): Promise<void> {
  const set = await skillsOf(flags);
  if (flags.json) {
    print(jsonText(set, 2));
    return;
  }
  for (const skill of set.skills) print(skillText(skill));
  for (const diagnostic of set.diagnostics) print(diagnosticText(diagnostic));
}

function skillText({
  name,
  version,
  status,
  isDefault,
  description,
  tools,
  references,
}: Skill): string {
  const marks = [version, status === "active" ? "" : status, isDefault ? "default" : ""]
    .filter(Boolean)
    .join(", ");
  const lines = [`${name}${marks === "" ? "" : ` (${marks})`}`, `  ${description}`];
  if (tools.length > 0) lines.push(`  tools: ${tools.map((tool) => tool.name).join(", ")}`);
  if (references.length > 0) lines.push(`  references: ${references.join(", ")}`);
  return lines.join("\n");
}

const diagnosticText = ({ level, path, code, message }: Diagnostic): string =>
  `${level}: ${path === "." ? "" : `${path}: `}${message} [${code}]`;

/** `tools SKILL`: what each script takes, as JSON. */
export async function showTools(name: string, flags: Flags): Promise<void> {
  const set = await skillsOf(flags);
  const skill = set.skills.find((candidate) => candidate.name === name);
  if (!skill) throw noSuchSkill(name, set.skills);
  print(
    jsonText(
      skill.tools.map(({ name: tool, description, effect, schema }) => ({
        name: tool,
        description,
        effect,
        schema,
      })),
      2,
    ),
  );
}

/** `prompt ROLE TEXT`: the first prompt of a task, as it would be sent. */
export async function showPrompt(
  role: string,
  question: string,
  flags: Flags & { load: string[] },
): Promise<void> {
  if (role !== "skill_call" && role !== "tool_call" && role !== "answer")
    throw new HarnessError("usage", `prompt ${role}: a role is skill_call, tool_call or answer`);
  const options = await harnessOptions(flags);
  const { skills } = options.skills;
  for (const name of flags.load)
    if (!skills.some((skill) => skill.name === name)) throw noSuchSkill(name, skills);
  // A fixed nonce: the prompt of the same question is the same text, so that two can be compared.
  const harness = createHarness({ ...options, nonce: () => "0" });
  const state = { ...newConversation(), loaded_skills: flags.load, question };
  print(jsonText(harness.prompt(role, state), 2));
}

/** `graph`: the chart as a diagram. */
export function showGraph(): void {
  print(toMermaid());
}
