import type { Journal } from "../../src/journal/journal.ts";
import { firstSum, readLines, writeLine } from "../../src/journal/line.ts";
import type { JournalRecord, SessionRecord } from "../../src/journal/record.ts";

export const session: SessionRecord = {
  type: "session",
  format: 1,
  id: "20261130-231500-a1b2c3",
  version: "0.1.0",
  cwd: "/tmp",
  forked_from: null,
};

/** Records as the text of a journal. */
export function journalText(records: readonly JournalRecord[]): string {
  let [sum, text] = [firstSum, ""];
  for (const [index, record] of records.entries()) {
    const written = writeLine({ ...record, n: index + 1, at: 1_000 * (index + 1) }, sum);
    sum = written.sum;
    text += `${written.line}\n`;
  }
  return text;
}

/** A journal that keeps its records; `read` gives what would be read from its file. */
export function memoryJournal() {
  const records: JournalRecord[] = [session];
  const journal: Journal = {
    write: (record) => void records.push(record),
    redacted: false,
    left: null,
    close: () => {},
  };
  return Object.assign(journal, { records, read: () => readLines(journalText(records)) });
}
