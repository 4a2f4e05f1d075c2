import { type Outcome, type Settlement, type Verification } from "../x402/facilitator.ts";
import { isEip3009, isPermit2, type PaymentPayload, type PaymentRequirements } from "../x402/messages.ts";
import { findEip3009 } from "./eip3009/find.ts";
import { settleEip3009 } from "./eip3009/settle.ts";
import { verifyEip3009 } from "./eip3009/verify.ts";
import { type EvmNode } from "./node/node.ts";
import { type Chain } from "./node/scheme.ts";
import { findPermit2 } from "./permit2/find.ts";
import { settlePermit2 } from "./permit2/settle.ts";
import { verifyPermit2 } from "./permit2/verify.ts";

/**
 * A method to move a payment's money on EVM chains; it has no state. Errors are values. The embedded facilitator makes
 * only one `settle` call at a time for each payment nonce.
 */
export interface Method {
  readonly scheme: "exact" | "upto";
  verify(chain: Chain, requirements: PaymentRequirements): Promise<Verification>;
  /** Idempotent: a settled payment is found, and nothing is sent. `refused` only if no money has moved. */
  settle(chain: Chain, requirements: PaymentRequirements): Promise<Settlement>;
  /** Needs no key. */
  find(node: EvmNode, requirements: PaymentRequirements): Promise<Outcome>;
}

/**
 * The method that settles this payment; undefined if no method does. `exact` works with a token's own
 * TransferWithAuthorization (EIP-3009), or with Permit2 through an x402 proxy, which sends the whole permitted amount only
 * to the payee. `upto` works with x402's other proxy: only this facilitator may settle, and it sets the charge.
 */
export function methodFor(payment: PaymentPayload, { scheme }: PaymentRequirements): Method | undefined {
  if (isEip3009(payment) && scheme === "exact") {
    return {
      scheme,
      verify: (chain, requirements) => verifyEip3009(chain, payment, requirements),
      settle: (chain, requirements) => settleEip3009(chain, payment, requirements),
      find: (node, requirements) => findEip3009(node, payment, requirements),
    };
  }
  if (!isPermit2(payment) || (scheme !== "exact" && scheme !== "upto")) return undefined;
  return {
    scheme,
    verify: (chain, requirements) => verifyPermit2(chain, payment, requirements),
    settle: (chain, requirements) => settlePermit2(chain, payment, requirements),
    find: (node, requirements) => findPermit2(node, payment, requirements),
  };
}
