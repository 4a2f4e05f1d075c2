import { CHANNEL_SCHEME, type ChainState, type Channel, type ChannelIdentity } from "../../store/channels.ts";
import { type Address, type Hex } from "../x402/address.ts";
import { type ChannelFacilitator, type ChannelState, type ChannelVerification } from "../x402/channel-facilitator.ts";
import { type ChannelConfig, type ChannelPayment, type ChannelRequirements } from "../x402/channel-messages.ts";

/** The state of a channel as the store keeps it. */
export function toChainState(state: ChannelState): ChainState {
  return {
    balance: String(state.balance),
    claimed: String(state.totalClaimed),
    withdrawAt: state.withdrawRequestedAt,
    refundNonce: String(state.refundNonce),
  };
}

/** The unchanging part of a channel as the store keeps it. */
export function identityOf(network: string, id: string, config: ChannelConfig): ChannelIdentity {
  const { payer, payerAuthorizer, receiver, receiverAuthorizer, token, withdrawDelay, salt } = config;
  return {
    id: id.toLowerCase(),
    network,
    payer: payer.toLowerCase(),
    payerAuthorizer: payerAuthorizer.toLowerCase(),
    receiver: receiver.toLowerCase(),
    receiverAuthorizer: receiverAuthorizer.toLowerCase(),
    token: token.toLowerCase(),
    withdrawDelay,
    salt: salt.toLowerCase(),
  };
}

function address(text: string): Address {
  return `0x${text.slice(2)}`;
}

/** The config of a stored channel. Its members were addresses when it was stored. */
export function configOf(identity: ChannelIdentity): ChannelConfig {
  return {
    payer: address(identity.payer),
    payerAuthorizer: address(identity.payerAuthorizer),
    receiver: address(identity.receiver),
    receiverAuthorizer: address(identity.receiverAuthorizer),
    token: address(identity.token),
    withdrawDelay: identity.withdrawDelay,
    salt: address(identity.salt),
  };
}

/** The requirements of a seller's own orders for a channel. */
export function orderRequirements(identity: ChannelIdentity): ChannelRequirements {
  const { network, token, receiver, receiverAuthorizer, withdrawDelay } = identity;
  return {
    scheme: CHANNEL_SCHEME,
    network,
    amount: "0",
    asset: token,
    payTo: receiver,
    maxTimeoutSeconds: 0,
    extra: { receiverAuthorizer, withdrawDelay },
  };
}

/** The newest voucher of a channel. */
export function voucherOf({ id, signed, signature }: Pick<Channel, "id" | "signed" | "signature">): {
  readonly channelId: Hex;
  readonly maxClaimableAmount: string;
  readonly signature: Hex;
} {
  return { channelId: `0x${id.slice(2)}`, maxClaimableAmount: signed, signature: `0x${signature.slice(2)}` };
}

/** Asks the chain for the state of a channel that has a voucher: a refund of nothing more is checked, and not made. */
export async function lookAt(facilitator: ChannelFacilitator, channel: Channel): Promise<ChannelVerification> {
  const accepted = orderRequirements(channel);
  const payment: ChannelPayment = {
    x402Version: 2,
    accepted,
    payload: { type: "refund", channelConfig: configOf(channel), voucher: voucherOf(channel) },
  };
  return facilitator.verify(payment, accepted);
}
