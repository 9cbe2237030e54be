import path from "node:path";

import { quoted, Refusal, relativeName, runTool } from "./_project.mjs";
import { matchesPath, pathLines, walk } from "./_search.mjs";

export const description = "Finds files by name in all folders of the project.";
export const effect = "read";
export const options = {
  name: {
    type: "string",
    description: "file name, or a pattern like *.md",
    required: true,
    minLength: 1,
  },
};

const SHOWN_MAX = 100;

runTool(import.meta.url, options, ({ name }, project) => {
  const pattern = patternOf(name, project);
  const { entries, complete } = walk(project, project.root);
  const paths = entries
    .filter((entry) => entry.isFile && matchesPath(pattern, entry.path))
    .map((entry) => entry.path);
  return pathLines(paths, SHOWN_MAX, complete, "Give a longer name.");
});

/** The pattern for paths below the project. A bare name is looked for in every folder. */
function patternOf(name, { root, spelled }) {
  if (name.trim() === "") throw new Refusal('the name is empty. Give a name such as "notes.txt".');
  const base = path.isAbsolute(name) && !name.startsWith(`${root}${path.sep}`) ? spelled : root;
  const pattern = relativeName({ root: base }, path.resolve(base, name));
  if (pattern.split("/")[0] === ".." || path.isAbsolute(pattern)) {
    throw new Refusal(
      `${quoted(name)} is outside of the project. Only files in the project can be found.`,
    );
  }
  return pattern.includes("/") ? pattern : `**/${pattern}`;
}
