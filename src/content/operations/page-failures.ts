import { messageOf } from "../../lib/caught.ts";
import { TurnpikeError } from "../../lib/errors.ts";
import { PageBurnt } from "../page/page-errors.ts";
import { type Services } from "./operation.ts";

/** The failures of pages that one call loads beside others: they are parts of its response, and never fail the call. */
export class PageFailures {
  readonly #log: Services["log"];
  readonly #what: string;
  /** True if a page used up its time itself, so that the call may be charged for. */
  hasBurnt = false;

  /** `what` names such a page in the log. */
  constructor(log: Services["log"], what: string) {
    this.#log = log;
    this.#what = what;
  }

  /** The error for a page whose loading threw `cause`. */
  errorOf(cause: unknown): TurnpikeError {
    if (cause instanceof PageBurnt) this.hasBurnt = true;
    if (cause instanceof TurnpikeError) return cause;
    this.#log("error", `Cannot load ${this.#what}: ${messageOf(cause)}`);
    return new TurnpikeError("internal", "Cannot load the page: see the log");
  }
}
