import { toChainState, identityOf } from "../../../../../payments/channels/chain-state.ts";
import { type ChannelSettings } from "../../../../../payments/channels/settings.ts";
import { freshAccount, type TestAccount } from "../../../../../payments/evm/testing/shop.ts";
import { BATCH_SETTLEMENT_CONTRACT, channelId } from "../../../../../payments/signatures/batch-settlement.ts";
import {
  channelConfig,
  channelRequirements,
  signedDeposit,
  signedVoucher,
} from "../../../../../payments/testing/channels.ts";
import {
  type ChannelSettlement,
  type ChannelState,
  type ChannelVerification,
} from "../../../../../payments/x402/channel-facilitator.ts";
import { type ChannelConfig, type ChannelOrder } from "../../../../../payments/x402/channel-messages.ts";
import { type Channel, channelNonce } from "../../../../../store/channels.ts";
import { type Payment, type PaymentKey } from "../../../../../store/ledger.ts";
import { channels as channelKeys } from "../../../../config/schema/x402-channels.ts";
import { type FunnelCounts, funnelCounts } from "../../../../telemetry/funnel.ts";
import { NETWORK, TOKEN, USDC } from "../../metered/testing/metered-sale.ts";
import { errorOf, openShop, type Shop, type ShopOptions } from "../../testing/shop.ts";

type Said = ChannelVerification | undefined;

interface Options {
  /** Keys of the configuration. */
  readonly keys?: object;
  readonly shop?: ShopOptions;
  readonly parties?: Partial<ChannelConfig>;
  /** Another gateway of the same seller, with the same ledger and payer. */
  readonly of?: ScriptedChannel;
}

/** A shop that sells from one channel, whose chain says and does what a test sets. */
export class ScriptedChannel {
  readonly payer: TestAccount;
  readonly settings: ChannelSettings;
  readonly shop: Shop;
  readonly requirements;
  readonly config: ChannelConfig;
  readonly id: string;
  state: ChannelState = { balance: 5000n, totalClaimed: 0n, withdrawRequestedAt: 0, refundNonce: 0n };
  /** The word of the chain about a payment in place of `state`. */
  said: () => Said | Promise<Said> = () => undefined;
  /** The result of an order in place of its execution. */
  made: (order: ChannelOrder) => ChannelSettlement | undefined = () => undefined;
  looks = 0;
  readonly orders: ChannelOrder[] = [];

  constructor({ keys = {}, shop = {}, parties = {}, of }: Options = {}) {
    this.payer = of?.payer ?? freshAccount();
    this.settings = {
      keys: channelKeys.parse({ withdraw_delay_s: 900, wait_ms: 0, ...keys }),
      authorizer: of?.settings.authorizer ?? freshAccount(),
    };
    const payTo = of?.config.receiver ?? freshAccount().address;
    const verify = async (): Promise<ChannelVerification> => {
      this.looks += 1;
      return (await this.said()) ?? { kind: "valid", payer: this.payer.address, state: this.state };
    };
    const settle = async (order: ChannelOrder): Promise<ChannelSettlement> => {
      this.orders.push(order);
      return this.made(order) ?? this.#settle(order);
    };
    this.shop = openShop({
      channels: this.settings,
      kinds: { current: [{ scheme: "batch-settlement", network: NETWORK }] },
      facilitator: () => ({ channels: { verify, settle } }),
      ...(of === undefined ? {} : { store: of.shop.store }),
      ...shop,
      terms: {
        scheme: "batch-settlement",
        price: "1000",
        network: NETWORK,
        asset: USDC,
        pay_to: payTo,
        max_timeout_seconds: 60,
        ...shop.terms,
      },
    });
    const authorizer = this.settings.authorizer.address;
    const made = channelRequirements(TOKEN, NETWORK, { payTo, authorizer, amount: "1000" });
    this.requirements = { ...made, extra: { ...made.extra, minDeposit: "10000" } };
    this.config = of?.config ?? channelConfig(this.requirements, this.payer.address, parties);
    this.id = channelId(NETWORK, this.config).toLowerCase();
  }

  /** Gives the channel a row with the chain's state. */
  async open(): Promise<void> {
    const identity = identityOf(NETWORK, this.id, this.config);
    await this.shop.store.channels.open(identity, toChainState(this.state), this.shop.clock.now);
  }

  payment(type: "voucher" | "refund" | "deposit", most: number | bigint, more: object = {}) {
    const voucher = signedVoucher(NETWORK, this.config, BigInt(most), this.payer);
    const payload = { type, channelConfig: this.config, voucher, ...more };
    return { x402Version: 2, accepted: this.requirements, payload };
  }

  buy(most: number | bigint, path = `/goods?${most}`): Promise<Response> {
    return this.shop.send(this.payment("voucher", most), { path });
  }

  /** A payment by a deposit of `amount`. */
  depositPayment(most: number, amount: number): unknown {
    const { requirements, config, payer: signer, shop } = this;
    const now = Math.floor(shop.clock.now / 1000);
    const payload = signedDeposit(requirements, config, { amount: BigInt(amount), most: BigInt(most), signer, now });
    return { x402Version: 2, accepted: requirements, payload };
  }

  /** Buys by a deposit of `amount`. */
  deposit(most: number, amount: number, path = `/goods?${most}`): Promise<Response> {
    return this.shop.send(this.depositPayment(most, amount), { path });
  }

  /** `amount` undefined: all that is not charged. */
  refund(most: number, amount?: number): Promise<Response> {
    return this.shop.send(this.payment("refund", most, amount === undefined ? {} : { amount: String(amount) }));
  }

  async row(): Promise<Channel> {
    const found = await this.shop.store.channels.find(this.id);
    if (found === undefined) throw new Error("no channel");
    return found;
  }

  counts(): FunnelCounts {
    const [only] = this.shop.funnel.read();
    return only === undefined ? { stages: {}, losses: {} } : funnelCounts(only.counts);
  }

  #settle({ payload }: ChannelOrder): ChannelSettlement {
    const transaction = `0x${"ab".repeat(32)}`;
    if (payload.type === "deposit") {
      const { amount } = payload.deposit;
      this.state = { ...this.state, balance: this.state.balance + BigInt(amount) };
      return { kind: "settled", transaction, amount, state: this.state };
    }
    if (payload.type !== "refund") return { kind: "unknown", cause: "not scripted", transaction: "" };
    const amount = BigInt(payload.amount ?? 0);
    const claimed = payload.claims.map(({ totalClaimed }) => BigInt(totalClaimed));
    this.state = {
      ...this.state,
      balance: this.state.balance - amount,
      totalClaimed: claimed[0] ?? this.state.totalClaimed,
      refundNonce: this.state.refundNonce + 1n,
    };
    return { kind: "settled", transaction, amount: String(amount), state: this.state };
  }
}

/** A channel whose row has the chain's state. */
export async function opened(options: Options = {}): Promise<ScriptedChannel> {
  const channel = new ScriptedChannel(options);
  await channel.open();
  return channel;
}

/** The response to a payment: its status, its reason or code, and when to retry. */
export async function outcome(response: Response): Promise<unknown> {
  if (response.status === 200) return 200;
  const { type } = (await response.json()) as { type?: string }; // A problem document.
  const isChallenge = response.headers.has("payment-required");
  const why = isChallenge ? errorOf(response) : type?.replace("urn:turnpike:error:", "");
  return [response.status, why, response.headers.get("retry-after")];
}

/** The key in the ledger of the payment at `base`. */
export const keyOf = ({ payer, id }: ScriptedChannel, base: string): PaymentKey => ({
  network: NETWORK,
  asset: BATCH_SETTLEMENT_CONTRACT.toLowerCase(),
  from: payer.address.toLowerCase(),
  nonce: channelNonce(id, base),
});

export const recorded = (channel: ScriptedChannel, base: string): Promise<Payment | undefined> =>
  channel.shop.store.ledger.find(keyOf(channel, base));
