import { type Address, isAddress, sameAddress } from "./address.ts";
import { type PaymentPayload, type PaymentRequirements } from "./messages.ts";
import { parseNetwork } from "./networks.ts";
import { type Reason } from "./reasons.ts";
import { recoverSigner } from "./signature.ts";
import { transferOf } from "./transfer.ts";
import { authorizationHash } from "./typed-data.ts";

/** What must be left of an authorization's time for settlement to have a chance, in seconds. */
const SETTLEMENT_GUARD_S = 6n;
/** How much longer than asked for an authorization may be valid, for clocks that differ, in seconds. */
const CLOCK_SLACK_S = 60n;

/** An authorization that holds: who pays, and the hash that was signed. */
export interface Checked {
  readonly payer: Address;
  readonly hash: Uint8Array;
}

/** Refuses what needs no signature to be refused: terms, recipient, amount, times. `now` is in Unix seconds. */
export function checkTerms(
  payment: PaymentPayload,
  requirements: PaymentRequirements,
  now: number,
): Reason | undefined {
  const { accepted } = payment;
  const authorization = transferOf(payment, requirements);
  if (requirements.scheme !== "exact" || accepted.scheme !== "exact") return "invalid_exact_evm_scheme";
  if (accepted.network !== requirements.network) return "invalid_exact_evm_network_mismatch";
  if (!sameAddress(authorization.to, requirements.payTo)) return "invalid_exact_evm_recipient_mismatch";
  if (BigInt(authorization.value) !== BigInt(requirements.amount)) {
    return "invalid_exact_evm_payload_authorization_value_mismatch";
  }
  const time = BigInt(Math.floor(now));
  const validBefore = BigInt(authorization.validBefore);
  const latest = time + BigInt(requirements.maxTimeoutSeconds) + CLOCK_SLACK_S;
  // Without an upper bound the nonce would have to be remembered for ever.
  if (validBefore < time + SETTLEMENT_GUARD_S || validBefore > latest) {
    return "invalid_exact_evm_payload_authorization_valid_before";
  }
  if (BigInt(authorization.validAfter) > time) return "invalid_exact_evm_payload_authorization_valid_after";
  return undefined;
}

interface Known {
  readonly requirements: PaymentRequirements;
  readonly outcome: Checked | Reason;
}

/** Recovering a signer takes 0.4 ms, and settlement asks for the same as verification before it. */
const known = new WeakMap<PaymentPayload, Known>();

/** Checks who signed, once per payment and terms; neither may be changed afterwards. Only plain accounts: a contract's signature needs the chain to be asked. */
export function checkSignature(payment: PaymentPayload, requirements: PaymentRequirements): Checked | Reason {
  const before = known.get(payment);
  if (before?.requirements === requirements) return before.outcome;
  const outcome = recoverPayer(payment, requirements);
  known.set(payment, { requirements, outcome });
  return outcome;
}

function recoverPayer(payment: PaymentPayload, requirements: PaymentRequirements): Checked | Reason {
  const { name, version } = requirements.extra;
  const network = parseNetwork(requirements.network);
  if (network === undefined) return "invalid_exact_evm_network_mismatch";
  if (typeof name !== "string" || typeof version !== "string" || !isAddress(requirements.asset)) {
    return "invalid_exact_evm_missing_eip712_domain";
  }
  if (!("authorization" in payment.payload)) return "unsupported_payload_type";
  const { authorization, signature } = payment.payload;
  const hash = authorizationHash({ name, version, network, asset: requirements.asset }, authorization);
  const signer = recoverSigner(hash, signature);
  if (signer === undefined || !sameAddress(signer, authorization.from)) return "invalid_exact_evm_signature";
  return { payer: signer, hash };
}
