import { unlinkSync } from "node:fs";

import { pathIn } from "./_confined.mjs";
import { quoted, Refusal, runTool } from "./_project.mjs";
import { findFile } from "./_search.mjs";

export const description = "Deletes one file.";
export const effect = "destructive";
export const options = {
  path: { type: "string", description: "the exact path, no pattern", required: true },
};

runTool(import.meta.url, options, ({ path }, project) => {
  const shown = quoted(path);
  const { folder, name, stats } = findFile(project, path, { ofLink: true });
  if (stats.isDirectory())
    throw new Refusal(`${shown} is a folder. Only files can be deleted, one by one.`);
  unlinkSync(pathIn(folder, name));
  return stats.isSymbolicLink()
    ? `deleted the link ${shown}; the file it points to stays\n`
    : `deleted ${shown}\n`;
});
