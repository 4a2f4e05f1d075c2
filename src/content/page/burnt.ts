import { TurnpikeError } from "../../lib/errors.ts";

/** The failure of a visit whose time its own page used up: it may be charged for (`content.charge_timeouts`). */
export class PageBurnt extends TurnpikeError {
  constructor({ code, message, errors, members }: TurnpikeError) {
    super(code, message, errors, members);
  }
}
