import { isAddress, sameAddress, isZero } from "../x402/address.ts";
import { type ChannelConfig, type ChannelRequirements, type Deposit } from "../x402/channel-messages.ts";
import { parseEvmNetwork } from "../x402/networks.ts";
import { type Reason } from "../x402/reasons.ts";
import { channelId } from "./batch-settlement.ts";
import { COLLECTORS, type DepositTerms } from "./channel-deposit.ts";

/** The delays that the contract accepts, in seconds: 15 minutes to 30 days. */
const WITHDRAW_DELAY_S = { least: 900, most: 2_592_000 } as const;
/** The remaining validity that a deposit needs so that it can be settled in time, in seconds. */
const SETTLEMENT_GUARD_S = 6n;

/** Checks that `config` is the channel of this id, and one that `requirements` ask for. */
export function checkChannelTerms(
  config: ChannelConfig,
  id: string,
  { network: name, payTo, asset, extra }: ChannelRequirements,
): Reason | undefined {
  const network = parseEvmNetwork(name);
  if (network === undefined) return "invalid_batch_settlement_evm_network_mismatch";
  if (channelId(network, config) !== id.toLowerCase()) return "invalid_batch_settlement_evm_channel_id_mismatch";
  if (!sameAddress(config.receiver, payTo)) return "invalid_batch_settlement_evm_receiver_mismatch";
  const { receiverAuthorizer, withdrawDelay } = extra;
  const isTheirs = typeof receiverAuthorizer === "string" && sameAddress(config.receiverAuthorizer, receiverAuthorizer);
  if (!isTheirs || isZero(config.receiverAuthorizer))
    return "invalid_batch_settlement_evm_receiver_authorizer_mismatch";
  if (!sameAddress(config.token, asset)) return "invalid_batch_settlement_evm_token_mismatch";
  // A client can name any JSON as terms that a route had before.
  const delay = typeof withdrawDelay === "string" ? Number(withdrawDelay) : withdrawDelay;
  if (delay !== undefined && config.withdrawDelay !== delay) {
    return "invalid_batch_settlement_evm_withdraw_delay_mismatch";
  }
  if (config.withdrawDelay < WITHDRAW_DELAY_S.least || config.withdrawDelay > WITHDRAW_DELAY_S.most) {
    return "invalid_batch_settlement_evm_withdraw_delay_out_of_range";
  }
  return undefined;
}

/** The terms that a deposit's authorization must be for. A reason if the requirements do not name the token's domain. */
export function depositTermsOf(deposit: Deposit, requirements: ChannelRequirements): DepositTerms | Reason {
  const { extra, asset, network: name } = requirements;
  const network = parseEvmNetwork(name);
  const isErc3009 = "erc3009Authorization" in deposit.deposit.authorization;
  const method = extra["assetTransferMethod"] ?? (isErc3009 ? "eip3009" : "permit2");
  if (method !== (isErc3009 ? "eip3009" : "permit2")) return "invalid_batch_settlement_evm_payload_type";
  const { name: title, version } = extra;
  const isNamed = typeof title === "string" && typeof version === "string";
  if (network === undefined || !isAddress(asset) || (isErc3009 && !isNamed)) {
    return "invalid_batch_settlement_evm_missing_eip712_domain";
  }
  return {
    network,
    payer: deposit.channelConfig.payer,
    asset: { address: asset, name: isNamed ? title : "", version: isNamed ? version : "" },
    channelId: deposit.voucher.channelId,
    amount: deposit.deposit.amount,
  };
}

/** Checks a deposit's authorization without its signature: parties, amount and times. `now`: Unix seconds. */
export function checkDepositTerms({ deposit }: Deposit, terms: DepositTerms, now: number): Reason | undefined {
  const { authorization } = deposit;
  const time = BigInt(Math.floor(now));
  if ("erc3009Authorization" in authorization) {
    const { validAfter, validBefore } = authorization.erc3009Authorization;
    if (BigInt(validBefore) < time + SETTLEMENT_GUARD_S) {
      return "invalid_batch_settlement_evm_payload_authorization_valid_before";
    }
    const isEarly = BigInt(validAfter) > time;
    return isEarly ? "invalid_batch_settlement_evm_payload_authorization_valid_after" : undefined;
  }
  const { from, spender, permitted, deadline, witness } = authorization.permit2Authorization;
  if (!sameAddress(from, terms.payer)) return "invalid_batch_settlement_evm_permit2_invalid_signature";
  if (!sameAddress(spender, COLLECTORS.permit2)) return "invalid_batch_settlement_evm_permit2_invalid_spender";
  if (!sameAddress(permitted.token, terms.asset.address)) return "invalid_batch_settlement_evm_token_mismatch";
  if (BigInt(permitted.amount) !== BigInt(terms.amount)) return "invalid_batch_settlement_evm_permit2_amount_mismatch";
  if (!sameAddress(witness.channelId, terms.channelId)) return "invalid_batch_settlement_evm_channel_id_mismatch";
  if (BigInt(deadline) < time + SETTLEMENT_GUARD_S) return "invalid_batch_settlement_evm_permit2_deadline_expired";
  return undefined;
}

/** Undefined if the channel has the money for a voucher. */
export function checkFunds(maxClaimableAmount: string, { balance }: { readonly balance: bigint }): Reason | undefined {
  if (balance === 0n) return "invalid_batch_settlement_evm_channel_not_found";
  if (BigInt(maxClaimableAmount) > balance) return "invalid_batch_settlement_evm_cumulative_exceeds_balance";
  return undefined;
}

/** Checks a voucher's amount against the channel. `balance`: with the deposit that comes with it. */
export function checkCumulative(
  maxClaimableAmount: string,
  { balance, totalClaimed }: { readonly balance: bigint; readonly totalClaimed: bigint },
  isRefund = false,
): Reason | undefined {
  const unfunded = checkFunds(maxClaimableAmount, { balance });
  if (unfunded !== undefined) return unfunded;
  const most = BigInt(maxClaimableAmount);
  const isBelow = isRefund ? most < totalClaimed : most <= totalClaimed;
  return isBelow ? "invalid_batch_settlement_evm_cumulative_below_claimed" : undefined;
}
