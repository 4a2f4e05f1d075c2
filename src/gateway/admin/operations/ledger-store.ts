import { messageOf } from "../../../lib/caught.ts";
import { TurnpikeError } from "../../../lib/errors.ts";
import { type Call, callerOf } from "./operation.ts";
import { type AdminParts } from "./parts.ts";

/** The part of the ledger that `open` opens. Throws `store-unavailable` if it cannot, or if only the workers have it. */
export function opened<T>(open: () => T | undefined): T {
  let part: T | undefined;
  try {
    part = open();
  } catch (error) {
    throw new TurnpikeError("store-unavailable", `Cannot open the ledger: ${messageOf(error)}`);
  }
  if (part !== undefined) return part;
  throw new TurnpikeError("store-unavailable", "Cannot open the ledger: it is in the memory of the workers");
}

/** The result of a call of the ledger. Throws `store-unavailable` if it fails, with `what` for its error. */
export async function stored<T>(ask: () => Promise<T>, what = "use the ledger"): Promise<T> {
  try {
    return await ask();
  } catch (error) {
    throw new TurnpikeError("store-unavailable", `Cannot ${what}: ${messageOf(error)}`);
  }
}

/** Reports a change that the caller has made. */
export function tell({ events }: AdminParts, call: Call, message: string): void {
  events.add({ kind: "change", message, by: callerOf(call).by, outcome: "done" });
}
