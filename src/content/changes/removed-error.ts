import { TurnpikeError } from "../../lib/errors.ts";
import { type PageChanges } from "./page-versions.ts";

/** The failure of a page that has gone, and of which the client has an older version. */
export class RemovedError extends TurnpikeError {
  readonly changes: PageChanges;

  constructor({ code, message, members }: TurnpikeError, changes: PageChanges) {
    super(code, message, undefined, members);
    this.changes = changes;
  }
}
