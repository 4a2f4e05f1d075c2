import { isEip3009 } from "../../x402/messages.ts";
import { type Method } from "../node/scheme.ts";
import { findEip3009 } from "./find.ts";
import { settleEip3009 } from "./settle.ts";
import { verifyEip3009 } from "./verify.ts";

/** `exact` with a token's own TransferWithAuthorization (EIP-3009). */
export const exactByEip3009: Method = {
  scheme: "exact",
  takes: isEip3009,
  async verify(chain, payment, requirements) {
    if (!isEip3009(payment)) return { kind: "refused", reason: "unsupported_payload_type" };
    return await verifyEip3009(chain, payment, requirements);
  },
  async settle(chain, payment, requirements) {
    if (!isEip3009(payment)) return { kind: "refused", reason: "unsupported_payload_type" };
    return await settleEip3009(chain, payment, requirements);
  },
  find: findEip3009,
};
