import { NewestMap } from "../../../../../lib/memory/newest-map.ts";
import { isWithin } from "../../../../../lib/time/is-within.ts";
import { isDeniable } from "../../../../../payments/channels/due.ts";
import { type ChannelSettings } from "../../../../../payments/channels/settings.ts";
import { atomicOf } from "../../../../../payments/x402/atomic-of.ts";
import {
  type Channel,
  type Channels,
  CHANNEL_SCHEME,
  channelNonce,
  channelOf,
  type Risk,
} from "../../../../../store/channels.ts";
import { type Change, type Ledger, type Payment, type PaymentState } from "../../../../../store/ledger.ts";
import { ChannelTurns } from "./channel-turns.ts";
import { LookLimit } from "./look-limit.ts";

/** Milliseconds for which the sum of all risks is not counted again. @bound @internal */
export const RISK_MS = 2000;

/** Charges that are not made yet, and milliseconds for which one counts: another process may make it. @bound @internal */
const MAX_OPEN = 10_000;
export const OPEN_MS = 900_000;

/** The states of a payment whose charge is in the sum of all risks, or will never be. */
const ENDED: ReadonlySet<PaymentState> = new Set(["settled", "released", "failed"]);

/** The states of a payment that does not hold its channel. */
const FREE: ReadonlySet<PaymentState> = new Set(["settled", "deferred", "released", "failed"]);

interface Counted {
  readonly at: number;
  readonly risks: Promise<readonly Risk[]>;
  /** The charges that this process had not made then, and those that it has admitted since. */
  readonly added: Map<string, bigint>;
}

interface Admitted {
  readonly key: string;
  readonly amount: bigint;
  readonly at: number;
}

/** The channels of a process: their rows, the requests that wait for them, and the bounds of the seller's risk. */
export class ChannelDesk {
  readonly settings: ChannelSettings;
  readonly channels: Channels;
  readonly turns = new ChannelTurns();
  readonly looks: LookLimit;
  readonly #clock: () => number;
  readonly #steady: () => number;
  /** By the nonces of their payments. */
  readonly #open = new NewestMap<string, Admitted>(MAX_OPEN);
  #risks: Counted | undefined;

  /** `clock` gives Unix milliseconds, and `steady` monotonic ones. */
  constructor(
    settings: ChannelSettings,
    channels: Channels,
    clock: () => number,
    steady: () => number = () => performance.now(),
  ) {
    this.settings = settings;
    this.channels = channels;
    this.#clock = clock;
    this.#steady = steady;
    this.looks = new LookLimit(steady);
  }

  /** True if a voucher is taken without a question to the chain. */
  isFresh({ syncedAt, withdrawDelay }: Channel): boolean {
    const freshMs = Math.min(this.settings.keys.fresh_s, withdrawDelay / 3) * 1000;
    return isWithin(syncedAt, freshMs, this.#clock());
  }

  /**
   * True if a further charge of `amount` exceeds what the seller risks in this channel or in all of its token; if not, it counts.
   * Payers that can deny their vouchers have a bound of their own, so that they stop no sale to others.
   */
  async isTooRisky(channel: Channel, amount: string): Promise<boolean> {
    const isOfContract = isDeniable(channel);
    const { max_risk, max_total_risk } = isOfContract ? this.settings.keys.contracts : this.settings.keys;
    const own = BigInt(channel.base) - BigInt(channel.claimed) + BigInt(amount);
    const [most, mostInAll] = [atomicOf(max_risk, channel), atomicOf(max_total_risk, channel)];
    if (most !== undefined && own > most) return true;
    if (mostInAll === undefined) return false;
    const { risks, added } = this.#counted();
    const { network, token } = channel;
    const risk = (await risks).find((one) => one.network === network && one.token === token);
    const deniable = BigInt(risk?.deniable ?? 0);
    const key = `${network} ${token} ${isOfContract}`;
    const admitted = { key, amount: BigInt(amount), at: this.#steady() };
    const more = (added.get(key) ?? 0n) + admitted.amount;
    if ((isOfContract ? deniable : BigInt(risk?.owed ?? 0) - deniable) + more > mostInAll) return true;
    added.set(key, more);
    this.#open.set(channelNonce(channel.id, channel.base), admitted);
    return false;
  }

  /** The same ledger, which also tells the requests that wait when a channel is free. */
  watching(ledger: Ledger): Ledger {
    return {
      reserve: (reservation, maxPartials) => ledger.reserve(reservation, maxPartials),
      move: async (payment, change) => {
        try {
          return await ledger.move(payment, change);
        } finally {
          this.#moved(payment, change);
        }
      },
      deliver: (payment) => ledger.deliver(payment),
      repeat: (payment, most) => ledger.repeat(payment, most),
      find: (key) => ledger.find(key),
      claimOpen: (limit) => ledger.claimOpen(limit),
      claimDue: (limit) => ledger.claimDue(limit),
      close: () => ledger.close(),
    };
  }

  #moved({ scheme, nonce }: Pick<Payment, "scheme" | "nonce">, { state }: Change): void {
    if (scheme !== CHANNEL_SCHEME) return;
    if (ENDED.has(state)) this.#open.delete(nonce);
    if (FREE.has(state)) this.turns.leave(channelOf(nonce), nonce);
  }

  #openSums(now: number): Map<string, bigint> {
    const sums = new Map<string, bigint>();
    for (const [nonce, { key, amount, at }] of this.#open) {
      if (now - at > OPEN_MS) this.#open.delete(nonce);
      else sums.set(key, (sums.get(key) ?? 0n) + amount);
    }
    return sums;
  }

  #counted(): Counted {
    const at = this.#steady();
    if (this.#risks !== undefined && at - this.#risks.at <= RISK_MS) return this.#risks;
    const counted: Counted = { at, risks: this.channels.risks(), added: this.#openSums(at) };
    this.#risks = counted;
    counted.risks.catch(() => {
      if (this.#risks === counted) this.#risks = undefined;
    });
    return counted;
  }
}
