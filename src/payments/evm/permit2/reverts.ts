import { type Hex } from "../../x402/address.ts";
import { type Reason } from "../../x402/reasons.ts";
import { encodeCall } from "../node/abi.ts";

/** The errors with which Permit2 and the proxies revert, and the reason that the payer receives for each. */
const REVERTS = [
  ["InvalidNonce()", "permit2_invalid_nonce"],
  ["InvalidAmount()", "permit2_invalid_amount"],
  ["InvalidAmount(uint256)", "permit2_invalid_amount"],
  ["Permit2612AmountMismatch()", "permit2_2612_amount_mismatch"],
  ["InvalidDestination()", "permit2_invalid_destination"],
  ["InvalidOwner()", "permit2_invalid_owner"],
  ["PaymentTooEarly()", "permit2_payment_too_early"],
  ["SignatureExpired(uint256)", "permit2_deadline_expired"],
  ["InvalidSignature()", "invalid_permit2_signature"],
  ["InvalidSignatureLength()", "invalid_permit2_signature"],
  ["InvalidSigner()", "invalid_permit2_signature"],
  ["InvalidContractSignature()", "invalid_permit2_signature"],
  ["AmountExceedsPermitted()", "upto_amount_exceeds_permitted"],
  ["UnauthorizedFacilitator()", "upto_unauthorized_facilitator"],
] as const satisfies readonly (readonly [error: string, reason: Reason])[];

/** The reason for a revert; undefined if the error is not from Permit2 or the proxies, for example a token's own. */
export function revertReason(data: Hex | undefined): Reason | undefined {
  const selector = data?.slice(0, 10).toLowerCase();
  return REVERTS.find(([error]) => encodeCall(error) === selector)?.[1];
}
