import { expect } from "bun:test";
import { fieldLine } from "../../../../../lib/http/fields.ts";
import { type Unit } from "../../../../../lib/metering/ruler.ts";
import { until } from "../../../../../lib/testing/until.ts";
import { identityOf } from "../../../../../payments/channels/chain-state.ts";
import { type ChannelSettings } from "../../../../../payments/channels/settings.ts";
import { channelId } from "../../../../../payments/signatures/batch-settlement.ts";
import { channelConfig, channelRequirements, signedVoucher } from "../../../../../payments/testing/channels.ts";
import { freshAccount, type TestAccount } from "../../../../../payments/evm/testing/shop.ts";
import { type ChannelConfig, type ChannelRequirements } from "../../../../../payments/x402/channel-messages.ts";
import { type EvmNetwork } from "../../../../../payments/x402/networks.ts";
import { type Channel } from "../../../../../store/channels.ts";
import { type Store } from "../../../../../store/store.ts";
import { channels as channelKeys } from "../../../../config/schema/x402-channels.ts";
import { openShop, type Shop, type ShopOptions } from "../../testing/shop.ts";
import { type TestExchange } from "../../testing/test-gateway.ts";

export const NETWORK: EvmNetwork = "eip155:84532";
export const USDC = "0x036CbD53842c5426634e7929541eC2318f3dCF7e";
export const TOKEN = { address: USDC, name: "USDC", version: "2" } as const;
export const SELLER = { payTo: freshAccount().address, authorizer: freshAccount().address };
export const HI = ": hi\n\n";
export const UNITS = 3;
/** Atomic units for `UNITS`: a third is not a whole number. */
export const PRICE = 1000;

/** An upstream whose bytes come from a test. */
export class Source {
  exchange: TestExchange | undefined;
  isPaused = false;
  cancels = 0;
  readonly #fields: string;
  /** The first bytes: the test's server sends a head only with them. */
  readonly #first: string;

  constructor(type: string, first: string, fields = "") {
    this.#fields = fieldLine("Content-Type", type) + fields;
    this.#first = first;
  }

  readonly begin = (exchange: TestExchange): void => {
    this.exchange = exchange;
    exchange.onDrain = () => void (this.isPaused = false);
    exchange.onCancel = () => void this.cancels++;
    exchange.response.start({ status: 200, reason: "", fields: this.#fields, bodyLength: -1 });
    this.send(this.#first);
  };

  send(text: string): void {
    if (this.exchange?.response.data(Buffer.from(text)) === false) this.isPaused = true;
  }

  end(): void {
    this.exchange?.response.end("");
  }
}

export interface Sale {
  readonly shop: Shop;
  readonly source: Source;
  readonly payer: TestAccount;
  readonly config: ChannelConfig;
  readonly requirements: ChannelRequirements;
  /** A voucher over `most`. */
  voucher(most: number): unknown;
  channel(): Promise<Channel>;
}

interface SaleOptions {
  readonly unit?: Unit;
  readonly source?: Source;
  readonly balance?: number;
  readonly store?: Store;
  readonly pauseS?: number;
  /** Another gateway of the same seller and the same payer. */
  readonly of?: Sale;
  readonly shop?: ShopOptions;
}

/** A gateway that sells by the unit, to a channel with money. No chain is asked while its state is fresh. */
export async function sell(options: SaleOptions = {}): Promise<Sale> {
  const { unit = "event", source = new Source("text/event-stream", HI), balance = 10_000, pauseS = 30, of } = options;
  const settings: ChannelSettings = {
    keys: channelKeys.parse({ withdraw_delay_s: 900 }),
    authorizer: freshAccount(),
    ...(of === undefined ? {} : { authorizer: of.shop.desk?.settings.authorizer ?? freshAccount() }),
  };
  const payTo = of?.requirements.payTo ?? freshAccount().address;
  const shop = openShop({
    channels: settings,
    kinds: { current: [{ scheme: "batch-settlement", network: NETWORK }] },
    upstream: source.begin,
    ...(of === undefined ? {} : { store: of.shop.store }),
    ...(options.store === undefined ? {} : { store: options.store }),
    ...options.shop,
    terms: {
      scheme: "batch-settlement",
      price: String(PRICE),
      network: NETWORK,
      asset: "USDC",
      pay_to: payTo,
      max_timeout_seconds: 60,
      meter: { unit, units: UNITS, pause_s: pauseS },
      ...options.shop?.terms,
    },
  });
  const payer = of?.payer ?? freshAccount();
  const made = channelRequirements(TOKEN, NETWORK, {
    payTo: payTo as `0x${string}`,
    authorizer: settings.authorizer.address,
    amount: String(PRICE),
  });
  const requirements = { ...made, extra: { ...made.extra, meter: { unit, units: UNITS }, minDeposit: "10000" } };
  const config = of?.config ?? channelConfig(requirements, payer.address);
  const id = channelId(NETWORK, config);
  if (of === undefined) await open(shop, id, config, balance);
  return {
    shop,
    source,
    payer,
    config,
    requirements,
    voucher: (most) => ({
      x402Version: 2,
      accepted: requirements,
      payload: { type: "voucher", channelConfig: config, voucher: signedVoucher(NETWORK, config, BigInt(most), payer) },
    }),
    channel: async () => {
      const found = await shop.store.channels.find(id.toLowerCase());
      if (found === undefined) throw new Error("no channel");
      return found;
    },
  };
}

export async function open(
  { store, clock }: Pick<Shop, "store" | "clock">,
  id: string,
  config: ChannelConfig,
  balance: number,
): Promise<void> {
  const state = { balance: String(balance), claimed: "0", withdrawAt: 0, refundNonce: "0" };
  await store.channels.open(identityOf(NETWORK, id, config), state, clock.now);
}

/** Reads a response as far as it comes. */
export class Reader {
  text = "";
  isOver = false;
  error: unknown;
  readonly #reader;

  constructor(response: Response) {
    this.#reader = response.body?.getReader();
    void this.#read();
  }

  async #read(): Promise<void> {
    try {
      for (;;) {
        const { done, value } = (await this.#reader?.read()) ?? { done: true, value: undefined };
        if (done) break;
        this.text += Buffer.from(value).toString();
      }
    } catch (error) {
      this.error = error;
    }
    this.isOver = true;
  }

  leave(): Promise<void> | undefined {
    return this.#reader?.cancel();
  }
}

export function event(n: number): string {
  return `data: ${n}\n\n`;
}

export function events(from: number, to: number): string {
  return Array.from({ length: to - from + 1 }, (_, i) => event(from + i)).join("");
}

export function further(shop: Shop, payment: unknown, stream: string): Promise<Response> {
  return shop.send(payment, { headers: { "payment-stream": stream } });
}

export async function begin(sale: Sale): Promise<{ response: Response; reader: Reader; stream: string }> {
  const response = await sale.shop.send(sale.voucher(PRICE));
  expect(response.status).toBe(200);
  return { response, reader: new Reader(response), stream: response.headers.get("payment-stream") ?? "" };
}

export async function settled(sale: Sale, expected: object): Promise<void> {
  await until(async () => Bun.deepMatch(expected, await sale.channel())).catch(() => {});
  expect(await sale.channel()).toMatchObject(expected);
}

/** Waits until the response has this text, and has no more. */
export async function seen(reader: Reader, text: string): Promise<void> {
  await until(() => reader.text.length >= text.length).catch(() => {});
  expect(reader.text).toBe(text);
}
