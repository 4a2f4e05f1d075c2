import { codeOf, messageOf } from "./caught.ts";

/** The reason why a file could not be read as UTF-8 text, for an error message. */
export function whyUnreadable(error: unknown): string {
  const code = codeOf(error);
  if (code === "ENOENT") return "there is no such file";
  if (code === "EACCES") return "this user may not read it";
  if (code === "EISDIR") return "it is a folder";
  if (error instanceof TypeError) return "it is not UTF-8 text";
  return messageOf(error);
}
