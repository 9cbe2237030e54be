import { chmodSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { loadSkills } from "../../../src/skills/load-skills.ts";
import { project, skillFile } from "../../helpers/project.ts";

/** The tools of a skill with these scripts, and what was remarked on it. No interpreter is asked. */
async function toolsOf(scripts: Record<string, string>, executable: string[] = []) {
  const files = Object.entries(scripts).map(([name, text]) => [`mine/scripts/${name}`, text]);
  const folder = project({ "mine/SKILL.md": skillFile("mine"), ...Object.fromEntries(files) });
  for (const name of executable) chmodSync(path.join(folder, "mine/scripts", name), 0o755);
  const { skills, diagnostics } = await loadSkills({ folders: [folder], python: null });
  const tools = skills.flatMap((skill) =>
    skill.tools.map(({ name, runtime, description, schema, arguments: all }) => ({
      name,
      runtime,
      description,
      properties: Object.keys(schema.properties),
      required: schema.required,
      arguments: all,
    })),
  );
  return { tools, remarks: diagnostics.map(({ code, path: file }) => `${file} ${code}`) };
}

const schema = JSON.stringify({
  description: "Draws a chart.",
  input: {
    type: "object",
    properties: { title: { type: "string" }, wide: { type: "boolean" } },
    required: ["title"],
  },
});
const drawing = {
  name: "draw",
  description: "Draws a chart.",
  properties: ["title", "wide"],
  required: ["title"],
  arguments: [
    { name: "title", flag: "--title", form: "value" },
    { name: "wide", flag: "--wide", form: "switch" },
  ],
};

describe("a script of any language", () => {
  test("is a tool by the schema beside it", async () => {
    const { tools, remarks } = await toolsOf(
      { "draw.rb": "puts 1\n", "draw.schema.json": schema },
      ["draw.rb"],
    );
    expect(tools).toEqual([{ ...drawing, runtime: "program" }]);
    expect(remarks).toEqual([]);
  });

  test("goes by the schema and not by its source, and by its first line for what runs it", async () => {
    const shell = "#!/bin/sh\n# Usage: draw OTHER\necho $1\n";
    const { tools } = await toolsOf({ draw: shell, "draw.schema.json": schema });
    expect(tools).toEqual([{ ...drawing, runtime: "shell" }]);
  });

  test("without the right to be executed is none, and that is said", async () => {
    const { tools, remarks } = await toolsOf({ "draw.rb": "puts 1\n", "draw.schema.json": schema });
    expect([tools, remarks]).toEqual([[], ["mine/scripts/draw.rb unknown_script"]]);
  });

  test("with a schema that is none goes by its source, and that is said", async () => {
    const { tools, remarks } = await toolsOf({
      "draw.sh": "#!/bin/sh\n# Draws.\n# Usage: draw.sh FILE\necho $1\n",
      "draw.schema.json": "{",
    });
    expect(tools.map(({ name, runtime, properties }) => [name, runtime, properties])).toEqual([
      ["draw", "shell", ["file"]],
    ]);
    expect(remarks).toEqual(["mine/scripts/draw.sh bad_sidecar"]);
  });
});
