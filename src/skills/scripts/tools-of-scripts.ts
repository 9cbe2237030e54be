import type { InputSchema, PropertySchema } from "../../session/offer.ts";
import type { ScriptReading, ScriptTool } from "./script-reading.ts";
import type { Diagnostic, Skill, Tool } from "../skill.ts";
import { oneLine } from "../text.ts";
import { nameTools } from "./tool-names.ts";

/** A script and what its source says. */
export interface ReadScript {
  /** Real path. */
  file: string;
  /** Path for diagnostics. */
  path: string;
  /** Path below scripts/ without the extension. */
  stem: string;
  runtime: Tool["runtime"];
  reading: ScriptReading;
}

/** More would crowd the prompt of a small model. */
const toolsPerSkillMax = 16;

/**
 * Gives skills the tools of their scripts, at most sixteen each, under names that are unique among all skills.
 * What was remarked on the scripts, and which tools were left out, is added to `diagnostics`.
 */
export function registerTools(
  skills: readonly { skill: Skill; path: string; scripts: readonly ReadScript[] }[],
  diagnostics: Diagnostic[],
): Skill[] {
  const chosen = skills.flatMap(({ skill, path, scripts }) => {
    for (const { path: scriptPath, reading } of scripts) {
      diagnostics.push(...reading.diagnostics.map((remark) => ({ ...remark, path: scriptPath })));
    }
    const all = scripts.flatMap((script) =>
      script.reading.tools.map((tool) => ({ skill: skill.name, script, tool })),
    );
    const rest = all.slice(toolsPerSkillMax);
    if (rest.length > 0) diagnostics.push(tooMany(path, all.length, rest));
    return all.slice(0, toolsPerSkillMax);
  });
  const names = nameTools(
    chosen.map(({ skill, script, tool }) => ({ skill, stem: script.stem, command: tool.command })),
  );
  const tools = chosen.map(({ skill, script, tool }, index) =>
    toolOf(names[index] ?? script.stem, skill, script, tool),
  );
  return skills.map(({ skill }) => ({
    ...skill,
    tools: tools.filter((tool) => tool.skill === skill.name),
  }));
}

function tooMany(
  path: string,
  count: number,
  rest: readonly { script: ReadScript; tool: ScriptTool }[],
): Diagnostic {
  const names = rest.map(({ script, tool }) => [script.stem, ...tool.command].join(" "));
  const message = `${count} tools, of which the first ${toolsPerSkillMax} are offered. Left out: ${names.join(", ")}. Split the skill, or start the names of modules with "_".`;
  return { level: "warning", path, code: "too_many_tools", message };
}

function toolOf(
  name: string,
  skill: string,
  { file, runtime }: ReadScript,
  tool: ScriptTool,
): Tool {
  const { command, effect, exclusive, arguments: all } = tool;
  const description = oneLine(tool.description);
  return {
    name,
    skill,
    description,
    schema: shownSchema(tool.schema),
    effect,
    exclusive,
    runtime,
    file,
    command,
    arguments: all,
    ...(tool.packages && { packages: tool.packages }),
  };
}

/** The schema with its descriptions on one line and nothing hidden in them: they go into prompts. */
function shownSchema(schema: InputSchema): InputSchema {
  const properties = Object.entries(schema.properties).map(([name, property]) => [
    name,
    shownProperty(property),
  ]);
  return { ...schema, properties: Object.fromEntries(properties) };
}

function shownProperty(property: PropertySchema): PropertySchema {
  const shown = { ...property };
  if (property.description !== undefined) shown.description = oneLine(property.description);
  if (property.items) shown.items = shownProperty(property.items);
  return shown;
}
