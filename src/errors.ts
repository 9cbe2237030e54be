/** What the world did to us, by kind. A bug of ours is a plain Error; a model's or script's failure is a Problem. */
export type HarnessErrorCode =
  | "usage" // an option or argument that cannot be
  | "config" // a file or setting that cannot be used
  | "no_such_file"
  | "not_readable"
  | "too_large"
  | "runtime_missing"; // an interpreter or package that is not installed

/** One sentence for a person: what, with which value, and what to do next. */
export class HarnessError extends Error {
  override readonly name = "HarnessError";
  readonly code: HarnessErrorCode;

  constructor(code: HarnessErrorCode, message: string, options?: { cause: unknown }) {
    super(message, options);
    this.code = code;
  }
}
