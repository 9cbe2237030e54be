import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { fc, test as law } from "@fast-check/vitest";
import { afterAll, describe, expect, test } from "vitest";
import { commandFor } from "../../../src/actors/script-command.ts";
import type { JsonObject } from "../../../src/contracts/call.ts";
import { argvOf } from "../../../src/skills/scripts/argv.ts";
import type { ScriptTool } from "../../../src/skills/scripts/script-reading.ts";
import { readShellScript } from "../../../src/skills/scripts/shell-script.ts";

const scratch = mkdtempSync(path.join(tmpdir(), "shell-script-"));
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

const read = (name: string, source: string) => readShellScript(`/skill/scripts/${name}`, source);

function onlyTool(name: string, source: string): ScriptTool {
  const { tools, diagnostics } = read(name, source);
  expect(diagnostics).toEqual([]);
  const [tool] = tools;
  if (!tool || tools.length > 1) throw new Error(`${name} has ${tools.length} tools`);
  return tool;
}

/** "source* target...* -l=level --dry-run": what a tool takes, in one line. */
function inShort({ command, schema, arguments: all }: ScriptTool): string {
  const words = all.map(({ name, flag, form, separate }) => {
    const property = schema.properties[name];
    const star = schema.required.includes(name) ? "*" : "";
    const kind = property?.enum ? `{${property.enum.map(String).join("|")}}` : "";
    const shown = flag === null ? "" : `${flag}${form === "switch" ? "" : separate ? " " : "="}`;
    const many = property?.type === "array" ? "..." : "";
    return `${shown}${form === "switch" && flag?.endsWith(name) ? "" : name}${kind}${many}${star}`;
  });
  return [...command, ...words].join(" ");
}

const withGetopts = `#!/bin/sh
# backup.sh - Copies a folder to other places.
#
# Usage: backup.sh [-n] [-l LEVEL] <source> [target...]
#   -n         only says what it would do
#   -l LEVEL   how much it says
while getopts "nl:h" option; do
  case $option in
    n) dry=1 ;;
    l) level="$OPTARG" ;;
    *) exit 2 ;;
  esac
done
shift $((OPTIND-1))
printf '%s\\0' "$dry" "$level" "$@"
`;

const withLoop = `#!/usr/bin/env bash
set -euo pipefail
# Deploys a service.
log() { echo "$1" >&2; }
usage() {
  cat <<END
Usage: $(basename "$0") [OPTIONS] <service>

Options:
  -e, --env ENV     where to
  -d, --dry-run     only says what it would do
      --tag=TAG     which image
  -h, --help        this text
END
}
env= dry= tag=
while [[ $# -gt 0 ]]; do
  case "$1" in
    -e|--env) env="$2"; shift 2 ;;
    -d|--dry-run) dry=1; shift ;;
    --tag=*) tag="\${1#*=}"; shift ;;
    -h|--help) usage; exit 0 ;;
    *) service="$1"; shift ;;
  esac
done
printf '%s\\0' "$env" "$dry" "$tag" "$service"
`;

describe("a usage line and its code", () => {
  test("make a tool, with the help lines as descriptions", () => {
    expect(onlyTool("backup.sh", withGetopts)).toEqual({
      command: [],
      description: "Copies a folder to other places.",
      effect: "write",
      exclusive: [],
      schema: {
        type: "object",
        properties: {
          n: { type: "boolean", description: "only says what it would do" },
          level: { type: "string", description: "how much it says" },
          source: { type: "string" },
          target: { type: "array", items: { type: "string" } },
        },
        required: ["source"],
        additionalProperties: false,
      },
      arguments: [
        { name: "n", flag: "-n", form: "switch" },
        { name: "level", flag: "-l", form: "value", separate: true },
        { name: "source", flag: null, form: "value" },
        { name: "target", flag: null, form: "list" },
      ],
    });
  });

  test.each<[string, string, string]>([
    [
      "options from the code, long names first",
      withLoop,
      "--env env --dry-run:dry_run --tag=tag service*",
    ],
    [
      "words to choose from",
      '#!/bin/sh\ncase "$1" in\n  start) ;;\n  stop) ;;\n  *) echo "Usage: $0 {start|stop}" ;;\nesac\n',
      "choice{start|stop}*",
    ],
    ["positionals only", '#!/bin/sh\n# Usage: x.sh <in> <out>\ncp "$1" "$2"\n', "in* out*"],
    ["a text of several lines", '#!/bin/sh\necho "Usage:\n  x.sh FILE..."\ncat "$@"\n', "file...*"],
    [
      "a usage that goes on",
      '#!/bin/sh\n# Usage: x.sh [-a]\n#          [-b]  FILE\ncat "$@"\n',
      "-a -b file*",
    ],
    ["no arguments", "#!/bin/sh\n# Says the date.\nlog() {\n  echo $1\n}\ndate\n", ""],
    [
      "getopt with long options",
      '#!/bin/bash\n# Usage: x.sh [options] FILE\nargs=$(getopt -o vn: --long verbose,name: -- "$@")\n',
      "-v -n n --verbose --name name file*",
    ],
    [
      "options that only the code knows",
      '#!/bin/sh\n# Usage: x.sh FILE\nwhile [ $# -gt 0 ]; do\n case "$1" in\n  --fast) f=1; shift ;;\n  --) shift; break ;;\n  *) break ;;\n esac\ndone\n',
      "--fast file*",
    ],
    [
      "a word that stands for itself",
      '#!/bin/sh\n# Usage: x.sh add NAME\ncase "$1" in\n add) echo "$2" ;;\nesac\n',
      "add name*",
    ],
  ])("%s", (_title, source, wanted) => {
    const shown = inShort(onlyTool("x.sh", source)).replace(
      "--dry-rundry_run",
      "--dry-run:dry_run",
    );
    expect(shown).toBe(wanted);
  });

  test.each<[string, string]>([["no usage", '#!/bin/sh\n# Greets.\necho "$1"\n']])(
    "without %s there are words",
    (_title, source) => {
      const tool = onlyTool("x.sh", source);
      expect(inShort(tool)).toBe("args...");
      expect(tool.description).toBe("Greets.");
    },
  );

  test.each<[string, string, string]>([
    [
      "options behind a positional",
      '#!/bin/bash\n# Usage: x.sh <dir> [--deep]\ndir="$1"; shift\nwhile [ $# -gt 0 ]; do case "$1" in --deep) d=1; shift ;; esac; done\n',
      "Runs the script x.sh. Usage: x.sh <dir> [--deep]",
    ],
    [
      "several ways to call it",
      '#!/bin/sh\n# Keeps notes.\n# Usage:\n#   x.sh list\n#   x.sh add <text>\necho "$@"\n',
      "Keeps notes. Usage: x.sh list; x.sh add <text>",
    ],
    [
      "a sentence",
      '#!/bin/sh\n# Usage: run it in the folder of the project, as root.\necho "$@"\n',
      "Runs the script x.sh. Usage: run it in the folder of the project, as root.",
    ],
  ])("%s are words too, and the usage is shown", (_title, source, description) => {
    const { tools, diagnostics } = read("x.sh", source);
    expect(tools.map(inShort)).toEqual(["args..."]);
    expect(tools[0]?.description).toBe(description);
    expect(diagnostics.map(({ code }) => code)).toEqual(["arguments_unclear"]);
  });

  test("a file that only defines functions is no tool, unless it has a first line", () => {
    const source = 'X=3\nlog() {\n  echo "$1"\n}\nshort() { true; }\n';
    expect(read("lib.sh", source)).toMatchObject({
      tools: [],
      diagnostics: [{ code: "no_command_line" }],
    });
    expect(read("lib.sh", `${source}log hello\n`).tools).toHaveLength(1);
    expect(read("lib.sh", `#!/bin/sh\n${source}`).tools).toHaveLength(1);
  });

  test.each<[string, string, string[]]>([
    ["# effect: read\n", "read", []],
    ["EFFECT=destructive\n", "destructive", []],
    ["", "write", []],
    ["# effect: reads\n", "destructive", ["bad_effect"]],
  ])("the effect after %j is %s", (line, effect, codes) => {
    const { tools, diagnostics } = read("x.sh", `#!/bin/sh\n${line}date\n`);
    expect(tools.map((tool) => tool.effect)).toEqual([effect]);
    expect(diagnostics.map(({ code }) => code)).toEqual(codes);
  });

  law.prop([fc.string({ unit: "grapheme", maxLength: 300 })])("no source throws", (source) => {
    const { tools, diagnostics } = read("x.sh", `#!/bin/sh\n# Usage: ${source}`);
    return tools.length === 1 || diagnostics.length > 0;
  });
});

const text = fc.oneof(
  fc.constantFrom("-x", "--env", "--", "a b", "a\nb", "\"'`$\\", "🙂é", "=", "*", "%s"),
  fc.string({ unit: "grapheme", minLength: 1 }).filter((value) => !value.includes("\0")),
);

/** What a real shell makes of the words of an input. */
function valuesOf(name: string, source: string, input: JsonObject): string[] {
  const file = path.join(scratch, name);
  if (!existsSync(file)) writeFileSync(file, source);
  const command = commandFor({ runtime: "shell", file }, { node: "", python: null });
  if ("missing" in command) throw new Error(command.missing);
  const words = [...command.arguments, ...argvOf(onlyTool(name, source), input)];
  return execFileSync(command.file, words, { encoding: "utf8" }).split("\0").slice(0, -1);
}

describe.skipIf(process.platform === "win32")("a real shell reads", () => {
  law.prop([fc.boolean(), text, text, fc.array(text, { maxLength: 3 })], { numRuns: 40 })(
    "with getopts whatever the schema allows",
    (n, level, source, target) => {
      const values = valuesOf("backup.sh", withGetopts, { n, level, source, target });
      expect(values).toEqual([n ? "1" : "", level, source, ...target]);
    },
  );

  law.prop([fc.boolean(), text, text, text], { numRuns: 40 })(
    "with a loop all values, and a positional that is no option",
    (dry_run, env, tag, word) => {
      const service = word.startsWith("-") ? `x${word}` : word;
      const values = valuesOf("deploy.sh", withLoop, { dry_run, env, tag, service });
      expect(values).toEqual([env, dry_run ? "1" : "", tag, service]);
    },
  );
});
