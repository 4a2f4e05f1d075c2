import { BatchSettlementEvmScheme } from "@x402/evm/batch-settlement/client";
import { wrapFetchWithPaymentFromConfig } from "@x402/fetch";
import { createPublicClient, http, type PublicClient } from "viem";
import { privateKeyToAccount } from "viem/accounts";
import { until } from "../../../../../lib/testing/until.ts";
import { Claimer } from "../../../../../payments/channels/claimer.ts";
import { type ChannelTrouble } from "../../../../../payments/channels/claims.ts";
import { type ChannelKeys, type ChannelSettings } from "../../../../../payments/channels/settings.ts";
import {
  freshAccount,
  keyOf,
  openShop as openChain,
  type OpenFacilitator,
  type Shop as Chain,
  type TestAccount,
} from "../../../../../payments/evm/testing/shop.ts";
import {
  channelConfig,
  channelRequirements,
  placeChannels,
  signedDeposit,
  signedVoucher,
} from "../../../../../payments/testing/channels.ts";
import { type Address } from "../../../../../payments/x402/address.ts";
import { type ChannelFacilitator } from "../../../../../payments/x402/channel-facilitator.ts";
import { type ChannelConfig, type ChannelRequirements } from "../../../../../payments/x402/channel-messages.ts";
import { type EvmNetwork, parseEvmNetwork } from "../../../../../payments/x402/networks.ts";
import { type Channel, NO_AUTHORIZER } from "../../../../../store/channels.ts";
import { channels as channelKeys } from "../../../../config/schema/x402-channels.ts";
import { errorOf, openShop, type Shop, type ShopOptions } from "../../testing/shop.ts";

/** The stock client. */
export interface Buyer {
  readonly account: TestAccount;
  readonly scheme: BatchSettlementEvmScheme;
  buy(path?: string, init?: RequestInit): Promise<Response>;
}

export interface Claims {
  readonly claimer: Claimer;
  readonly troubles: ChannelTrouble[];
  readonly logged: string[];
}

/** A real chain with the contract of channels, shops that sell by it, and their buyers. Each test sets its seller. */
export class ChannelWorld {
  readonly chain: Chain;
  readonly facilitator: OpenFacilitator;
  seller = freshAccount();
  settings: ChannelSettings = this.settingsOf({});

  private constructor(chain: Chain, facilitator: OpenFacilitator) {
    this.chain = chain;
    this.facilitator = facilitator;
  }

  static async open(): Promise<ChannelWorld> {
    const chain = await openChain();
    await placeChannels(chain.chain);
    return new ChannelWorld(chain, await chain.facilitator());
  }

  settingsOf(keys: object): ChannelSettings {
    const parsed: ChannelKeys = channelKeys.parse({ withdraw_delay_s: 900, ...keys });
    return { keys: parsed, authorizer: freshAccount() };
  }

  /** Gives the next test a seller and keys of its own. */
  reset(keys: object = {}): void {
    this.seller = freshAccount();
    this.settings = this.settingsOf(keys);
  }

  get network(): EvmNetwork {
    const network = parseEvmNetwork(this.chain.chain.network);
    if (network === undefined) throw new Error("not an EVM chain");
    return network;
  }

  get channels(): ChannelFacilitator {
    const { channels } = this.facilitator;
    if (channels === undefined) throw new Error("no channels");
    return channels;
  }

  get requirements(): ChannelRequirements {
    const { token } = this.chain;
    const { seller, settings, network } = this;
    const made = channelRequirements(token, network, {
      payTo: seller.address,
      authorizer: settings.authorizer.address,
    });
    return { ...made, extra: { ...made.extra, minDeposit: "10000" } };
  }

  open(options: ShopOptions = {}): Shop {
    const { requirements } = this.chain;
    return openShop({
      testMode: false,
      channels: this.settings,
      kinds: { current: [{ scheme: "batch-settlement", network: requirements.network }] },
      facilitator: () => this.facilitator,
      ...options,
      terms: {
        scheme: "batch-settlement",
        price: "1000",
        network: requirements.network,
        asset: requirements.asset,
        pay_to: this.seller.address,
        max_timeout_seconds: 60,
        extra_name: String(requirements.extra["name"]),
        extra_version: String(requirements.extra["version"]),
        ...options.terms,
      },
    });
  }

  /** The stock client, which asks the chain by itself. Each call without `salt` begins without any state. */
  buyerOf(shop: Shop, account: TestAccount, salt?: `0x${string}`): Buyer {
    const signer = privateKeyToAccount(keyOf(account));
    const reader: PublicClient = createPublicClient({ transport: http(this.chain.chain.rpcUrl) });
    const scheme = new BatchSettlementEvmScheme(
      { ...signer, readContract: (call) => reader.readContract(call) },
      salt === undefined ? {} : { salt },
    );
    const schemes = [{ network: this.chain.chain.network, client: scheme }];
    const paid = wrapFetchWithPaymentFromConfig(fetch, { schemes, spendControls: false });
    return { account, scheme, buy: (path = "/goods", init = {}) => paid(shop.gateway.url + path, init) };
  }

  claims({ store, clock }: Pick<Shop, "store" | "clock">, claiming?: ChannelFacilitator): Claims {
    const troubles: ChannelTrouble[] = [];
    const logged: string[] = [];
    const claimer = new Claimer({
      channels: store.channels,
      settings: () => this.settings,
      facilitator: () => claiming ?? this.channels,
      onTrouble: (_channel, trouble) => troubles.push(trouble),
      onRisks: () => {},
      onClaimed: () => {},
      clock: () => clock.now,
      log: (message) => logged.push(message),
    });
    return { claimer, troubles, logged };
  }

  /** A payment that is not the stock client's: a voucher for `most` in the channel of `config`. */
  voucher(config: ChannelConfig, most: bigint, signer: TestAccount, change: object = {}): unknown {
    const voucher = signedVoucher(this.network, config, most, signer);
    return {
      x402Version: 2,
      accepted: this.requirements,
      payload: { type: "voucher", channelConfig: config, voucher },
      ...change,
    };
  }

  /** Buys by a deposit. `wallet`: a contract that signs and pays for the payer. */
  async deposited(
    shop: Shop,
    payer: TestAccount,
    amount: bigint,
    parties: Partial<Pick<ChannelConfig, "payer" | "payerAuthorizer">> = {},
  ): Promise<ChannelConfig> {
    const { requirements } = this;
    const config = channelConfig(requirements, payer.address, parties);
    const now = await this.chain.chain.time();
    const payload = signedDeposit(requirements, config, { amount, most: 1000n, signer: payer, now });
    const response = await shop.send({ x402Version: 2, accepted: requirements, payload });
    if (response.status !== 200) throw new Error(`the deposit was not taken: ${String(errorOf(response))}`);
    return config;
  }

  /** A contract with money that has signed everything, until it denies it. */
  async twoFaced(value = 1_000_000n): Promise<{ readonly address: Address; readonly parties: Parties }> {
    const address = await this.chain.chain.deploy("TwoFaced");
    await this.chain.token.mint(address, value);
    return { address, parties: { payer: address, payerAuthorizer: `0x${NO_AUTHORIZER.slice(2)}` } };
  }
}

type Parties = Pick<ChannelConfig, "payer" | "payerAuthorizer">;

export async function onlyChannel({ store }: Shop): Promise<Channel> {
  const [channel, ...others] = await store.channels.list(undefined, 10);
  if (channel === undefined || others.length > 0) throw new Error("not one channel");
  return channel;
}

/** The only channel of a shop, once no request holds it: a response can arrive before its payment is released. */
export async function freeChannel(shop: Shop): Promise<Channel> {
  await until(async () => (await onlyChannel(shop)).holder === "", 10_000, "the release of the channel");
  return await onlyChannel(shop);
}
