import { basename } from "node:path";
import type { Tool } from "../skills/skill.ts";

/** How a tool's script is started, up to its own arguments; or, as a sentence, what is missing for it. */
export function commandFor(
  tool: Pick<Tool, "runtime" | "file">,
  runtimes: { node: string; python: string | null },
): { file: string; arguments: string[] } | { missing: string } {
  switch (tool.runtime) {
    case "node":
      return { file: runtimes.node, arguments: [tool.file] };
    case "python":
      if (runtimes.python === null) {
        return {
          missing: `${basename(tool.file)} needs Python 3, and none was found: install python3`,
        };
      }
      // Unbuffered, so that what was printed before a kill is not lost.
      return { file: runtimes.python, arguments: ["-u", tool.file] };
  }
}
