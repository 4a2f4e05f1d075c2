import { sameAddress } from "../../x402/address.ts";
import { type Verification } from "../../x402/facilitator.ts";
import { type PaymentRequirements, type Permit2Payment } from "../../x402/messages.ts";
import { checkGasPermit } from "../../signatures/gas-permit.ts";
import { checkPermit2Terms } from "../../signatures/permit2.ts";
import { type Reason } from "../../x402/reasons.ts";
import { isRpcError, unjudged } from "../node/rpc.ts";
import { type Chain } from "../node/scheme.ts";
import { checkSigner } from "./signature.ts";
import { findHindrance } from "./state.ts";

/** Under `upto` the payer names the facilitator, which must be this account. */
export function checkFacilitator({ sender }: Chain, { payload }: Permit2Payment): Reason | undefined {
  const { facilitator } = payload.permit2Authorization.witness;
  return facilitator === undefined || sameAddress(facilitator, sender.account)
    ? undefined
    : "upto_facilitator_mismatch";
}

/** Checks terms and signature locally, then simulates on the chain a settlement of the whole permitted amount. */
export async function verifyPermit2(
  chain: Chain,
  payment: Permit2Payment,
  requirements: PaymentRequirements,
): Promise<Verification> {
  const { from, permitted } = payment.payload.permit2Authorization;
  const problem =
    checkPermit2Terms(payment, requirements, chain.node.now() / 1000) ??
    checkFacilitator(chain, payment) ??
    checkGasPermit(payment, chain.node.now() / 1000) ??
    (await checkSigner(chain.node, payment, requirements)) ??
    (await findHindrance(chain, payment, BigInt(permitted.amount)));
  if (problem === undefined) return { kind: "valid", payer: from };
  if (!isRpcError(problem)) return { kind: "refused", reason: problem };
  return unjudged(problem);
}
