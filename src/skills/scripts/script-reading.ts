import type { Effect } from "../../session/entry.ts";
import type { InputSchema } from "../../session/offer.ts";
import type { Argument, Diagnostic } from "../skill.ts";

/** One way to start a script, as read from its source. A script with sub-commands has one for each. */
export interface ScriptTool {
  /** Words written first on the command line: [] or a sub-command's name. */
  command: string[];
  description: string;
  schema: InputSchema;
  effect: Effect;
  exclusive: { names: string[]; required: boolean }[];
  arguments: Argument[];
  /** Packages that the script declares it needs (PEP 723), as written: "requests>=2". Absent: none. */
  packages?: string[];
}

/** What the source of one script says about its command line. No tools for a library module or a broken file. */
export interface ScriptReading {
  file: string;
  tools: ScriptTool[];
  diagnostics: Pick<Diagnostic, "level" | "code" | "message">[];
  /** What of its arguments cannot be told from the source, by name: "choices of --model: load_models()". [] for nothing. */
  unknown: string[];
}
