import { type FailedAction, TurnpikeError } from "../../lib/errors.ts";

/** The error of a step in a page. Its problem has the step, and the page at that time. */
export class ActionError extends TurnpikeError {
  constructor(action: FailedAction, reason: string, picture: Uint8Array | undefined) {
    const shown = picture === undefined ? {} : { screenshot: Buffer.from(picture).toString("base64") };
    super("action-failed", `Cannot do step ${action.index + 1} (${action.type}): ${reason}`, undefined, {
      action: { ...action, ...shown },
    });
  }
}
