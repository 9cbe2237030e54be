import { execFileSync } from "node:child_process";
import { chmodSync, existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, describe, expect, test } from "vitest";
import { findPython, readPythonScripts } from "../../../src/skills/scripts/load-python-scripts.ts";
import type { PythonReport } from "../../../src/skills/scripts/python-report.ts";
import type { ScriptReading, ScriptTool } from "../../../src/skills/scripts/script-reading.ts";
import {
  argparseFixtures,
  askLiveParsers,
  comparableParser,
  python,
  pythonFixture,
} from "../../helpers/python-fixtures.ts";

const scratch = mkdtempSync(path.join(tmpdir(), "python-scripts-"));
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

async function read(name: string): Promise<ScriptReading> {
  const [reading] = await readPythonScripts([pythonFixture(name)], python.path);
  if (!reading) throw new Error(`no reading of ${name}`);
  return reading;
}

async function onlyTool(name: string): Promise<ScriptTool> {
  const { tools, diagnostics } = await read(name);
  expect(diagnostics).toEqual([]);
  const [tool] = tools;
  if (!tool || tools.length > 1) throw new Error(`${name} has ${tools.length} tools`);
  return tool;
}

/** A script written for one test. */
function script(name: string, source: string): string {
  const file = path.join(scratch, name);
  writeFileSync(file, source);
  return file;
}

async function readSource(name: string, source: string): Promise<ScriptReading> {
  const [reading] = await readPythonScripts([script(name, source)], python.path);
  if (!reading) throw new Error(`no reading of ${name}`);
  return reading;
}

describe.skipIf(python.missing)(`the interface of a script${python.note}`, () => {
  test("a parser built in get_args becomes one tool with its types, choices, defaults and effect", async () => {
    expect(await onlyTool("get_args.py")).toEqual({
      command: [],
      description: "Counts the words of a text.",
      effect: "read",
      exclusive: [],
      schema: {
        type: "object",
        properties: {
          text: { type: "string", description: "the text to count in" },
          limit: {
            type: "integer",
            default: 10,
            description: "at most this many words (default: 10)",
          },
          ratio: { type: "number", default: 0.5 },
          language: { type: "string", enum: ["en", "de"], default: "en", description: "language" },
          verbose: { type: "boolean", default: false, description: "say more" },
        },
        required: ["text"],
        additionalProperties: false,
      },
      arguments: [
        { name: "text", flag: null, form: "value" },
        { name: "limit", flag: "--limit", form: "value" },
        { name: "ratio", flag: "--ratio", form: "value" },
        { name: "language", flag: "--language", form: "value" },
        { name: "verbose", flag: "--verbose", form: "switch" },
      ],
    });
  });

  test("without any other description the function's docstring is taken", async () => {
    const tool = await onlyTool("in_main.py");
    expect(tool.description).toBe("Greets somebody.");
    expect(tool.effect).toBe("write");
    expect(tool.schema.required).toEqual(["name"]);
    expect(tool.schema.properties).toEqual({
      name: { type: "string" },
      t: { type: "integer", default: 2, description: "times" },
    });
    expect(tool.arguments[1]).toEqual({ name: "t", flag: "-t", form: "value" });
  });

  test("each sub-command is a tool, and the script's own options stand before its word", async () => {
    const { tools, diagnostics } = await read("subcommands.py");
    expect(diagnostics).toEqual([]);
    expect(tools.map(({ command, description }) => [command, description])).toEqual([
      [["add"], "Add a note"],
      [["list"], "Lists the notes, newest first."],
      [["clear"], "Keeps notes."],
    ]);
    expect(tools[0]?.schema).toEqual({
      type: "object",
      properties: {
        store: { type: "string", default: "notes.json", description: "file of the notes" },
        verbose: { type: "boolean", default: false },
        title: { type: "string", description: "title" },
        tag: { type: "array", items: { type: "string" }, description: "tag, may be repeated" },
        priority: { type: "integer", minimum: 1, maximum: 5, default: 3 },
      },
      required: ["title"],
      additionalProperties: false,
    });
    expect(tools[0]?.arguments).toEqual([
      { name: "store", flag: "--store", form: "value", after_words: 0 },
      { name: "verbose", flag: "--verbose", form: "switch", after_words: 0 },
      { name: "title", flag: null, form: "value" },
      { name: "tag", flag: "--tag", form: "repeated" },
      { name: "priority", flag: "--priority", form: "value" },
    ]);
    // The sub-command's own --verbose counts, as argparse has it.
    expect(tools[1]?.arguments).toEqual([
      { name: "store", flag: "--store", form: "value", after_words: 0 },
      { name: "verbose", flag: "--verbose", form: "switch" },
      { name: "limit", flag: "--limit", form: "value" },
    ]);
  });

  test("nested sub-commands are told by all their words", async () => {
    const { tools } = await read("nested_commands.py");
    expect(tools.map(({ command }) => command)).toEqual([
      ["remote", "add"],
      ["remote", "remove"],
      ["status"],
    ]);
    expect(tools[0]?.arguments).toEqual([
      { name: "config", flag: "--config", form: "value", after_words: 0 },
      { name: "timeout", flag: "--timeout", form: "value", after_words: 1 },
      { name: "name", flag: null, form: "value" },
      { name: "url", flag: "--url", form: "value" },
    ]);
  });

  test("more than eight sub-commands are one tool with a required command", async () => {
    const tool = await onlyTool("many_commands.py");
    expect(tool.command).toEqual([]);
    expect(tool.schema.required).toEqual(["command", "token"]);
    expect(tool.schema.properties["command"]).toEqual({
      type: "string",
      enum: ["create", "read", "update", "delete", "start", "stop", "pause", "move", "list"],
    });
    expect(tool.description).toBe(
      "Manages things. Commands (* is required): create (token*, id*, value*): Create a thing; read (token*, id*): Read a thing; update (token*, id*, value*): Update a thing; delete (token*, id*): Delete a thing; start (token*, start_id): Start a job; stop (token*, start_id): Stop a job; pause (token*, start_id): Pause a job; move (token*, target*, move_id*): Move a thing; list (token*, limit): List things",
    );
    expect(tool.arguments).toEqual([
      { name: "command", flag: null, form: "command" },
      { name: "token", flag: "--token", form: "value", after_words: 0 },
      { name: "id", flag: null, form: "value" },
      { name: "value", flag: "--value", form: "value" },
      { name: "start_id", flag: "--id", form: "value" },
      { name: "target", flag: null, form: "value" },
      { name: "move_id", flag: null, form: "value" },
      { name: "limit", flag: "--limit", form: "value" },
    ]);
  });

  test("exclusive groups are kept, and store_const switches of one dest are named after their flags", async () => {
    const tool = await onlyTool("exclusive.py");
    expect(tool.exclusive).toEqual([
      { names: ["file", "url", "stdin"], required: true },
      { names: ["fast", "slow"], required: false },
    ]);
    expect(tool.schema.properties["fast"]).toEqual({ type: "boolean" });
  });

  test("a switch is true when its flag is written, unless the script names a dest for the opposite", async () => {
    const { schema, arguments: written } = await onlyTool("switches.py");
    expect(schema.properties).toEqual({
      on: { type: "boolean", default: false, description: "turn it on" },
      cache: { type: "boolean", default: true, description: "when false: do not keep a copy" },
      no_color: { type: "boolean", default: false, description: "plain text" },
      paint: { type: "boolean", default: true },
      verbose: { type: "integer", default: 0, minimum: 0, description: "more output" },
      exact: { type: "boolean", default: false },
      const: { type: "boolean" },
    });
    expect(written).toEqual([
      { name: "on", flag: "--on", form: "switch" },
      { name: "cache", flag: "--no-cache", form: "negative_switch" },
      { name: "no_color", flag: "--no-color", form: "switch" },
      { name: "paint", flag: "--color", form: "switch" },
      { name: "paint", flag: "--no-paint", form: "negative_switch" },
      { name: "verbose", flag: "--verbose", form: "count" },
      { name: "exact", flag: "--exact", form: "value" },
      { name: "const", flag: "--const", form: "switch" },
    ]);
  });

  test("a BooleanOptionalAction is one property with both flags", async () => {
    const { schema, arguments: written } = await onlyTool("boolean_optional.py");
    expect(schema.properties).toEqual({
      cache: { type: "boolean", default: true },
      push: { type: "boolean" },
    });
    expect(written.slice(2)).toEqual([
      { name: "push", flag: "--push", form: "switch" },
      { name: "push", flag: "--no-push", form: "negative_switch" },
    ]);
  });

  test("lists have the limits of their nargs", async () => {
    const { schema, arguments: written } = await onlyTool("lists.py");
    expect(schema.properties).toEqual({
      many: { type: "array", items: { type: "integer" }, minItems: 1 },
      any: { type: "array", items: { type: "string" } },
      pair: { type: "array", items: { type: "number" }, minItems: 2, maxItems: 2 },
      single: { type: "array", items: { type: "string" }, minItems: 1, maxItems: 1 },
      tag: { type: "array", items: { type: "string", enum: ["red", "green"] } },
      point: {
        type: "array",
        items: { type: "array", items: { type: "integer" }, minItems: 2, maxItems: 2 },
      },
      more: { type: "array", items: { type: "string" } },
      maybe: { type: "string", default: "no" },
      first: { type: "string" },
      rest: { type: "array", items: { type: "string" } },
    });
    expect(schema.required).toEqual(["many", "first"]);
    expect(written.map(({ form }) => form)).toEqual([
      "list",
      "list",
      "list",
      "list",
      "repeated",
      "repeated",
      "repeated",
      "value",
      "value",
      "list",
    ]);
  });

  test("types that JSON does not have are strings, with defaults that fit", async () => {
    const { schema } = await onlyTool("kinds.py");
    expect(schema.properties).toEqual({
      path: { type: "string", default: "out/a.txt" },
      positive: { type: "string", default: "3" },
      json: { type: "string", description: "a JSON value" },
      lower: { type: "string", default: "abc" },
      color: { type: "string", enum: ["red", "blue"], default: "red" },
      shade: { type: "string", enum: ["red", "blue"] },
      float_default: { type: "integer" },
      endless: { type: "number" },
      port: { type: "integer", minimum: 1, maximum: 65_535, default: 8080 },
      letter: { type: "string", enum: ["a", "b", "c"] },
      file: { type: "string", default: "-" },
    });
  });

  test("hidden arguments are left out unless they are required, and a suppressed default is none", async () => {
    const { schema } = await onlyTool("suppressed.py");
    expect(schema.properties).toEqual({
      shown: { type: "string", description: "no default" },
      secret: { type: "string" },
    });
    expect(schema.required).toEqual(["secret"]);
  });

  test("help texts are expanded as argparse does", async () => {
    const { schema, description } = await onlyTool("helps.py");
    expect(description).toBe("Help texts.");
    expect(Object.values(schema.properties).map((property) => property.description)).toEqual([
      "a int called N, else 1",
      "0.2 of it, 50% off",
      "one of x, y",
      "waits 30 s",
      "URL",
      "two pieces, one text",
    ]);
  });

  test("what is computed at run time shows as source or as a gap", async () => {
    const { schema, description } = await onlyTool("computed_helps.py");
    expect(description).toBe("Works in … only.");
    expect(schema.properties).toEqual({
      folder: { type: "string", description: "folder (default: os.getcwd())" },
      user: { type: "string", description: "as user …, if possible" },
    });
  });

  test("a byte order mark, Windows line ends, other encodings and emoji are read", async () => {
    const [bom, latin, unicode] = [
      await onlyTool("bom_crlf.py"),
      await onlyTool("latin.py"),
      await onlyTool("unicode.py"),
    ];
    expect(bom.schema.properties).toEqual({
      ä: { type: "string", enum: ["ü", "ö"], description: "two lines" },
    });
    expect(latin.schema.properties).toEqual({
      maß: { type: "string", default: "größe", description: "für alle" },
    });
    expect(unicode.description).toBe("Grüße — 你好 🙂");
    expect(unicode.schema.properties).toEqual({
      größe: { type: "string", enum: ["groß", "klein", "🙂"], description: "wie groß?" },
      名前: { type: "string", default: "太郎" },
    });
  });

  test("every fixture is read as argparse itself would describe it", () => {
    const files = argparseFixtures.map(pythonFixture);
    expect(files.length).toBeGreaterThanOrEqual(30);
    const reader = fileURLToPath(
      new URL("../../../src/skills/scripts/read_arguments", import.meta.url),
    );
    const output = execFileSync(python.path, ["-I", "-S", "-X", "utf8", reader], {
      input: JSON.stringify(files),
      encoding: "utf8",
    });
    const reports = output
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as PythonReport);
    const live = askLiveParsers(Object.fromEntries(files.map((file) => [file, []])));
    const readParsers = reports.map((report) =>
      report.kind === "argparse" ? comparableParser(report.parser) : report,
    );
    expect(readParsers).toEqual(files.map((file) => live[file]?.parser));
  });
});

describe.skipIf(python.missing)(`scripts without a readable parser${python.note}`, () => {
  test("a script that reads sys.argv takes a list of words, described by docstring and usage", async () => {
    expect(await onlyTool("bare_argv.py")).toEqual({
      command: [],
      description: "Adds two numbers.\nUsage: … FIRST SECOND",
      effect: "write",
      exclusive: [],
      schema: {
        type: "object",
        properties: {
          args: {
            type: "array",
            items: { type: "string" },
            description: "The words of the command line, one an item.",
          },
        },
        required: [],
        additionalProperties: false,
      },
      arguments: [{ name: "args", flag: null, form: "rest" }],
    });
  });

  test("a script that takes nothing is a tool without properties", async () => {
    const tool = await onlyTool("fixed_job.py");
    expect([tool.description, tool.effect, tool.schema.properties]).toEqual([
      "Prints the same thing every time.",
      "read",
      {},
    ]);
  });

  test.each(["library.py", "_private.py", "test_something.py"])(
    "%s is no tool, and that is said",
    async (name) => {
      const { tools, diagnostics } = await read(name);
      expect(tools).toEqual([]);
      expect(diagnostics.map(({ level, code }) => [level, code])).toEqual([
        ["warning", "no_command_line"],
      ]);
    },
  );

  test("a script that does not parse is named with its line", async () => {
    expect(await read("syntax_error.py")).toEqual({
      file: pythonFixture("syntax_error.py"),
      tools: [],
      unknown: [],
      diagnostics: [
        {
          level: "error",
          code: "syntax_error",
          message: "No tool: line 4 is not valid Python (invalid syntax). Correct it.",
        },
      ],
    });
  });

  test("what cannot be told is named, and the rest is offered", async () => {
    const { tools, diagnostics } = await read("unclear.py");
    expect(Object.keys(tools[0]?.schema.properties ?? {})).toEqual([
      "model",
      "name",
      "needed",
      "several",
      "renamed",
      "clear",
    ]);
    expect(tools[0]?.schema.properties["clear"]).toEqual({ type: "integer", default: 1 });
    expect(diagnostics).toEqual([
      {
        level: "warning",
        code: "arguments_unclear",
        message:
          'Not all arguments can be told from the source, and the tool is offered with what is known. Unclear: parents: elsewhere.COMMON; flags: make_flags(); loop: MODELS; choices of model: elsewhere.MODELS; choices of name: load(); required of needed: os.path.exists("x"); nargs of several: elsewhere.MODELS.count; dest of renamed: elsewhere.MODELS.name. Write these as literals in the script.',
      },
    ]);
  });

  test("an effect is read from a constant, and a wrong one is asked for", async () => {
    expect((await onlyTool("destructive.py")).effect).toBe("destructive");
    const { tools, diagnostics } = await read("bad_effect.py");
    expect(tools[0]?.effect).toBe("destructive");
    expect(diagnostics).toEqual([
      {
        level: "warning",
        code: "bad_effect",
        message:
          'EFFECT is "dangerous"; expected "read", "write" or "destructive". The script is taken for "destructive", so that it is asked for.',
      },
    ]);
  });

  test("nothing of a script runs while it is read", async () => {
    const { tools } = await read("side_effects.py");
    expect(tools[0]?.description).toBe("Would do harm if it were imported.");
    expect(tools[0]?.schema.properties).toEqual({ safe: { type: "integer" } });
    expect(existsSync(pythonFixture("written-by-side-effects.txt"))).toBe(false);
    expect(existsSync(pythonFixture("__pycache__"))).toBe(false);
  });
});

describe.skipIf(python.missing)(`reading many files${python.note}`, () => {
  test("a bad file among good ones costs only itself, and the order is kept", async () => {
    const files = [
      script("good_one.py", "import sys\nprint(sys.argv)\n"),
      path.join(scratch, "absent.py"),
      scratch,
      script("nul.py", "print(1)\0\n"),
      script("huge.py", "#".repeat(1024 * 1024 + 1)),
      script("deep.py", `x = ${"(".repeat(5000)}${")".repeat(5000)}\nprint(x)\n`),
      script("long_sum.py", `import sys\nx = ${"1 + ".repeat(100_000)}1\nprint(x, sys.argv)\n`),
      script("good_two.py", "import sys\nprint(sys.argv)\n"),
    ];
    const readings = await readPythonScripts(files, python.path);
    expect(readings.map(({ file }) => file)).toEqual(files);
    expect(readings.map(({ tools }) => tools.length).toSpliced(6, 1)).toEqual([
      1, 0, 0, 0, 0, 0, 1,
    ]);
    expect(readings[4]?.diagnostics[0]?.code).toBe("script_too_large");
    expect(readings[2]?.diagnostics[0]?.message).toBe(
      "No tool: the script could not be read: it is not a regular file.",
    );
  });

  test.each([
    [
      "a loop over a huge range",
      "for i in range(10**12):\n    for j in range(10**12):\n        x = [i] * 10**9\n",
    ],
    [
      "a comprehension of comprehensions",
      "x = [a for a in range(5000) for b in range(5000) for c in range(5000)]\n",
    ],
    ["a doubling list", `a = [1]\n${"a.extend(a)\n".repeat(200)}`],
    ["a doubling text", `a = "x"\n${"a = a + a\n".repeat(200)}`],
    ["a power of powers", "a = 9 ** 9 ** 9 ** 9\nb = 1 << 10**10\n"],
    [
      "a wide format",
      'a = "%1000000000d" % 1\nb = "{:1000000000}".format(1)\nc = f"{1:1000000000}"\n',
    ],
    ["a huge repetition", 'a = "x" * 10**12\nb = [0] * 10**12\nc = list(range(10**12))\n'],
    [
      "a recursive function",
      "def f(p):\n    f(p)\n    f(p)\n    p.add_argument('--x')\nimport argparse\nf(argparse.ArgumentParser())\n",
    ],
    [
      "a long chain of elif",
      `import sys\nif sys.argv: pass\n${"elif sys.argv: x = 1\n".repeat(900)}`,
    ],
    ["many branches", `import sys\n${"if sys.argv: x = 1\n".repeat(20_000)}`],
    [
      "many parents",
      `import argparse\np = argparse.ArgumentParser()\np.add_argument("--a")\n${"p = argparse.ArgumentParser(parents=[p, p, p])\n".repeat(2000)}`,
    ],
  ])("%s is read within bounds", async (name, source) => {
    const tail =
      '\nimport argparse\nq = argparse.ArgumentParser()\nq.add_argument("--found")\nq.parse_args()\n';
    const { tools } = await readSource(`${name.replaceAll(" ", "_")}.py`, source + tail);
    expect(tools.map(({ schema }) => Object.keys(schema.properties))).toEqual([["found"]]);
  });

  test("a reader that ends early costs the file that ended it, and the others are read", async () => {
    const files = ["a.py", "b.py", "c.py"].map((name) =>
      script(name, "import sys\nprint(sys.argv)\n"),
    );
    // Stands in for an interpreter that crashes on b.py.
    const crashing = script(
      "crashing-python",
      `#!/bin/sh\nread -r files\ncase "$files" in\n  '["'*a.py*) printf '%s' "$files" | sed 's/,.*/]/' | "${python.path}" "$@";;\n  '["'*b.py*) exit 139;;\n  *) printf '%s' "$files" | "${python.path}" "$@";;\nesac\n`,
    );
    chmodSync(crashing, 0o755);
    const readings = await readPythonScripts(files, crashing);
    expect(readings.map(({ tools, diagnostics }) => diagnostics[0]?.code ?? tools.length)).toEqual([
      1,
      "script_not_read",
      1,
    ]);
  });
});

describe("without Python", () => {
  test("each file says what is missing and what to do", async () => {
    expect(await readPythonScripts(["/skills/a/scripts/run.py"], null)).toEqual([
      {
        file: "/skills/a/scripts/run.py",
        tools: [],
        unknown: [],
        diagnostics: [
          {
            level: "error",
            code: "python_missing",
            message:
              "No tool: the script needs Python 3.8 or newer, and none was found on PATH. Install it, or put it on PATH.",
          },
        ],
      },
    ]);
  });

  test("an interpreter that cannot be started is a diagnostic", async () => {
    const readings = await readPythonScripts(["/skills/a.py", "/skills/b.py"], "/nowhere/python3");
    expect(readings.map(({ diagnostics }) => diagnostics[0]?.code)).toEqual([
      "script_not_read",
      "script_not_read",
    ]);
  });

  test("no files need no interpreter", async () => {
    expect(await readPythonScripts([], "/nowhere/python3")).toEqual([]);
  });

  test("none is found on a PATH that has none", async () => {
    expect(await findPython({ PATH: "/nowhere:relative:" })).toBe(null);
    expect(await findPython({})).toBe(null);
  });

  test("one that is too old or broken is passed over", async () => {
    const folder = mkdtempSync(path.join(scratch, "bin-"));
    for (const [name, line] of [
      ["python3", "exit 1"],
      ["python", "echo relative/python"],
    ] as const) {
      writeFileSync(path.join(folder, name), `#!/bin/sh\n${line}\n`, { mode: 0o755 });
    }
    expect(await findPython({ PATH: folder })).toBe(null);
  });

  test.skipIf(python.missing)("the real interpreter is found behind a shim", async () => {
    const folder = mkdtempSync(path.join(scratch, "shims-"));
    writeFileSync(path.join(folder, "python3"), `#!/bin/sh\nexec "${python.path}" "$@"\n`, {
      mode: 0o755,
    });
    expect(await findPython({ PATH: `/nowhere${path.delimiter}${folder}` })).toBe(python.path);
  });
});
