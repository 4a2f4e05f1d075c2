/** Says what a catch clause caught: its message, or the thing itself where it is no Error. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** The code of a failed system call, such as `ENOENT`; undefined where what was caught has none. */
export function codeOf(error: unknown): string | undefined {
  return error instanceof Error && "code" in error ? String(error.code) : undefined;
}
