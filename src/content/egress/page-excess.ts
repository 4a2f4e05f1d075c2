import { TurnpikeError } from "../../lib/errors.ts";

/** A page that took more than a visit may: of memory, processor time, threads, frames, requests. */
export class PageExcess extends TurnpikeError {
  constructor(detail: string) {
    super("page-failed", detail);
  }
}
