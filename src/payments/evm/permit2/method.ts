import { isPermit2 } from "../../x402/messages.ts";
import { type Method } from "../node/scheme.ts";
import { findPermit2 } from "./find.ts";
import { settlePermit2 } from "./settle.ts";
import { verifyPermit2 } from "./verify.ts";

const MISFIT = { kind: "refused", reason: "unsupported_payload_type" } as const;

function byPermit2(scheme: "exact" | "upto"): Method {
  return {
    scheme,
    takes: isPermit2,
    async verify(chain, payment, requirements) {
      return isPermit2(payment) ? await verifyPermit2(chain, payment, requirements) : MISFIT;
    },
    async settle(chain, payment, requirements) {
      return isPermit2(payment) ? await settlePermit2(chain, payment, requirements) : MISFIT;
    },
    async find(node, payment, requirements) {
      if (isPermit2(payment)) return await findPermit2(node, payment, requirements);
      return { kind: "unknown", cause: "it is not a payment by Permit2" };
    },
  };
}

/** `exact` with Permit2, through an x402 proxy, which sends the whole permitted amount only to the payee. */
export const exactByPermit2: Method = byPermit2("exact");

/** `upto` with Permit2, through x402's other proxy. Only this facilitator may settle, and it sets the charge. */
export const uptoByPermit2: Method = {
  ...byPermit2("upto"),
  extra: (account) => ({ facilitatorAddress: account }),
};
