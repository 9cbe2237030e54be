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

const reasons: Partial<Record<string, string>> = {
  EACCES: "no permission",
  EPERM: "no permission",
  ENOENT: "no such file or folder",
  ENOTDIR: "a part of the path is not a folder",
  EISDIR: "it is a folder",
  ELOOP: "its links lead in a circle",
  ENAMETOOLONG: "the name is too long",
  ENOSPC: "the disk is full",
  EDQUOT: "the quota of the disk is used up",
  EROFS: "the disk is read-only",
  EEXIST: "something of this name is there already",
  EFBIG: "no file may grow this large",
  ENXIO: "nothing reads this pipe",
  EMFILE: "too many files are open",
  ENFILE: "too many files are open",
  EIO: "the device failed",
};

/** Why the system refused something, in words; its own code for what is rare. */
export function reasonOf(cause: unknown): string {
  const code = cause instanceof Error && "code" in cause ? String(cause.code) : "";
  return reasons[code] ?? (code === "" ? "unknown reason" : code);
}
