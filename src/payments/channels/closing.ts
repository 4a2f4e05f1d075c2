import { isWithin } from "../../lib/time/is-within.ts";
import { type Channel } from "../../store/channels.ts";
import { type ChannelFacilitator } from "../x402/channel-facilitator.ts";
import { toChainState } from "./chain-state.ts";
import { type Claims, type ClaimsOptions, isRefused } from "./claims.ts";
import { refundOrder, settleOrder } from "./orders.ts";
import { type ChannelSettings } from "./settings.ts";

/** Pays the rest of closing channels back, and sends to receivers what was claimed. */
export class Closing {
  readonly #options: Pick<ClaimsOptions, "channels" | "clock" | "log">;
  readonly #claims: Claims;
  /** Unix milliseconds of the last transfer to each receiver. */
  readonly #settledAt = new Map<string, number>();

  constructor(options: Pick<ClaimsOptions, "channels" | "clock" | "log">, claims: Claims) {
    this.#options = options;
    this.#claims = claims;
  }

  /** Pays the rest of a channel back, and claims its charges with the same transaction. */
  async close(channel: Channel, facilitator: ChannelFacilitator, { authorizer }: ChannelSettings): Promise<void> {
    const { channels, clock, log } = this.#options;
    const rest = BigInt(channel.balance) - BigInt(channel.base);
    if (rest <= 0n || channel.withdrawAt > 0) {
      await channels.done(channel.id, channel, channel.syncedAt);
      return;
    }
    const at = clock();
    const made = await this.#claims.settle(facilitator, () => refundOrder(channel, String(rest), authorizer));
    if (made.kind === "settled") {
      await channels.done(channel.id, made.state && toChainState(made.state), at);
      return;
    }
    log(`channels: the refund of a channel is open: ${made.kind === "unknown" ? made.cause : made.reason}`);
    if (made.kind === "refused") await this.#claims.refuse(channel, isRefused(channel, made.reason, authorizer));
    else await this.#claims.giveUp([channel]);
  }

  /** Sends what was claimed to the receiver, seldom: it costs gas, and nothing is at risk. */
  async settle(
    channel: Channel,
    facilitator: ChannelFacilitator,
    { keys, isLast }: { readonly keys: ChannelSettings["keys"]; readonly isLast: boolean },
  ): Promise<void> {
    const { clock, log } = this.#options;
    const key = `${channel.network} ${channel.receiver} ${channel.token}`;
    const settledAt = this.#settledAt.get(key);
    if (settledAt !== undefined && isWithin(settledAt, keys.settle_s * 1000, clock()) && !isLast) return;
    const made = await this.#claims.settle(facilitator, () => settleOrder(channel));
    if (made.kind === "unknown") log(`channels: a transfer of claimed money is open: ${made.cause}`);
    else this.#settledAt.set(key, clock());
  }
}
