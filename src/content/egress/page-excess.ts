import { TurnpikeError } from "../../lib/errors.ts";

/** The error of a page that exceeded a limit of a visit: memory, processor time, threads, frames or requests. */
export class PageExcess extends TurnpikeError {
  constructor(detail: string) {
    super("page-failed", detail);
  }
}
