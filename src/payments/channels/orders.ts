import { type Channel } from "../../store/channels.ts";
import { type Account, signHash } from "../signatures/signature.ts";
import { claimBatchHash, refundHash } from "../signatures/batch-settlement.ts";
import { type Claim, type ChannelOrder } from "../x402/channel-messages.ts";
import { parseEvmNetwork } from "../x402/networks.ts";
import { configOf, orderRequirements, voucherOf } from "./chain-state.ts";

/** The charges of a channel so far, by its newest voucher. */
function claimOf(channel: Channel): Claim {
  const { maxClaimableAmount, signature } = voucherOf(channel);
  return {
    voucher: { channel: configOf(channel), maxClaimableAmount },
    signature,
    totalClaimed: channel.charged,
  };
}

/** An order to claim the charges of channels of one network, signed by the seller's key. */
export function claimOrder(channels: readonly [Channel, ...Channel[]], authorizer: Account): ChannelOrder {
  const claims = channels.map(claimOf);
  const hash = claimBatchHash(networkOf(channels[0]), claims);
  const claimAuthorizerSignature = signHash(hash, authorizer.privateKey);
  const accepted = orderRequirements(channels[0]);
  return { x402Version: 2, accepted, payload: { type: "claim", claims, claimAuthorizerSignature } };
}

/** An order to send what was claimed to the receiver. */
export function settleOrder(channel: Channel): ChannelOrder {
  const { receiver, token } = configOf(channel);
  return { x402Version: 2, accepted: orderRequirements(channel), payload: { type: "settle", receiver, token } };
}

/** An order to pay `amount` back, and to claim before what is charged. */
export function refundOrder(channel: Channel, amount: string, authorizer: Account): ChannelOrder {
  const network = networkOf(channel);
  const voucher = voucherOf(channel);
  const claims = BigInt(channel.charged) > BigInt(channel.claimed) ? [claimOf(channel)] : [];
  const sign = (hash: Uint8Array) => signHash(hash, authorizer.privateKey);
  return {
    x402Version: 2,
    accepted: orderRequirements(channel),
    payload: {
      type: "refund",
      channelConfig: configOf(channel),
      voucher,
      amount,
      refundNonce: channel.refundNonce,
      claims,
      refundAuthorizerSignature: sign(refundHash(network, voucher.channelId, channel.refundNonce, amount)),
      claimAuthorizerSignature: sign(claimBatchHash(network, claims)),
    },
  };
}

function networkOf({ network: name }: Channel) {
  const network = parseEvmNetwork(name);
  if (network === undefined) throw new Error(`a channel is on the unknown network ${name}`);
  return network;
}
