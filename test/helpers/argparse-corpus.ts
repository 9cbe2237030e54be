import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";

const folder = new URL("../fixtures/argparse/", import.meta.url);

/**
 * Writes the corpus into a folder: every way to lay out a script (frames.txt) with every set of arguments
 * (arguments.txt), and the scripts that were written by hand (scripts.txt). Gives their paths.
 */
export function writeCorpus(into: string): string[] {
  const written = [...sections("scripts.txt")];
  for (const [frame, layout] of sections("frames.txt")) {
    for (const [set, text] of sections("arguments.txt")) {
      const [head = "", lines = ""] = text.split(/^---$/m);
      written.push([`${frame}__${set}`, filled(layout, head, lines)]);
    }
  }
  return written.map(([name, source]) => {
    const file = path.join(into, `${name}.py`);
    writeFileSync(file, source);
    return file;
  });
}

/** What stands between the lines "### name". */
function sections(name: string): Map<string, string> {
  const text = readFileSync(fileURLToPath(new URL(name, folder)), "utf8");
  const parts = text.split(/^### (\w+)\n/m).slice(1);
  return new Map(parts.flatMap((part, i) => (i % 2 === 0 ? [[part, parts[i + 1] ?? ""]] : [])));
}

function filled(layout: string, head: string, lines: string): string {
  return layout
    .replace("@HEAD\n", () => head)
    .replace(/^( *)@ARGUMENTS (\S+)$/m, (_all, indent: string, parser: string) =>
      lines
        .trim()
        .split("\n")
        .map((line) => indent + line.replaceAll("P.add_", `${parser}.add_`))
        .join("\n"),
    );
}
