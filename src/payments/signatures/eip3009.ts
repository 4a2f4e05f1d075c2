import { isAddress, sameAddress } from "../x402/address.ts";
import { type Eip3009Payment, type PaymentRequirements } from "../x402/messages.ts";
import { parseEvmNetwork } from "../x402/networks.ts";
import { type Reason } from "../x402/reasons.ts";
import { type Checked } from "./signature.ts";
import { recoverSigner } from "./recover-signer.ts";
import { methodOf } from "../x402/terms.ts";
import { transferOf } from "../x402/transfer.ts";
import { authorizationHash } from "./typed-data.ts";
import { checkValidity } from "./validity.ts";

/** Checks an EIP-3009 payment without its signature: terms, recipient, amount, times. `now`: Unix seconds. */
export function checkEip3009Terms(
  payment: Eip3009Payment,
  requirements: PaymentRequirements,
  now: number,
): Reason | undefined {
  const reason = checkEip3009Agreement(payment, requirements);
  if (reason !== undefined) return reason;
  const error = checkValidity(transferOf(payment, requirements), requirements, now);
  if (error === "over") return "invalid_exact_evm_payload_authorization_valid_before";
  if (error === "early") return "invalid_exact_evm_payload_authorization_valid_after";
  return undefined;
}

/** Like `checkEip3009Terms`, without the times. Its result never changes. */
export function checkEip3009Agreement(payment: Eip3009Payment, requirements: PaymentRequirements): Reason | undefined {
  const { accepted } = payment;
  const transfer = transferOf(payment, requirements);
  if (requirements.scheme !== "exact" || accepted.scheme !== "exact") return "invalid_exact_evm_scheme";
  if (accepted.network !== requirements.network) return "invalid_exact_evm_network_mismatch";
  if (methodOf(requirements) !== "eip3009" || methodOf(accepted) !== "eip3009") return "unsupported_payload_type";
  if (!sameAddress(transfer.to, requirements.payTo)) return "invalid_exact_evm_recipient_mismatch";
  if (BigInt(transfer.value) !== BigInt(requirements.amount)) {
    return "invalid_exact_evm_payload_authorization_value_mismatch";
  }
  return undefined;
}

/** Recovers the signer. Accepts only plain accounts: checking a contract's signature would need a call to the chain. */
export function checkEip3009Signature(payment: Eip3009Payment, requirements: PaymentRequirements): Checked | Reason {
  const { name, version } = requirements.extra;
  const network = parseEvmNetwork(requirements.network);
  if (network === undefined) return "invalid_exact_evm_network_mismatch";
  if (typeof name !== "string" || typeof version !== "string" || !isAddress(requirements.asset)) {
    return "invalid_exact_evm_missing_eip712_domain";
  }
  const { authorization, signature } = payment.payload;
  const hash = authorizationHash({ name, version, network, asset: requirements.asset }, authorization);
  const signer = recoverSigner(hash, signature);
  if (signer === undefined || !sameAddress(signer, authorization.from)) return "invalid_exact_evm_signature";
  return { payer: signer, hash };
}
