import { nearest } from "../../contracts/nearest.ts";
import type { Effect } from "../../session/entry.ts";
import type { Remark } from "../frontmatter-lines.ts";
import { oneLine } from "../text.ts";
import type { ScriptReading, ScriptTool } from "./script-reading.ts";
import { shellInterface } from "./shell-interface.ts";
import { shellCode } from "./shell-source.ts";
import { firstComment, usageText } from "./shell-usage.ts";
import { wordsInput } from "./words-input.ts";

const EFFECTS: readonly Effect[] = ["read", "write", "destructive"];

/**
 * Reads what a shell script takes on the command line from its usage line, and from its code which flags take values.
 * Where the two do not make a whole, the tool takes words and shows the usage as it is written. Never throws, and
 * nothing of the script runs.
 */
export function readShellScript(file: string, text: string): ScriptReading {
  const source = text.replace(/^\uFEFF/, "").replaceAll("\r\n", "\n");
  const code = shellCode(source);
  if (code.onlyDefines && !source.startsWith("#!"))
    return { file, tools: [], diagnostics: [sourcedRemark], unknown: [] };
  const program = file.split(/[\\/]/).at(-1) ?? file;
  const usage = usageText(source, program);
  const about = firstComment(source, program) || `Runs the script ${program}.`;
  const diagnostics: Remark[] = [];
  const effect = effectOf(code.effect, diagnostics);
  const read = shellInterface(usage, code, program);
  const unread = read === null;
  if (unread && usage.whole !== "") diagnostics.push(usageRemark(usage.whole));
  const description = unread && usage.whole !== "" ? `${about} Usage: ${usage.whole}` : about;
  const tool: ScriptTool = { ...(read ?? wordsInput()), description, effect };
  return { file, tools: [tool], diagnostics, unknown: [] };
}

const sourcedRemark: Remark = {
  level: "warning",
  code: "no_command_line",
  message:
    'No tool: the file only defines functions for other scripts. If it is meant to be a tool, begin it with "#!/bin/sh" and call them.',
};

function usageRemark(usage: string): Remark {
  const message = `The usage line could not be matched with the code, so the tool takes a list of words: ${usage.slice(0, 200)}. Write it as "Usage: name.sh [-n] [--level N] <source> [target...]", in the way the script reads it.`;
  return { level: "warning", code: "arguments_unclear", message };
}

function effectOf(written: string | null, diagnostics: Remark[]): Effect {
  if (written === null) return "write";
  const effect = EFFECTS.find((known) => known === written.toLowerCase());
  if (effect) return effect;
  const meant = nearest(written, EFFECTS);
  const hint = meant === undefined ? "" : ` Did you mean "${meant}"?`;
  const found = JSON.stringify(oneLine(written).slice(0, 40));
  const message = `effect is ${found}; expected "read", "write" or "destructive".${hint} The script is taken for "destructive", so that it is asked for.`;
  diagnostics.push({ level: "warning", code: "bad_effect", message });
  return "destructive";
}
