import { isDeniable } from "../../../../../payments/channels/due.ts";
import { type ChannelSettings, atomicOf } from "../../../../../payments/channels/settings.ts";
import { type Channel, type Channels, CHANNEL_SCHEME, channelOf, type Risk } from "../../../../../store/channels.ts";
import { type Change, type Ledger, type Payment, type PaymentState } from "../../../../../store/ledger.ts";
import { ChannelTurns } from "./channel-turns.ts";
import { LookLimit } from "./look-limit.ts";

/** Milliseconds for which the sum of all risks is not counted again. @bound */
const RISK_MS = 2000;

/** The states of a payment that does not hold its channel. */
const FREE: ReadonlySet<PaymentState> = new Set(["settled", "deferred", "released", "failed"]);

interface Counted {
  readonly at: number;
  readonly risks: Promise<readonly Risk[]>;
  /** The charges that this process has admitted since. */
  readonly added: Map<string, bigint>;
}

/** The channels of a process: their rows, the requests that wait for them, and the bounds of the seller's risk. */
export class ChannelDesk {
  readonly settings: ChannelSettings;
  readonly channels: Channels;
  readonly turns = new ChannelTurns();
  readonly looks: LookLimit;
  readonly #clock: () => number;
  #risks: Counted | undefined;

  /** `clock` gives Unix milliseconds. */
  constructor(settings: ChannelSettings, channels: Channels, clock: () => number) {
    this.settings = settings;
    this.channels = channels;
    this.#clock = clock;
    this.looks = new LookLimit(clock);
  }

  /** True if a voucher is taken without a question to the chain. */
  isFresh({ syncedAt, withdrawDelay }: Channel): boolean {
    const freshMs = Math.min(this.settings.keys.fresh_s, withdrawDelay / 3) * 1000;
    return this.#clock() - syncedAt < freshMs;
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
    const more = (added.get(key) ?? 0n) + BigInt(amount);
    if ((isOfContract ? deniable : BigInt(risk?.owed ?? 0) - deniable) + more > mostInAll) return true;
    added.set(key, more);
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
    if (scheme === CHANNEL_SCHEME && FREE.has(state)) this.turns.leave(channelOf(nonce), nonce);
  }

  #counted(): Counted {
    const at = this.#clock();
    if (this.#risks !== undefined && at - this.#risks.at <= RISK_MS) return this.#risks;
    const counted: Counted = { at, risks: this.channels.risks(), added: new Map() };
    this.#risks = counted;
    counted.risks.catch(() => {
      if (this.#risks === counted) this.#risks = undefined;
    });
    return counted;
  }
}
