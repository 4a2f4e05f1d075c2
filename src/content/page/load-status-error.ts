import { TurnpikeError } from "../../lib/errors.ts";

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
