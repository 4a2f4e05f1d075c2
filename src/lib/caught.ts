/** The message of a caught value; if it is not an Error, the value as text. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** Codes of an operation that failed because a disk is full. */
export const FULL_DISK: ReadonlySet<string | undefined> = new Set(["SQLITE_FULL", "ENOSPC", "EDQUOT"]);

/** An error's class and code, for the log. Its text, with addresses and keys, is shown only as `publicText`. */
export function faultOf(error: unknown): string {
  if (!(error instanceof Error)) return typeof error;
  const text = "publicText" in error ? String(error.publicText) : "";
  const why = FULL_DISK.has(codeOf(error)) ? "(the disk is full)" : "";
  return [error.name, codeOf(error) ?? "", why, text].filter((part) => part !== "").join(" ");
}

/** The code of a failed system call, such as `ENOENT`; undefined if the caught value has no code. */
export function codeOf(error: unknown): string | undefined {
  return error instanceof Error && "code" in error ? String(error.code) : undefined;
}

/** The reason why a file could not be created or written, for an error message. */
export function whyUnwritable(error: unknown): string {
  const code = codeOf(error);
  if (code === "ENOENT") return "its folder does not exist; create it first";
  if (code === "EACCES") return "this user may not write it";
  if (code === "EISDIR") return "it is a folder";
  if (code === "EROFS") return "the file system is read-only";
  return FULL_DISK.has(code) ? "the disk is full" : (code ?? messageOf(error));
}

/** The reason why a file could not be read as UTF-8 text, for an error message. */
export function whyUnreadable(error: unknown): string {
  const code = codeOf(error);
  if (code === "ENOENT") return "there is no such file";
  if (code === "EACCES") return "this user may not read it";
  if (code === "EISDIR") return "it is a folder";
  if (error instanceof TypeError) return "it is not UTF-8 text";
  return messageOf(error);
}
