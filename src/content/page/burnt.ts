import { TurnpikeError } from "../../lib/errors.ts";

/**
 * The error of a visit whose page used up the visit's time itself. It can be charged for (`content.charge_timeouts`).
 */
export class PageBurnt extends TurnpikeError {
  constructor({ code, message, errors, members }: TurnpikeError) {
    super(code, message, errors, members);
  }
}
