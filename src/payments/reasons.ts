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
  "asset_not_deployed_contract",
  "eip6492_factory_not_allowed",
  "unsupported_payload_type",
  "insufficient_funds",
  "invalid_network",
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
 * the list may be anything, a time-out after broadcast above all.
 */
const UNCLEAR: ReadonlySet<Reason> = new Set(["payment_refused", "invalid_exact_evm_nonce_already_used"]);

/**
 * True where a settlement refused for `reason` moved nothing for certain. A transaction that failed did so on the chain where
 * its hash (`transaction`, else empty) is told; without one the broadcast failed, perhaps after a node took it.
 */
export function isDefinite(reason: Reason, transaction: string): boolean {
  if (reason === "invalid_exact_evm_transaction_failed") return transaction !== "";
  return !UNCLEAR.has(reason);
}
