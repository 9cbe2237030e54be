import type { Conversation } from "../machine/turn.types.ts";
import type { JournalRecord } from "./record.ts";

/** Where a session's records go. Open for one writer at a time. */
export interface Journal {
  /** Resolves nothing and returns only when the record is on the disk; throws a HarnessError when it cannot be put there. */
  write(record: JournalRecord): void;
  /** Whether a secret was kept out of the journal since the turn in it began. */
  readonly redacted: boolean;
  /** What the last turn in it left, for the next one to go on with; null before the first. */
  left: Conversation | null;
  /** Lets go of the file. A second time does nothing. */
  close(): void;
}
