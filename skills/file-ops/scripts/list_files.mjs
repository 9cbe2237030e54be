import { locate, quoted, Refusal, relativeName, runTool } from "./_project.mjs";
import { isPattern, matchesName, matchesPath, pathLines, walk } from "./_search.mjs";

export const description = "Lists files and folders; folders end with /.";
export const effect = "read";
export const options = {
  path: { type: "string", description: "the folder", default: "." },
  glob: { type: "string", description: "only names like *.md" },
  depth: {
    type: "string",
    value: "integer",
    minimum: 1,
    maximum: 20,
    description: "folder levels, 1 if absent",
  },
};

const SHOWN_MAX = 500;
const FOLDERS_NAMED_MAX = 10;

runTool(import.meta.url, options, (input, project) => {
  const { path, depth } = input;
  const glob = input.glob?.replace(/^\.\//, "");
  const { real, stats } = locate(project, path);
  if (stats === null) throw new Refusal(noFolder(project, path));
  if (!stats.isDirectory())
    throw new Refusal(`${quoted(path)} is a file, not a folder. Use read_file to read it.`);
  const folder = relativeName(project, real);
  const { entries, complete } = walk(project, real, depth ?? (glob?.includes("/") ? undefined : 1));
  const paths = entries
    .filter((entry) => glob === undefined || matches(glob, entry, folder))
    .map((entry) => (entry.isFolder ? `${entry.path}/` : entry.path));
  return pathLines(paths, SHOWN_MAX, complete, "Give a path or a glob to see fewer.");
});

/** A glob with a "/" is meant for the path below the listed folder, any other for the name. */
function matches(glob, entry, folder) {
  if (!glob.includes("/")) return matchesName(glob, entry.name);
  return matchesPath(glob, folder === "." ? entry.path : entry.path.slice(folder.length + 1));
}

function noFolder(project, path) {
  if (isPattern(path))
    return `${quoted(path)} is a pattern, and no folder has exactly that name. Give the pattern as glob.`;
  const folders = walk(project, project.root, 1).entries.filter(({ isFolder }) => isFolder);
  const named = folders.slice(0, FOLDERS_NAMED_MAX).map(({ name }) => quoted(name));
  const more = folders.length > named.length ? " …" : "";
  return `no folder ${quoted(path)} in the project.${named.length > 0 ? ` Folders at the top: ${named.join(", ")}${more}.` : ""}`;
}
