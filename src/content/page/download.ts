import { TurnpikeError } from "../../lib/errors.ts";

/**
 * The browser does not show this document, for example a PDF or an attachment. Its bytes can be fetched without a
 * browser.
 */
export class DownloadError extends TurnpikeError {
  constructor(detail: string) {
    super("page-failed", detail);
    this.name = "DownloadError";
  }
}
