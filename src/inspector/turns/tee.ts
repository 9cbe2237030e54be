import type { Journal } from "../../journal/journal.ts";
import type { JournalRecord, SessionRecord, Stamped } from "../../journal/record.ts";
import type { Redactor } from "../../journal/redact.ts";
import type { Conversation } from "../../machine/turn.types.ts";

interface TeeOptions {
  /** What is written to first; null for a run that is kept nowhere. */
  journal: Journal | null;
  /** The records that stand in it. */
  records: readonly Stamped[];
  /** The first record where there is none yet: who makes a journal's file writes that one. */
  session?: SessionRecord;
  /** Another than the journal's own. As both hear the same records, they give a secret the same number. */
  redactor: Redactor;
  /** Milliseconds since 1970. */
  now: () => number;
  /** Told of each record as it stands in the journal. */
  heard: (record: Stamped) => void;
}

/** A journal whose records are also told to somebody who watches, once they are kept. */
export function teeJournal({
  journal,
  records,
  session,
  redactor,
  now,
  heard,
}: TeeOptions): Journal {
  for (const record of records) redactor.redact(record);
  let count = records.length;
  let left: Conversation | null = null;
  let redacted = false;
  const tell = (record: JournalRecord) => {
    const { value, found } = redactor.redact(record);
    redacted ||= found;
    count += 1;
    heard({ ...value, n: count, at: now() });
  };
  return {
    get left() {
      return journal ? journal.left : left;
    },
    set left(conversation) {
      if (journal) journal.left = conversation;
      left = conversation;
    },
    get redacted() {
      return journal ? journal.redacted : redacted;
    },
    write(record) {
      if (record.type === "turn") redacted = false;
      journal?.write(record);
      if (count === 0 && session) tell(session);
      tell(record);
    },
    close: () => journal?.close(),
  };
}
