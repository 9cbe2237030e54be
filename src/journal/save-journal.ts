import {
  closeSync,
  fdatasyncSync,
  ftruncateSync,
  mkdirSync,
  openSync,
  rmSync,
  statSync,
  writeSync,
} from "node:fs";
import { dirname } from "node:path";
import { HarnessError, reasonOf } from "../errors.ts";
import type { Conversation } from "../machine/turn.types.ts";
import type { Journal } from "./journal.ts";
import { firstSum, writeLine, type JournalFault, type JournalText } from "./line.ts";
import { loadJournal, type JournalFile } from "./load-journal.ts";
import type { JournalRecord } from "./record.ts";
import type { Redactor } from "./redact.ts";
import { lock } from "./save-lock.ts";

export interface JournalOptions {
  path: string;
  redactor: Redactor;
  /** Milliseconds since 1970. */
  now: () => number;
}

/** A new journal; its folder is made, too. Throws HarnessError "config" when it cannot be kept there. */
export function createJournal(options: JournalOptions): Journal {
  return guarded(options.path, () => {
    makeFolder(dirname(options.path));
    const release = lock(options.path);
    try {
      return new FileJournal(openSync(options.path, "wx", 0o600), release, options);
    } catch (error) {
      release();
      throw error;
    }
  });
}

/**
 * Goes on with a journal: half a line that a crash left behind is cut off. `text` is what stands in it. A damaged journal
 * is left as it is, and every write to it throws.
 */
export function openJournal(options: JournalOptions): { journal: Journal; text: JournalText } {
  return guarded(options.path, () => {
    const release = lock(options.path);
    try {
      const text = loadJournal(options.path);
      // So that the marks in it keep their meaning: a new secret gets a new number.
      for (const record of text.records) options.redactor.redact(record);
      const descriptor = openSync(options.path, "r+");
      return { journal: new FileJournal(descriptor, release, options, text), text };
    } catch (error) {
      release();
      throw error;
    }
  });
}

/** With its parents. Node's own `recursive` does not end where a parent can never be made, such as below /proc. */
function makeFolder(folder: string): void {
  if (statSync(folder, { throwIfNoEntry: false })?.isDirectory()) return;
  const parent = dirname(folder);
  if (parent !== folder) makeFolder(parent);
  try {
    mkdirSync(folder, { mode: 0o700 });
  } catch (error) {
    // Another process may have been quicker.
    if (!statSync(folder, { throwIfNoEntry: false })?.isDirectory()) throw error;
  }
}

function guarded<T>(path: string, action: () => T): T {
  try {
    return action();
  } catch (cause) {
    throw cause instanceof HarnessError ? cause : cannotKeep(path, cause);
  }
}

const cannotKeep = (path: string, cause: unknown) =>
  new HarnessError(
    "config",
    `the session cannot be kept in ${path}: ${reasonOf(cause)}; put BROHARNESS_HOME elsewhere, or use --no-session`,
    { cause },
  );

/** A turn has begun: what it has come to is not lost. */
const cannotGoOn = (path: string, cause: unknown) =>
  new HarnessError(
    "config",
    `the session cannot be kept in ${path} any longer: ${reasonOf(cause)}; all before this is kept: mend that, then go on in the turn with --resume`,
    { cause },
  );

const damaged = (path: string, { line, why }: JournalFault) =>
  new HarnessError("config", `${path}, line ${line}: ${why}`);

const nothing: JournalFile = {
  records: [],
  fault: null,
  torn: null,
  endsLine: true,
  sum: firstSum,
  size: 0,
};

class FileJournal implements Journal {
  left: Conversation | null = null;
  redacted = false;
  readonly #file: number;
  readonly #release: () => void;
  readonly #options: JournalOptions;
  readonly #isNew: boolean;
  #size: number;
  #sum: string;
  #count: number;
  #broken: HarnessError | null = null;
  #isClosed = false;

  constructor(file: number, release: () => void, options: JournalOptions, before = nothing) {
    this.#file = file;
    this.#release = release;
    this.#options = options;
    this.#isNew = before === nothing;
    this.#sum = before.sum;
    this.#count = before.records.length;
    this.#size = before.size;
    if (before.fault) this.#broken = damaged(options.path, before.fault);
    else if (before.torn !== null) ftruncateSync(file, this.#size);
    else if (!before.endsLine) this.#append("\n");
  }

  write(record: JournalRecord): void {
    if (this.#broken) throw this.#broken;
    // The system may have given its number to another file since.
    if (this.#isClosed) throw new Error("a record came after the journal was closed");
    if (record.type === "turn") this.redacted = false;
    const { value, found } = this.#options.redactor.redact(record);
    this.redacted ||= found;
    const stamped = { ...value, n: this.#count + 1, at: this.#options.now() };
    const { line, sum } = writeLine(stamped, this.#sum);
    const whole = this.#size;
    const { path } = this.#options;
    try {
      this.#append(`${line}\n`);
      fdatasyncSync(this.#file);
    } catch (cause) {
      this.#broken = this.#count < 2 ? cannotKeep(path, cause) : cannotGoOn(path, cause);
      this.#cutBack(whole);
      if (this.#isNew && this.#count === 0) this.close();
      throw this.#broken;
    }
    this.#sum = sum;
    this.#count += 1;
  }

  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    closeSync(this.#file);
    // A new journal without a line is of no use to anybody.
    if (this.#isNew && this.#count === 0) rmSync(this.#options.path, { force: true });
    this.#release();
  }

  /** The system may take only a part of a write. */
  #append(text: string): void {
    const bytes = Buffer.from(text);
    for (let done = 0; done < bytes.length;)
      done += writeSync(this.#file, bytes, done, bytes.length - done, this.#size + done);
    this.#size += bytes.length;
  }

  /** Half a line is taken back, so that the file stays whole. */
  #cutBack(whole: number): void {
    this.#size = whole;
    try {
      ftruncateSync(this.#file, whole);
    } catch {
      // Then the next reader drops it.
    }
  }
}
