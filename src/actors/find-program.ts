import { accessSync, constants, statSync } from "node:fs";
import path from "node:path";

/** The first file of this name in the folders of a PATH that may be run; null where there is none. */
export function findProgram(name: string, searched: string): string | null {
  for (const folder of searched.split(path.delimiter)) {
    if (!path.isAbsolute(folder)) continue;
    const file = path.join(folder, name);
    try {
      accessSync(file, constants.X_OK);
      if (statSync(file).isFile()) return file;
    } catch {
      // The next folder may hold it.
    }
  }
  return null;
}
