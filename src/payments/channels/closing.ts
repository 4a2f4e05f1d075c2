import { type Channel } from "../../store/channels.ts";
import { type ChannelFacilitator } from "../x402/channel-facilitator.ts";
import { toChainState } from "./chain-state.ts";
import { type Claims, type ClaimsOptions, isRefused } from "./claims.ts";
import { refundOrder } from "./orders.ts";
import { type ChannelSettings } from "./settings.ts";

/** Pays the rest of closing channels back. */
export class Closing {
  readonly #options: Pick<ClaimsOptions, "channels" | "clock" | "log">;
  readonly #claims: Claims;

  constructor(options: Pick<ClaimsOptions, "channels" | "clock" | "log">, claims: Claims) {
    this.#options = options;
    this.#claims = claims;
  }

  /** Pays the rest of a channel back, and claims its charges with the same transaction. True: it was made. */
  async close(channel: Channel, facilitator: ChannelFacilitator, { authorizer }: ChannelSettings): Promise<boolean> {
    const { channels, clock, log } = this.#options;
    const rest = BigInt(channel.balance) - BigInt(channel.base);
    if (rest <= 0n || channel.withdrawAt > 0) {
      await channels.done(channel.id, channel, channel.syncedAt);
      return false;
    }
    const at = clock();
    const made = await this.#claims.settle(facilitator, () => refundOrder(channel, String(rest), authorizer));
    if (made.kind === "settled") {
      await channels.done(channel.id, made.state && toChainState(made.state), at);
      return true;
    }
    log(`channels: the refund of a channel is open: ${made.kind === "unknown" ? made.cause : made.reason}`);
    if (made.kind === "refused") await this.#claims.refuse(channel, isRefused(channel, made.reason, authorizer));
    else await this.#claims.giveUp([channel]);
    return false;
  }
}
