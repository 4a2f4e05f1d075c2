import { NewestMap } from "../../lib/memory/newest-map.ts";
import { isWithin } from "../../lib/time/is-within.ts";
import { type Channel } from "../../store/channels.ts";
import { type ChannelFacilitator } from "../x402/channel-facilitator.ts";
import { type Claims, type ClaimsOptions } from "./claims.ts";
import { settleOrder } from "./orders.ts";

/** Channels whose receivers are looked for, the newest, and receivers that are known. @bound */
const MAX_CHANNELS = 1000;
/** Milliseconds after a transfer without a result until the next one. @bound */
const RETRY_MS = 60_000;

interface Receiver {
  readonly channel: Channel;
  /** Money was claimed for it since it was last asked for. */
  hasClaims: boolean;
  /** Unix milliseconds of the last transfer, of the last question that found no money, and of the last one without a result. */
  movedAt?: number;
  emptyAt?: number;
  openAt?: number;
}

export interface TransfersOptions extends Pick<ClaimsOptions, "channels" | "clock" | "log"> {
  readonly facilitator: (channel: Channel) => ChannelFacilitator | undefined | Promise<ChannelFacilitator | undefined>;
}

/**
 * Sends claimed money to its receivers, seldom: a transfer costs gas, and nothing is at risk. The facilitator is also asked for
 * money that refunds or other processes have claimed.
 */
export class Transfers {
  readonly #options: TransfersOptions;
  readonly #claims: Claims;
  readonly #receivers = new NewestMap<string, Receiver>(MAX_CHANNELS);
  /** Unix milliseconds. */
  #listedAt: number | undefined;

  constructor(options: TransfersOptions, claims: Claims) {
    this.#options = options;
    this.#claims = claims;
  }

  claimed(channel: Channel): void {
    this.#receiverOf(channel).hasClaims = true;
  }

  /** Makes the transfers that are due; at the end all. */
  async make(settleS: number, isLast = false): Promise<void> {
    const { channels, clock } = this.#options;
    const isDue = (at: number | undefined, ms = settleS * 1000): boolean =>
      isLast || at === undefined || !isWithin(at, ms, clock());
    if (isDue(this.#listedAt)) {
      for (const channel of await channels.list(undefined, MAX_CHANNELS)) this.#receiverOf(channel);
      this.#listedAt = clock();
    }
    for (const receiver of this.#receivers.values()) {
      const { movedAt, emptyAt, openAt, hasClaims } = receiver;
      // oxlint-disable-next-line no-await-in-loop -- one transaction after the other
      if (isDue(movedAt) && (hasClaims || isDue(emptyAt)) && isDue(openAt, RETRY_MS)) await this.#send(receiver);
    }
  }

  #receiverOf(channel: Channel): Receiver {
    const key = `${channel.network} ${channel.receiver} ${channel.token}`;
    return this.#receivers.getOrInsertComputed(key, () => ({ channel, hasClaims: false }));
  }

  async #send(receiver: Receiver): Promise<void> {
    const { facilitator: facilitatorOf, clock, log } = this.#options;
    const facilitator = await facilitatorOf(receiver.channel);
    const made = facilitator && (await this.#claims.settle(facilitator, () => settleOrder(receiver.channel)));
    if (made?.kind === "unknown") {
      log(`channels: a transfer of claimed money is open: ${made.cause}`);
      receiver.openAt = clock();
      return;
    }
    receiver.hasClaims = false;
    if (made?.kind === "settled") receiver.movedAt = clock();
    else receiver.emptyAt = clock();
  }
}
