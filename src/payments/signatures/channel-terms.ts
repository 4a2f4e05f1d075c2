import { sameAddress } from "../x402/address.ts";
import { type ChannelConfig, type ChannelRequirements } from "../x402/channel-messages.ts";
import { parseEvmNetwork } from "../x402/networks.ts";
import { type Reason } from "../x402/reasons.ts";
import { channelId, isZero } from "./batch-settlement.ts";

/** The delays that the contract accepts, in seconds: 15 minutes to 30 days. */
const WITHDRAW_DELAY_S = { least: 900, most: 2_592_000 } as const;

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
  if (withdrawDelay !== undefined && config.withdrawDelay !== Number(withdrawDelay)) {
    return "invalid_batch_settlement_evm_withdraw_delay_mismatch";
  }
  if (config.withdrawDelay < WITHDRAW_DELAY_S.least || config.withdrawDelay > WITHDRAW_DELAY_S.most) {
    return "invalid_batch_settlement_evm_withdraw_delay_out_of_range";
  }
  return undefined;
}
