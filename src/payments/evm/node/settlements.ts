import { type Settlement } from "../../x402/facilitator.ts";
import { type Reason } from "../../x402/reasons.ts";

type Unknown = Settlement & { readonly kind: "unknown" };

/** Money may have moved. `transaction` is the one that may have moved it. */
export function unknown(cause: string, transaction = ""): Unknown {
  return { kind: "unknown", cause, transaction };
}

/** Nothing was sent that could move money. `cause` says why. */
export function unsent(cause: string): Unknown {
  return { kind: "unknown", cause, transaction: "", isUnsent: true };
}

/** No money has moved. */
export function refused(reason: Reason): Settlement & { readonly kind: "refused" } {
  return { kind: "refused", reason };
}
