import { type Channel, MAX_CHANNEL_DIGITS, NO_AUTHORIZER, type Risk, type WorkTerms } from "../../store/channels.ts";
import { atomicOf } from "../x402/atomic-of.ts";
import { type ChannelSettings } from "./settings.ts";
import { smallest } from "../../lib/extremes.ts";

/** More than any channel can owe. */
const UNLIMITED = 10n ** BigInt(MAX_CHANNEL_DIGITS) - 1n;

/**
 * Channels of one network, receiver and token: one order claims them. A payer without an authorizer may be a contract, which
 * can deny its voucher in the block after the simulation: its channel is a batch of its own.
 */
export type Batch = readonly [Channel, ...Channel[]];

/** True if the payer of a channel can deny its vouchers: it signs for itself, and may be or become a contract. */
export function isDeniable({ payerAuthorizer }: Pick<Channel, "payerAuthorizer">): boolean {
  return payerAuthorizer === NO_AUTHORIZER;
}

/** The sum of charges from which a channel is claimed. A payer that can deny it is claimed long before its bound. */
function limitOf(
  { claim, contracts }: ChannelSettings["keys"],
  token: Pick<Risk, "network" | "token">,
  deniable: boolean,
): bigint {
  const usual = atomicOf(claim.amount, token) ?? UNLIMITED;
  const own = deniable ? (atomicOf(contracts.max_risk, token) ?? UNLIMITED) / 2n : usual;
  return smallest(own, usual);
}

/** The terms by which the store looks for work, the strictest of all tokens. `isDue` judges each channel. */
export function termsOf({ keys }: ChannelSettings, risks: readonly Risk[], now: number): WorkTerms {
  const { claim, fresh_s: freshS, withdraw_delay_s: delayS } = keys;
  const least = (deniable: boolean): string =>
    String(risks.reduce((limit, risk) => smallest(limit, limitOf(keys, risk, deniable)), UNLIMITED));
  return {
    charges: claim.charges,
    owed: least(false),
    deniable: least(true),
    owedBefore: now - Math.min(claim.age_s, delayS / 2) * 1000,
    syncedBefore: now - Math.min(freshS, delayS / 3) * 1000,
  };
}

/** True if the charges of a channel are to be claimed now. Others were only to be looked at. */
export function isDue(channel: Channel, { keys }: ChannelSettings, { charges, owedBefore }: WorkTerms): boolean {
  const owed = BigInt(channel.charged) - BigInt(channel.claimed);
  if (owed <= 0n || channel.signature === "") return false;
  if (channel.withdrawAt > 0 || channel.refusedAt > 0) return true;
  if (channel.charges >= charges || channel.owedSince <= owedBefore) return true;
  return owed >= limitOf(keys, channel, isDeniable(channel));
}

/** The channels in groups, each of which one order can claim. */
export function batchesOf(channels: readonly Channel[]): readonly Batch[] {
  // The other channels do not wait for contracts.
  const inOrder = channels.toSorted((a, b) => Number(isDeniable(a)) - Number(isDeniable(b)));
  const batches = Map.groupBy(inOrder, (channel) =>
    isDeniable(channel) ? channel.id : `${channel.network} ${channel.receiver} ${channel.token}`,
  );
  return [...batches.values()].flatMap(([first, ...others]) =>
    first === undefined ? [] : [[first, ...others] as const],
  );
}

/**
 * The Unix milliseconds before which the contract lets no payer take what it owes: a withdrawal has its delay, and there was
 * none when the chain was asked.
 */
export function lossPossibleAt({ withdrawAt, syncedAt, withdrawDelay }: Channel): number {
  return (withdrawAt > 0 ? withdrawAt * 1000 : syncedAt) + withdrawDelay * 1000;
}
