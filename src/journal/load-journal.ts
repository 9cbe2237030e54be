import { isUtf8 } from "node:buffer";
import { readFileSync, statSync } from "node:fs";
import { HarnessError, reasonOf } from "../errors.ts";
import { readLines, type JournalText } from "./line.ts";

export interface JournalFile extends JournalText {
  /** How many bytes the whole lines take, without half a line at the end. */
  size: number;
}

const LINE_FEED = 0x0a;

/** Reads a journal. Throws HarnessError "not_readable" for what is no file, cannot be read, or holds not one whole line. */
export function loadJournal(path: string): JournalFile {
  const refused = (why: string, cause?: unknown) =>
    new HarnessError("not_readable", `${path}: ${why}`, { cause });
  try {
    if (!statSync(path).isFile()) throw refused("not a journal but a folder, pipe or device");
    const bytes = readFileSync(path);
    if (bytes.length === 0) throw refused("empty, so it is no journal");
    // Half a line may end in half a letter. In a whole line its checksum finds a byte that is no letter.
    const text = readLines(new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes));
    if (text.records.length === 0 && !isUtf8(bytes)) throw refused("not a text in UTF-8");
    if (text.records.length === 0 && !text.fault) throw refused("not one whole line of a journal");
    const size = text.torn === null ? bytes.length : bytes.lastIndexOf(LINE_FEED) + 1;
    return { ...text, size };
  } catch (cause) {
    if (cause instanceof HarnessError) throw cause;
    throw refused(reasonOf(cause), cause);
  }
}
