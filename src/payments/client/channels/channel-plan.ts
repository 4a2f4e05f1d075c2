import { largest } from "../../../lib/extremes.ts";
import { type Address, type Hex } from "../../x402/address.ts";
import { type EvmNetwork } from "../../x402/networks.ts";
import { type PaymentRequirements } from "../../x402/messages.ts";
import { isAtomic } from "../../x402/price.ts";
import { channelId } from "../../signatures/batch-settlement.ts";
import { type ChannelConfig } from "../../x402/channel-messages.ts";
import { type Channel, liveAmount } from "./channel-file.ts";
import { type ChannelTerms, configOf, MAX_SLOTS } from "./channel-terms.ts";

/** Prices that a deposit pays for, if the server does not say how much it should be. */
const DEPOSIT_PRICES = 10n;

/** A place for a channel at a seller. `channel` is undefined if the wallet has no record of it. */
export interface Slot {
  readonly id: Hex;
  readonly config: ChannelConfig;
  readonly channel: Channel | undefined;
}

/** The places for channels of one wallet with these terms. */
export function slotsOf(
  terms: ChannelTerms,
  { network, payer }: { readonly network: EvmNetwork; readonly payer: Address },
  channels: readonly Channel[],
): readonly Slot[] {
  return Array.from({ length: MAX_SLOTS }, (_, slot) => {
    const config = configOf(terms, payer, slot);
    const id = channelId(network, config);
    return { id, config, channel: channels.find((candidate) => candidate.id === id) };
  });
}

/** The amount that a channel lacks for a price: 0 if its balance suffices, also with a deposit that is under way. */
export function neededFor(channel: Channel | undefined, price: bigint, now: number): bigint {
  if (channel === undefined) return price;
  const missing = BigInt(channel.charged) + price - BigInt(channel.balance) - liveAmount(channel.deposit, now);
  return largest(missing, 0n);
}

/** The deposit to make: at least `needed`, at most `available`, within them what the server asks for. Undefined if `needed` is not available. */
export function depositOf(
  { amount, extra }: PaymentRequirements,
  needed: bigint,
  available: bigint,
): bigint | undefined {
  if (needed > available) return undefined;
  const { minDeposit } = extra;
  const asked = typeof minDeposit === "string" && isAtomic(minDeposit) ? BigInt(minDeposit) : 0n;
  const target = asked >= BigInt(amount) ? asked : DEPOSIT_PRICES * BigInt(amount);
  const wanted = largest(target, needed);
  return wanted > available ? available : wanted;
}
