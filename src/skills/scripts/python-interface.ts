import type { Effect } from "../../session/entry.ts";
import { type Interface, interfacesOf } from "./python-commands.ts";
import type { PythonReport } from "./python-report.ts";
import type { ScriptReading } from "./script-reading.ts";

type Remark = ScriptReading["diagnostics"][number];

const effects: readonly Effect[] = ["read", "write", "destructive"];

/** What a report means for the harness: the tools of the script, or why there are none. Never throws. */
export function readingOf(report: PythonReport): ScriptReading {
  const { file } = report;
  if (report.kind === "error") return withoutTools(file, errorRemark(report));
  if (report.kind === "library") return withoutTools(file, libraryRemark);
  const effect = effects.find((known) => known === (report.effect ?? "write"));
  const diagnostics: Remark[] = [];
  if (effect === undefined) diagnostics.push(effectRemark(report.effect ?? ""));
  if (report.unknown.length > 0) diagnostics.push(unclearRemark(report.unknown));
  if (report.newer_python !== null) diagnostics.push(newerRemark(report.newer_python));
  const common = {
    effect: effect ?? ("destructive" as const),
    ...(report.packages.length > 0 && { packages: report.packages }),
  };
  const tools = interfacesFor(report).map((one) => ({ ...one, ...common }));
  return { file, tools, diagnostics, unknown: report.unknown };
}

/** A reading of a file that is no tool. */
export function withoutTools(file: string, remark: Remark): ScriptReading {
  return { file, tools: [], diagnostics: [remark], unknown: [] };
}

/** The remark for a file that has no command line, or is not meant to be called by its name. */
export const libraryRemark: Remark = {
  level: "warning",
  code: "no_command_line",
  message:
    'No tool: the file does nothing when it is started, or is named as a private module or a test. If it is meant to be a tool, give it an `if __name__ == "__main__":` block and a name without "_" or "test_" in front.',
};

type RunnableReport = Exclude<PythonReport, { kind: "error" } | { kind: "library" }>;

function interfacesFor(report: RunnableReport): Interface[] {
  const description = report.description ?? `Runs the script ${nameOf(report.file)}.`;
  if (report.kind === "fixed") return [without(description)];
  // Sub-commands whose names are not known cannot be offered one by one.
  if (report.kind === "argv" || report.parser.commands?.length === 0)
    return [wordsInterface(description)];
  return interfacesOf(report.parser, description);
}

function without(description: string): Interface {
  const schema: Interface["schema"] = {
    type: "object",
    properties: {},
    required: [],
    additionalProperties: false,
  };
  return { command: [], description, schema, exclusive: [], arguments: [] };
}

/** For a script that reads its words itself. */
function wordsInterface(description: string): Interface {
  return {
    ...without(description),
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
  };
}

function nameOf(file: string): string {
  return file.split(/[\\/]/).at(-1) ?? file;
}

function errorRemark({ code, message, line }: Extract<PythonReport, { kind: "error" }>): Remark {
  if (code === "syntax_error") {
    return {
      level: "error",
      code,
      message: `No tool: line ${line ?? 1} is not valid Python (${message}). Correct it.`,
    };
  }
  return { level: "error", code, message: `No tool: the script could not be read: ${message}.` };
}

function effectRemark(effect: string): Remark {
  const found = effect === "" ? "no plain text" : JSON.stringify(effect.slice(0, 40));
  const message = `EFFECT is ${found}; expected "read", "write" or "destructive". The script is taken for "destructive", so that it is asked for.`;
  return { level: "warning", code: "bad_effect", message };
}

function newerRemark(wanted: string): Remark {
  const message = `The script says that it needs Python ${JSON.stringify(wanted.slice(0, 40))}, and the python3 found is older. It may fail; install that version and put it first on PATH.`;
  return { level: "warning", code: "python_too_old", message };
}

function unclearRemark(unknown: string[]): Remark {
  const message = `Not all arguments can be told from the source, and the tool is offered with what is known. Unclear: ${unknown.join("; ")}. Write these as literals in the script.`;
  return { level: "warning", code: "arguments_unclear", message };
}
