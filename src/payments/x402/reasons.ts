/**
 * Every reason that a client may be given for a refused payment. A facilitator's own words never reach a client: they
 * may hold the address of its RPC endpoint, API key and all, as `errorMessage` of x402's SDK does.
 */
const REASONS = [
  "invalid_exact_evm_scheme",
  "invalid_exact_evm_missing_eip712_domain",
  "invalid_exact_evm_network_mismatch",
  "invalid_exact_evm_signature",
  "invalid_exact_evm_recipient_mismatch",
  "invalid_exact_evm_payload_authorization_valid_before",
  "invalid_exact_evm_payload_authorization_valid_after",
  "invalid_exact_evm_payload_authorization_value_mismatch",
  "invalid_exact_evm_insufficient_balance",
  "invalid_exact_evm_nonce_already_used",
  "invalid_exact_evm_token_name_mismatch",
  "invalid_exact_evm_token_version_mismatch",
  "invalid_exact_evm_eip3009_not_supported",
  "invalid_exact_evm_transaction_simulation_failed",
  "invalid_exact_evm_transaction_failed",
  "invalid_permit2_spender",
  "invalid_permit2_recipient_mismatch",
  "invalid_permit2_signature",
  "permit2_deadline_expired",
  "permit2_not_yet_valid",
  "permit2_amount_mismatch",
  "permit2_token_mismatch",
  "permit2_allowance_required",
  "permit2_insufficient_balance",
  "permit2_simulation_failed",
  "permit2_proxy_not_deployed",
  "permit2_invalid_amount",
  "permit2_invalid_destination",
  "permit2_invalid_owner",
  "permit2_payment_too_early",
  "permit2_invalid_nonce",
  "invalid_upto_evm_scheme",
  "invalid_upto_evm_network_mismatch",
  "invalid_upto_evm_payload_settlement_exceeds_amount",
  "invalid_upto_evm_transaction_failed",
  "upto_amount_exceeds_permitted",
  "upto_unauthorized_facilitator",
  "upto_facilitator_mismatch",
  "asset_not_deployed_contract",
  "eip6492_factory_not_allowed",
  "unsupported_payload_type",
  "insufficient_funds",
  "invalid_network",
  "invalid_payment_requirements",
  "invalid_scheme",
  "payment_refused",
] as const;

export type Reason = (typeof REASONS)[number];

/** Older and shorter spellings, as facilitators in the wild and the protocol's text have them. */
const SPELLINGS: Readonly<Record<string, Reason>> = {
  invalid_exact_evm_payload_signature: "invalid_exact_evm_signature",
  invalid_exact_evm_payload_recipient_mismatch: "invalid_exact_evm_recipient_mismatch",
  invalid_exact_evm_payload_authorization_value: "invalid_exact_evm_payload_authorization_value_mismatch",
  nonce_already_used: "invalid_exact_evm_nonce_already_used",
};

/** The reason of the fixed list that a facilitator's word stands for; `payment_refused` for any other. */
export function toReason(word: string | null | undefined): Reason {
  if (word === null || word === undefined) return "payment_refused";
  const spelling = Object.hasOwn(SPELLINGS, word) ? SPELLINGS[word] : undefined;
  return spelling ?? REASONS.find((reason) => reason === word) ?? "payment_refused";
}

/**
 * Reasons that leave open whether money moved: a spent nonce was spent by somebody, perhaps by ourselves; a word not on
 * the list may be anything, a time-out after broadcast above all. A simulation by Permit2 fails for a spent nonce as for
 * all else, and under `exact` anybody may have settled.
 */
const UNCLEAR: ReadonlySet<Reason> = new Set([
  "payment_refused",
  "invalid_exact_evm_nonce_already_used",
  "permit2_invalid_nonce",
  "permit2_simulation_failed",
]);

const ON_CHAIN: ReadonlySet<Reason> = new Set([
  "invalid_exact_evm_transaction_failed",
  "invalid_upto_evm_transaction_failed",
]);

/**
 * True where a settlement that is asked for the first time and refused for `reason` moved nothing for certain; asked for
 * again, it may be refused for what the first one did. A transaction that failed did so on the chain where
 * its hash (`transaction`, else empty) is told; without one the broadcast failed, perhaps after a node took it.
 */
export function isDefinite(reason: Reason, transaction: string): boolean {
  if (ON_CHAIN.has(reason)) return transaction !== "";
  return !UNCLEAR.has(reason);
}
