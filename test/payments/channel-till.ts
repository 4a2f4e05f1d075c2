/** Parts of gateways that sell from channels on a chain of its own, and payments from new channels. */
import { freshAccount, keyOf } from "../../src/payments/evm/testing/shop.ts";
import { channelConfig, placeChannels, signedDeposit } from "../../src/payments/testing/channels.ts";
import { channelRequirementsSchema } from "../../src/payments/x402/channel-messages.ts";
import { encodeHeader } from "../../src/payments/x402/header.ts";
import { type PaymentRequirements } from "../../src/payments/x402/messages.ts";
import { type Market, openMarket } from "./market.ts";

/** Seconds until a signed deposit expires. */
const DEPOSIT_S = 3600;

export class ChannelTill {
  readonly market: Market;
  readonly #gas = freshAccount();
  readonly #authorizer = freshAccount();
  readonly #seller = freshAccount();

  private constructor(market: Market) {
    this.market = market;
  }

  static async open(): Promise<ChannelTill> {
    const till = new ChannelTill(await openMarket());
    await placeChannels(till.market.chain);
    await till.market.chain.fund(till.#gas.address);
    return till;
  }

  /** `x402` of the configuration. */
  get x402(): object {
    const { network } = this.market.chain;
    return {
      enabled: true,
      embedded: { enabled: true },
      chains: [{ network, rpc_url_env: "TEST_RPC", poll_ms: 20, receipt_timeout_ms: 20_000 }],
      channels: { deposit_requests: 1 },
    };
  }

  get environment(): Record<string, string> {
    return {
      TEST_RPC: this.market.chain.rpcUrl,
      TURNPIKE_FACILITATOR_KEY: keyOf(this.#gas),
      TURNPIKE_CHANNEL_KEY: keyOf(this.#authorizer),
    };
  }

  /** `x402` of a route. */
  terms(price: number): object {
    const { address: asset, name, version } = this.market.token;
    const domain = { extra_name: name, extra_version: version };
    const { network } = this.market.chain;
    return {
      scheme: "batch-settlement",
      price: String(price),
      asset,
      network,
      pay_to: this.#seller.address,
      ...domain,
    };
  }

  /** The value of `PAYMENT-SIGNATURE`: a payment from a new channel with a deposit of the price. */
  async signed(asked: PaymentRequirements): Promise<string> {
    const accepted = channelRequirementsSchema.parse(asked);
    const amount = BigInt(accepted.amount);
    const account = freshAccount();
    await this.market.token.mint(account.address, amount);
    const config = channelConfig(accepted, account.address);
    const now = (await this.market.chain.time()) + DEPOSIT_S;
    const payload = signedDeposit(accepted, config, { amount, most: amount, signer: account, now });
    return encodeHeader({ x402Version: 2, accepted, payload });
  }

  /** The balance of the seller. */
  received(): Promise<bigint> {
    return this.market.token.balanceOf(this.#seller.address);
  }

  async close(): Promise<void> {
    await this.market.chain.close();
  }
}
