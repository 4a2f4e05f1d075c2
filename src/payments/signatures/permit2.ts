import { sameAddress } from "../x402/address.ts";
import { type PaymentRequirements, type Permit2Payment } from "../x402/messages.ts";
import { parseEvmNetwork } from "../x402/networks.ts";
import { permit2Hash } from "./permit2-typed-data.ts";
import { type Reason } from "../x402/reasons.ts";
import { type Checked } from "./signature.ts";
import { recoverSigner } from "./recover-signer.ts";
import { facilitatorOf, methodOf } from "../x402/terms.ts";
import { PROXIES, transferOf } from "../x402/transfer.ts";
import { checkValidity } from "./validity.ts";

/** The scheme of `requirements` if Permit2 has a proxy for it; otherwise undefined. */
function schemeOf({ scheme }: PaymentRequirements): "exact" | "upto" | undefined {
  return scheme === "exact" || scheme === "upto" ? scheme : undefined;
}

/**
 * Checks a Permit2 payment as far as that needs no signature: terms, proxy, token, recipient, amount, facilitator and
 * times. Under `upto`, `requirements.amount` is the most that may be charged. `now` is in Unix seconds.
 */
export function checkPermit2Terms(
  payment: Permit2Payment,
  requirements: PaymentRequirements,
  now: number,
): Reason | undefined {
  const reason = checkPermit2Agreement(payment, requirements);
  if (reason !== undefined) return reason;
  const error = checkValidity(transferOf(payment, requirements), requirements, now);
  if (error === "over") return "permit2_deadline_expired";
  if (error === "early") return "permit2_not_yet_valid";
  return undefined;
}

/** Like `checkPermit2Terms`, without the times. Its result never changes. */
export function checkPermit2Agreement(payment: Permit2Payment, requirements: PaymentRequirements): Reason | undefined {
  const scheme = schemeOf(requirements);
  const { accepted } = payment;
  if (scheme === undefined) return "invalid_exact_evm_scheme";
  if (accepted.scheme !== scheme) return `invalid_${scheme}_evm_scheme`;
  if (accepted.network !== requirements.network) return `invalid_${scheme}_evm_network_mismatch`;
  if (requirements.extra["assetTransferMethod"] !== "permit2" || methodOf(accepted) !== "permit2")
    return "unsupported_payload_type";
  const { spender, permitted, witness } = payment.payload.permit2Authorization;
  if (!sameAddress(spender, PROXIES[scheme])) return "invalid_permit2_spender";
  if (!sameAddress(witness.to, requirements.payTo)) return "invalid_permit2_recipient_mismatch";
  if (!isSettledBy(witness.facilitator, scheme, requirements)) return "upto_facilitator_mismatch";
  const amount = BigInt(permitted.amount);
  if (amount !== BigInt(requirements.amount) || amount !== BigInt(accepted.amount)) return "permit2_amount_mismatch";
  if (!sameAddress(permitted.token, requirements.asset)) return "permit2_token_mismatch";
  return undefined;
}

/** Under `upto`, only the named facilitator may settle. Under `exact` any account may, and none is named. */
function isSettledBy(named: string | undefined, scheme: "exact" | "upto", requirements: PaymentRequirements): boolean {
  if (scheme === "exact") return named === undefined;
  const own = facilitatorOf(requirements.extra);
  return own !== undefined && named?.toLowerCase() === own.toLowerCase();
}

/** Recovers the signer. Accepts only plain accounts: checking a contract's signature would need a call to the chain. */
export function checkPermit2Signature(payment: Permit2Payment, { network }: PaymentRequirements): Checked | Reason {
  const hash = hashOf(payment, network);
  const { permit2Authorization, signature } = payment.payload;
  const signer = hash === undefined ? undefined : recoverSigner(hash, signature);
  if (hash === undefined || signer === undefined || !sameAddress(signer, permit2Authorization.from)) {
    return "invalid_permit2_signature";
  }
  return { payer: signer, hash };
}

function hashOf(payment: Permit2Payment, network: string): Uint8Array | undefined {
  const known = parseEvmNetwork(network);
  return known === undefined ? undefined : permit2Hash(known, payment.payload.permit2Authorization);
}
