import { messageOf } from "../../lib/caught.ts";
import { type Stop } from "../../lib/time/stop.ts";
import { type ChainState, type Channel, type Channels } from "../../store/channels.ts";
import { type ChannelFacilitator, type ChannelSettlement } from "../x402/channel-facilitator.ts";
import { sameAddress } from "../x402/address.ts";
import { type ChannelOrder } from "../x402/channel-messages.ts";
import { type Batch, isDeniable, lossPossibleAt } from "./due.ts";
import { claimOrder } from "./orders.ts";
import { type ChannelSettings } from "./settings.ts";

/** Milliseconds between the refusals of the chain after which charges are written off, at least. @bound */
const REFUSED_MS = 60_000;

/**
 * Trouble with a channel. `reverting`: the chain refuses to claim it, and is asked again. `lost`: the payer has taken the money
 * before it was claimed; `denied`: the payer denies its voucher. The charges of both are written off.
 */
export type ChannelTrouble = "withdrawal" | "reverting" | "unclaimed" | "lost" | "denied";

export interface ClaimsOptions {
  readonly channels: Channels;
  readonly onTrouble: (channel: Channel, trouble: ChannelTrouble) => void;
  /** Called with the atomic units that were claimed. */
  readonly onClaimed: (channel: Channel, amount: bigint) => void;
  /** Unix milliseconds. */
  readonly clock: () => number;
  readonly log: (message: string) => void;
}

/** Reasons of the chain against the rows of a claim, or against the claim of a refund. */
const REFUSED: ReadonlySet<string> = new Set([
  "invalid_batch_settlement_evm_claim_simulation_failed",
  "invalid_batch_settlement_evm_claim_transaction_failed",
  "invalid_batch_settlement_evm_refund_simulation_failed",
  "invalid_batch_settlement_evm_refund_transaction_failed",
]);

/** True if the chain's refusal is not explained by a key of the seller that is another one now. */
export function isRefused(channel: Channel, reason: string, authorizer: ChannelSettings["authorizer"]): boolean {
  return REFUSED.has(reason) && sameAddress(channel.receiverAuthorizer, authorizer.address);
}

interface Claimed {
  readonly claimed: number;
  /** Channels of claims without a result: they are claimed again. */
  readonly open: readonly Channel[];
}

const STOPPED: ChannelSettlement = { kind: "unknown", cause: "the gateway stops", transaction: "" };

/** Makes claims of leased channels, and writes off what the chain does not give. */
export class Claims {
  readonly #options: ClaimsOptions;
  readonly #stop: Stop;

  /** After the stop, calls of a facilitator are not awaited: another process makes the same claim again. */
  constructor(options: ClaimsOptions, stop: Stop) {
    this.#options = options;
    this.#stop = stop;
  }

  /** Claims a batch. Rows that the chain refuses are left out. */
  async claim(batch: Batch, facilitator: ChannelFacilitator, settings: ChannelSettings): Promise<Claimed> {
    const { channels, onClaimed, onTrouble, log } = this.#options;
    const made = await this.settle(facilitator, () => claimOrder(batch, settings.authorizer));
    if (made.kind === "settled") {
      for (const channel of batch) {
        const state: ChainState = { ...channel, claimed: channel.charged };
        // oxlint-disable-next-line no-await-in-loop -- the file takes one write at a time
        await channels.done(channel.id, state, channel.syncedAt);
        onClaimed(channel, BigInt(channel.charged) - BigInt(channel.claimed));
      }
      return { claimed: batch.length, open: [] };
    }
    if (made.kind === "unknown") {
      log(`channels: a claim of ${batch.length} channels is open: ${made.cause}`);
      for (const channel of batch) onTrouble(channel, "unclaimed");
      return { claimed: 0, open: batch };
    }
    log(`channels: a claim of ${batch.length} channels was refused: ${made.reason}`);
    const named = new Set<string>(made.reverting?.map((id) => id.toLowerCase()));
    // If a claim of a single channel is refused, that channel is bad, whatever the refusal names.
    const bad = batch.length === 1 ? batch : batch.filter(({ id }) => named.has(id));
    for (const channel of bad) {
      // oxlint-disable-next-line no-await-in-loop -- the file takes one write at a time
      await this.refuse(channel, isRefused(channel, made.reason, settings.authorizer));
    }
    return await this.#claimParts(
      batch.filter((channel) => !bad.includes(channel)),
      bad.length > 0,
      (part) => this.claim(part, facilitator, settings),
    );
  }

  /** Claims the rest of a batch. A facilitator that names no rows gets halves. */
  async #claimParts(
    good: readonly Channel[],
    isWhole: boolean,
    claim: (part: Batch) => Promise<Claimed>,
  ): Promise<Claimed> {
    const half = isWhole ? good.length : Math.ceil(good.length / 2);
    const open: Channel[] = [];
    let claimed = 0;
    for (const part of [good.slice(0, half), good.slice(half)]) {
      const [first, ...others] = part;
      if (first === undefined) continue;
      // oxlint-disable-next-line no-await-in-loop -- one transaction after the other
      const made = await claim([first, ...others]);
      claimed += made.claimed;
      open.push(...made.open);
    }
    return { claimed, open };
  }

  /**
   * The chain refuses a channel. Its lease runs on, so that all others are due before it. If the chain says so again, and
   * no node that lags behind can explain it, its charges are written off: they count no more as risk.
   */
  async refuse(channel: Channel, isByChain: boolean): Promise<void> {
    const { channels, clock, onTrouble } = this.#options;
    const now = clock();
    const isAgain = channel.refusedAt > 0 && now - channel.refusedAt >= REFUSED_MS;
    const isFinal = isAgain && isByChain && (isDeniable(channel) || now >= lossPossibleAt(channel));
    if (isFinal && (await channels.writeOff(channel.id))) {
      onTrouble(channel, isDeniable(channel) ? "denied" : "lost");
      return;
    }
    if (isByChain) await channels.refuse(channel.id);
    onTrouble(channel, "reverting");
  }

  /** Ends the leases of channels of which nothing new is known. */
  async giveUp(batch: readonly Channel[]): Promise<void> {
    const { channels } = this.#options;
    for (const channel of batch) {
      // oxlint-disable-next-line no-await-in-loop -- the file takes one write at a time
      await channels.done(channel.id, undefined, 0);
    }
  }

  async settle(facilitator: ChannelFacilitator, make: () => ChannelOrder): Promise<ChannelSettlement> {
    try {
      const order = make();
      return await this.#stop.orElse(facilitator.settle(order, { ...order.accepted }), STOPPED);
    } catch (error) {
      return { kind: "unknown", cause: messageOf(error), transaction: "" };
    }
  }
}
