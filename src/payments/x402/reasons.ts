/**
 * All reasons for a refused payment that a client may receive. A facilitator's own text never reaches a client: it may
 * contain the address of its RPC endpoint with an API key, as `errorMessage` of x402's SDK does.
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
  "permit2_2612_amount_mismatch",
  "eip2612_from_mismatch",
  "eip2612_asset_mismatch",
  "eip2612_spender_not_permit2",
  "eip2612_deadline_expired",
  "erc20_approval_from_mismatch",
  "erc20_approval_asset_mismatch",
  "erc20_approval_spender_not_permit2",
  "erc20_approval_tx_wrong_target",
  "erc20_approval_tx_wrong_selector",
  "erc20_approval_tx_wrong_spender",
  "erc20_approval_tx_invalid_calldata",
  "erc20_approval_tx_signer_mismatch",
  "erc20_approval_tx_parse_failed",
  "erc20_approval_tx_failed",
  "erc20_approval_broadcast_failed",
  "invalid_upto_evm_scheme",
  "invalid_upto_evm_network_mismatch",
  "invalid_upto_evm_payload_settlement_exceeds_amount",
  "invalid_upto_evm_transaction_failed",
  "upto_amount_exceeds_permitted",
  "upto_unauthorized_facilitator",
  "upto_facilitator_mismatch",
  "invalid_batch_settlement_evm_channel_not_found",
  "invalid_batch_settlement_evm_token_mismatch",
  "invalid_batch_settlement_evm_voucher_signature",
  "invalid_batch_settlement_evm_cumulative_exceeds_balance",
  "invalid_batch_settlement_evm_cumulative_below_claimed",
  "invalid_batch_settlement_evm_insufficient_balance",
  "invalid_batch_settlement_evm_deposit_transaction_failed",
  "invalid_batch_settlement_evm_claim_transaction_failed",
  "invalid_batch_settlement_evm_settle_transaction_failed",
  "invalid_batch_settlement_evm_scheme",
  "invalid_batch_settlement_evm_network_mismatch",
  "invalid_batch_settlement_evm_missing_eip712_domain",
  "invalid_batch_settlement_evm_payload_authorization_valid_before",
  "invalid_batch_settlement_evm_payload_authorization_valid_after",
  "invalid_batch_settlement_evm_receive_authorization_signature",
  "invalid_batch_settlement_evm_erc3009_authorization_required",
  "invalid_batch_settlement_evm_refund_transaction_failed",
  "invalid_batch_settlement_evm_payload_type",
  "invalid_batch_settlement_evm_withdraw_delay_out_of_range",
  "invalid_batch_settlement_evm_channel_id_mismatch",
  "invalid_batch_settlement_evm_channel_id_invalid",
  "invalid_batch_settlement_evm_receiver_mismatch",
  "invalid_batch_settlement_evm_receiver_authorizer_mismatch",
  "invalid_batch_settlement_evm_withdraw_delay_mismatch",
  "invalid_batch_settlement_evm_authorizer_address_mismatch",
  "invalid_batch_settlement_evm_authorizer_not_configured",
  "invalid_batch_settlement_evm_deposit_simulation_failed",
  "invalid_batch_settlement_evm_deposit_below_min_deposit",
  "invalid_batch_settlement_evm_eip6492_factory_not_allowed",
  "invalid_batch_settlement_evm_smart_wallet_deployment_failed",
  "invalid_batch_settlement_evm_claim_simulation_failed",
  "invalid_batch_settlement_evm_settle_simulation_failed",
  "invalid_batch_settlement_evm_nothing_to_settle",
  "invalid_batch_settlement_evm_refund_payload",
  "invalid_batch_settlement_evm_refund_simulation_failed",
  "invalid_batch_settlement_evm_rpc_read_failed",
  "invalid_batch_settlement_evm_permit2_authorization_required",
  "invalid_batch_settlement_evm_permit2_invalid_spender",
  "invalid_batch_settlement_evm_permit2_amount_mismatch",
  "invalid_batch_settlement_evm_permit2_deadline_expired",
  "invalid_batch_settlement_evm_permit2_invalid_signature",
  "invalid_batch_settlement_evm_permit2_allowance_required",
  "invalid_batch_settlement_evm_eip2612_amount_mismatch",
  "invalid_batch_settlement_evm_eip2612_owner_mismatch",
  "invalid_batch_settlement_evm_eip2612_asset_mismatch",
  "invalid_batch_settlement_evm_eip2612_spender_mismatch",
  "invalid_batch_settlement_evm_eip2612_deadline_expired",
  "invalid_batch_settlement_evm_erc20_approval_unavailable",
  "invalid_batch_settlement_evm_cumulative_amount_mismatch",
  "invalid_batch_settlement_evm_channel_busy",
  "invalid_batch_settlement_evm_verification_state_unavailable",
  "invalid_batch_settlement_evm_charge_exceeds_signed_cumulative",
  "invalid_batch_settlement_evm_missing_channel",
  "invalid_batch_settlement_evm_refund_no_balance",
  "invalid_batch_settlement_evm_refund_amount_invalid",
  "invalid_exact_svm_unsupported_scheme",
  "invalid_exact_svm_payload_transaction_could_not_be_decoded",
  "invalid_exact_svm_payload_transaction_instructions_length",
  "invalid_exact_svm_payload_transaction_instructions_compute_limit_instruction",
  "invalid_exact_svm_payload_transaction_instructions_compute_limit_instruction_too_high",
  "invalid_exact_svm_payload_transaction_instructions_compute_price_instruction",
  "invalid_exact_svm_payload_transaction_instructions_compute_price_instruction_too_high",
  "invalid_exact_svm_payload_transaction_fee_payer_transferring_funds",
  "invalid_exact_svm_payload_missing_fee_payer",
  "invalid_exact_svm_fee_payer_not_managed_by_facilitator",
  "invalid_exact_svm_smart_wallet_alt_resolution_not_available",
  "invalid_exact_svm_payload_no_transfer_instruction",
  "invalid_exact_svm_payload_unknown_fourth_instruction",
  "invalid_exact_svm_payload_unknown_fifth_instruction",
  "invalid_exact_svm_payload_unknown_sixth_instruction",
  "invalid_exact_svm_payload_unknown_seventh_instruction",
  "invalid_exact_svm_payload_unknown_optional_instruction",
  "invalid_exact_svm_payload_mint_mismatch",
  "invalid_exact_svm_payload_recipient_mismatch",
  "invalid_exact_svm_payload_amount_mismatch",
  "invalid_exact_svm_payload_memo_count",
  "invalid_exact_svm_payload_memo_mismatch",
  "invalid_exact_svm_signature",
  "invalid_exact_svm_transaction_simulation_failed",
  "invalid_exact_svm_transaction_failed",
  "transaction_expired",
  "duplicate_settlement",
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

/** Older and shorter spellings, which other facilitators and the protocol's text use. */
const SPELLINGS: Readonly<Record<string, Reason>> = {
  invalid_exact_evm_payload_signature: "invalid_exact_evm_signature",
  invalid_exact_evm_payload_recipient_mismatch: "invalid_exact_evm_recipient_mismatch",
  invalid_exact_evm_payload_authorization_value: "invalid_exact_evm_payload_authorization_value_mismatch",
  transaction_simulation_failed: "invalid_exact_svm_transaction_simulation_failed",
  unsupported_scheme: "invalid_scheme",
  nonce_already_used: "invalid_exact_evm_nonce_already_used",
};

/** The listed reason for a facilitator's own reason; `payment_refused` if it is not listed. */
export function toReason(word: string | null | undefined): Reason {
  const said = word ?? "";
  const spelling = Object.hasOwn(SPELLINGS, said) ? SPELLINGS[said] : undefined;
  return spelling ?? REASONS.find((reason) => reason === said) ?? "payment_refused";
}

/**
 * After these reasons, money may have moved. A nonce can have been spent by any account, perhaps by this gateway. An
 * unlisted reason may mean anything, for example a timeout after broadcast. A Permit2 simulation also fails for a spent
 * nonce, and under `exact` any account may have settled.
 */
const UNCLEAR: ReadonlySet<Reason> = new Set([
  "payment_refused",
  "duplicate_settlement",
  "invalid_exact_evm_nonce_already_used",
  "permit2_invalid_nonce",
  "permit2_simulation_failed",
  "invalid_batch_settlement_evm_deposit_simulation_failed",
  "invalid_batch_settlement_evm_refund_simulation_failed",
  "invalid_batch_settlement_evm_rpc_read_failed",
]);

const ON_CHAIN: ReadonlySet<Reason> = new Set([
  "invalid_exact_evm_transaction_failed",
  "invalid_exact_svm_transaction_failed",
  "invalid_upto_evm_transaction_failed",
  "invalid_batch_settlement_evm_deposit_transaction_failed",
  "invalid_batch_settlement_evm_claim_transaction_failed",
  "invalid_batch_settlement_evm_settle_transaction_failed",
  "invalid_batch_settlement_evm_refund_transaction_failed",
]);

/**
 * True if a settlement that was refused for `reason` moved no money for certain. This holds only for the first attempt
 * to settle: the refusal of a later attempt may be a consequence of the first. A transaction failed on the chain if
 * `transaction` has its hash. If `transaction` is empty, the broadcast failed, and a node may have taken the
 * transaction before that.
 */
export function isDefinite(reason: Reason, transaction: string): boolean {
  if (ON_CHAIN.has(reason)) return transaction !== "";
  return !UNCLEAR.has(reason);
}
