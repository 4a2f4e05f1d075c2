import { TurnpikeError } from "../../lib/errors.ts";

/** The failure (`page-failed`) of a page that redirects too often. Another try fails too. */
export class RedirectError extends TurnpikeError {
  /** The reason ends a sentence about the page: "redirects without end". */
  constructor(reason: string) {
    super("page-failed", `Cannot load the page: it ${reason}`);
  }
}
