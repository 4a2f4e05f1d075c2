import { TurnpikeError } from "../../lib/errors.ts";

/** The document is none that a browser shows, such as a PDF or an attachment: its bytes are had without one. */
export class DownloadError extends TurnpikeError {
  constructor(detail: string) {
    super("page-failed", detail);
    this.name = "DownloadError";
  }
}
