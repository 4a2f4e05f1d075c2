import { type NotContent } from "../../extraction/tree/extraction.ts";
import { messageOf } from "../../../lib/caught.ts";

/** A file that cannot be read. The message completes "Cannot read the page: ". */
export class FileError extends Error {
  readonly reason: NotContent;

  constructor(message: string, reason: NotContent = "unreadable") {
    super(message);
    this.reason = reason;
  }
}

/** Whether an error says that the engine could not allocate memory. */
export function isMemoryError(error: unknown): boolean {
  return /out of memory|allocate memory/i.test(messageOf(error));
}
