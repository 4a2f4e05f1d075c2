import { TurnpikeError } from "../../lib/errors.ts";

/** The failure (`page-failed`) of a page that redirects too often. Another try fails too. */
export class RedirectError extends TurnpikeError {
  /** The reason ends a sentence about the page: "redirects without end". */
  constructor(reason: string) {
    super("page-failed", `Cannot load the page: it ${reason}`);
  }
}

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

/**
 * The error of a visit whose page used up the visit's time itself. It can be charged for (`content.charge_timeouts`).
 */
export class PageBurnt extends TurnpikeError {
  constructor({ code, message, errors, members }: TurnpikeError) {
    super(code, message, errors, members);
  }
}

/** The failure of a page whose server responded with an error status. */
export class LoadStatusError extends TurnpikeError {
  /** The value of its field Retry-After; undefined if it is absent. */
  readonly retryAfter: string | undefined;

  constructor(status: number, headers: readonly (readonly [name: string, value: string])[]) {
    const detail = `Cannot load the page: its server responded with ${status}`;
    super("page-failed", detail, undefined, { page_status: status });
    this.retryAfter = headers.find(([name]) => name.toLowerCase() === "retry-after")?.[1];
  }
}
