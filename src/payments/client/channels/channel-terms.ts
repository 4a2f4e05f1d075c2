import { type Address, isAddress, isZero } from "../../x402/address.ts";
import { checksumAddress } from "../../x402/address-hash.ts";
import { type ChannelConfig } from "../../x402/channel-messages.ts";
import { type PaymentRequirements } from "../../x402/messages.ts";

/** Channels that a wallet opens at one seller. As many requests can be paid at the same time. @bound */
export const MAX_SLOTS = 4;
/** The delays that the contract accepts, in seconds: 15 minutes to 30 days. */
const DELAY_S = { least: 900, most: 2_592_000 };
const UINT128_MAX = (1n << 128n) - 1n;

/** The parties and the delay of a seller's channels. */
export interface ChannelTerms {
  readonly receiver: Address;
  readonly receiverAuthorizer: Address;
  readonly token: Address;
  readonly withdrawDelay: number;
}

/** The terms of a channel for these requirements, or why no channel can be opened for them. */
export function channelTermsOf({ payTo, asset, amount, extra }: PaymentRequirements): ChannelTerms | string {
  const { receiverAuthorizer, withdrawDelay = DELAY_S.least } = extra;
  if (!isAddress(payTo) || isZero(payTo)) return "the receiver of the channel is not an account";
  if (!isAddress(asset)) return "the token is not a contract";
  if (typeof receiverAuthorizer !== "string" || !isAddress(receiverAuthorizer) || isZero(receiverAuthorizer))
    return "the receiver's authorizer is not an account";
  if (BigInt(amount) > UINT128_MAX) return "the price is too large";
  const isDelay =
    typeof withdrawDelay === "number" &&
    Number.isInteger(withdrawDelay) &&
    withdrawDelay >= DELAY_S.least &&
    withdrawDelay <= DELAY_S.most;
  if (!isDelay) return `the delay of withdrawals is not between ${DELAY_S.least} and ${DELAY_S.most} seconds`;
  return { receiver: payTo, receiverAuthorizer, token: asset, withdrawDelay };
}

/**
 * The channel of `payer` in the slot `slot`. It is the same without a record of the channel, so that a lost record can be
 * recovered from the server.
 */
export function configOf(terms: ChannelTerms, payer: Address, slot: number): ChannelConfig {
  return {
    payer: checksumAddress(payer),
    payerAuthorizer: checksumAddress(payer),
    receiver: checksumAddress(terms.receiver),
    receiverAuthorizer: checksumAddress(terms.receiverAuthorizer),
    token: checksumAddress(terms.token),
    withdrawDelay: terms.withdrawDelay,
    salt: `0x${slot.toString(16).padStart(64, "0")}`,
  };
}
