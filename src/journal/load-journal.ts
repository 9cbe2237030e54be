import { readFileSync, statSync } from "node:fs";
import { HarnessError, reasonOf } from "../errors.ts";
import { readLines, type JournalText } from "./line.ts";

/** Reads a journal. Throws HarnessError "not_readable" for what is no file, cannot be read, or is no text. */
export function loadJournal(path: string): JournalText {
  const refused = (why: string, cause?: unknown) =>
    new HarnessError("not_readable", `${path}: ${why}`, { cause });
  try {
    if (!statSync(path).isFile()) throw refused("not a journal but a folder, pipe or device");
    const text = new TextDecoder("utf-8", { fatal: true }).decode(readFileSync(path));
    if (text === "") throw refused("empty, so it is no journal");
    return readLines(text);
  } catch (cause) {
    if (cause instanceof HarnessError) throw cause;
    throw refused(cause instanceof TypeError ? "not a text in UTF-8" : reasonOf(cause), cause);
  }
}
