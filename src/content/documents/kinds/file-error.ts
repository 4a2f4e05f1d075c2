import { type NotContent } from "../../extraction/tree/extraction.ts";

/** A file that cannot be read. The message completes "Cannot read the page: ". */
export class FileError extends Error {
  readonly reason: NotContent;

  constructor(message: string, reason: NotContent = "unreadable") {
    super(message);
    this.reason = reason;
  }
}
