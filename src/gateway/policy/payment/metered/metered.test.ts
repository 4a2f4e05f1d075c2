import { afterAll, expect, setDefaultTimeout, test } from "bun:test";
import { TurnpikeError } from "../../../../lib/errors.ts";
import { fieldLine } from "../../../../lib/http/fields.ts";
import { type Unit } from "../../../../lib/metering/ruler.ts";
import { patient } from "../../../../lib/testing/patience.ts";
import { until } from "../../../../lib/testing/until.ts";
import { identityOf } from "../../../../payments/channels/chain-state.ts";
import { type ChannelSettings } from "../../../../payments/channels/settings.ts";
import { Collector } from "../../../../payments/settlement/collector.ts";
import { channelId } from "../../../../payments/signatures/batch-settlement.ts";
import { channelConfig, channelRequirements, signedVoucher } from "../../../../payments/testing/channels.ts";
import { freshAccount, type TestAccount } from "../../../../payments/evm/testing/shop.ts";
import { type ChannelConfig, type ChannelRequirements } from "../../../../payments/x402/channel-messages.ts";
import { type EvmNetwork } from "../../../../payments/x402/networks.ts";
import { type Channel, channelNonce } from "../../../../store/channels.ts";
import { LEASE_MS } from "../../../../store/ledger.ts";
import { type Store } from "../../../../store/store.ts";
import { channels as channelKeys } from "../../../config/schema/x402-channels.ts";
import { Lease } from "../sale/lease.ts";
import { closeShops, decoded, openShop, type Shop, type ShopOptions } from "../testing/shop.ts";
import { type TestExchange } from "../testing/test-gateway.ts";
import { Cover } from "./cover.ts";

setDefaultTimeout(patient(20_000));

afterAll(closeShops);

const NETWORK: EvmNetwork = "eip155:84532";
const USDC = "0x036CbD53842c5426634e7929541eC2318f3dCF7e";
const TOKEN = { address: USDC, name: "USDC", version: "2" } as const;
const SELLER = { payTo: freshAccount().address, authorizer: freshAccount().address };
const HI = ": hi\n\n";
const UNITS = 3;
/** Atomic units for `UNITS`: a third is not a whole number. */
const PRICE = 1000;

/** An upstream whose bytes come from a test. */
class Source {
  exchange: TestExchange | undefined;
  /** How often it was paused. */
  pauses = 0;
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
    if (this.exchange?.response.data(Buffer.from(text)) !== false) return;
    this.pauses += 1;
    this.isPaused = true;
  }

  end(): void {
    this.exchange?.response.end("");
  }
}

interface Sale {
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
async function sell(options: SaleOptions = {}): Promise<Sale> {
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

async function open(
  { store, clock }: Pick<Shop, "store" | "clock">,
  id: string,
  config: ChannelConfig,
  balance: number,
): Promise<void> {
  const state = { balance: String(balance), claimed: "0", withdrawAt: 0, refundNonce: "0" };
  await store.channels.open(identityOf(NETWORK, id, config), state, clock.now);
}

/** Reads a response as far as it comes. */
class Reader {
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

function event(n: number): string {
  return `data: ${n}\n\n`;
}

function events(from: number, to: number): string {
  return Array.from({ length: to - from + 1 }, (_, i) => event(from + i)).join("");
}

function further(shop: Shop, payment: unknown, stream: string): Promise<Response> {
  return shop.send(payment, { headers: { "payment-stream": stream } });
}

async function begin(sale: Sale): Promise<{ response: Response; reader: Reader; stream: string }> {
  const response = await sale.shop.send(sale.voucher(PRICE));
  expect(response.status).toBe(200);
  return { response, reader: new Reader(response), stream: response.headers.get("payment-stream") ?? "" };
}

test("each payment covers its units, and the response waits for the next one", async () => {
  const sale = await sell();
  const { source, shop } = sale;
  const { response, reader, stream } = await begin(sale);
  expect(decoded(response, "payment-response")).toMatchObject({
    extra: { chargedAmount: "1000", channelState: { chargedCumulativeAmount: "1000" } },
  });
  expect(shop.lastUpstreamFields).toContain("Accept-Encoding: identity");
  source.send(events(1, 5));
  await seen(reader, HI + events(1, 3));
  expect(source.isPaused).toBe(true);
  expect(await sale.channel()).toMatchObject({ base: "1000", holder: "" });
  const paid = await further(shop, sale.voucher(2 * PRICE), stream);
  expect([paid.status, await paid.json()]).toEqual([200, { stream }]);
  expect(decoded(paid, "payment-response")).toMatchObject({
    extra: { chargedAmount: "1000", channelState: { chargedCumulativeAmount: "2000" } },
  });
  await until(() => !source.isPaused);
  await until(() => reader.text.endsWith(event(5)));
  source.end();
  await until(() => reader.isOver);
  expect(reader.text).toBe(HI + events(1, 5));
  // Two of three units: a fraction is rounded up.
  await settled(sale, { base: "1667", charged: "1667", signed: "2000", charges: 2 });
  expect(shop.runs).toBe(1);
});

async function settled(sale: Sale, expected: object): Promise<void> {
  await until(async () => Bun.deepMatch(expected, await sale.channel())).catch(() => {});
  expect(await sale.channel()).toMatchObject(expected);
}

/** Waits until the response has this text, and has no more. */
async function seen(reader: Reader, text: string): Promise<void> {
  await until(() => reader.text.length >= text.length).catch(() => {});
  expect(reader.text).toBe(text);
}

test("a response whose units are all paid for ends without a further payment", async () => {
  const sale = await sell({ pauseS: 1 });
  const { reader } = await begin(sale);
  sale.source.send(events(1, 3));
  sale.source.end();
  await until(() => reader.isOver);
  await seen(reader, HI + events(1, 3));
  await settled(sale, { base: "1000", charged: "1000", charges: 1 });
});

test("without a further payment, an event stream ends with an error, and only what has left is charged", async () => {
  const sale = await sell({ pauseS: 1 });
  const { reader } = await begin(sale);
  sale.source.send(`${events(1, 3)}id: 4\ndata: 4\n\n`);
  await until(() => reader.isOver);
  expect(reader.text).toBe(
    `${HI}${events(1, 3)}event: error\ndata: {"type":"urn:turnpike:error:payment-required","title":"Payment Required"}\n\n`,
  );
  expect(sale.source.cancels).toBe(1);
  await settled(sale, { base: "1000", charged: "1000" });
});

test.each([
  ["line", "1\n2\n3\n4\n", "1\n2\n3\n"],
  ["byte", "1234", "123"],
] as const)("without a further payment, a response sold by the %s breaks off", async (unit, body, paid) => {
  const sale = await sell({ unit, pauseS: 1, source: new Source("text/plain", body) });
  const { reader } = await begin(sale);
  await until(() => reader.isOver);
  expect(reader.text).toBe(paid);
  expect([reader.error instanceof Error, sale.source.cancels]).toEqual([true, 1]);
  await settled(sale, { base: "1000", charged: "1000" });
});

test("a client that goes away pays for what has left", async () => {
  const sale = await sell();
  const { reader } = await begin(sale);
  sale.source.send(event(1));
  await seen(reader, HI + event(1));
  await reader.leave();
  await settled(sale, { base: "334", charged: "334" });
  // Its next voucher is for the new base.
  const response = await sale.shop.send(sale.voucher(1334), { path: "/goods?2" });
  expect(response.status).toBe(200);
});

test("a further payment that is sent again covers nothing more", async () => {
  const sale = await sell();
  const { reader, stream } = await begin(sale);
  sale.source.send(events(1, 9));
  await seen(reader, HI + events(1, 3));
  const payment = sale.voucher(2 * PRICE);
  for (let i = 0; i < 3; i++) expect((await further(sale.shop, payment, stream)).status).toBe(200);
  await seen(reader, HI + events(1, 6));
  expect(await sale.channel()).toMatchObject({ base: "2000" });
  expect((await sale.shop.send(payment)).status).toBe(402);
  await settled(sale, { base: "2000", charged: "2000" });
  expect(sale.shop.runs).toBe(1);
});

test("one payment can wait, and is not charged if it is not needed", async () => {
  const sale = await sell();
  const { reader, stream } = await begin(sale);
  expect((await further(sale.shop, sale.voucher(2000), stream)).status).toBe(200);
  const early = await further(sale.shop, sale.voucher(3000), stream);
  expect([early.status, early.headers.get("retry-after")]).toEqual([503, "1"]);
  expect(await sale.channel()).toMatchObject({ base: "2000", charged: "0", holder: "" });
  sale.source.send(event(1));
  sale.source.end();
  await until(() => reader.isOver);
  await settled(sale, { base: "334", charged: "334", charges: 1 });
  const late = await further(sale.shop, sale.voucher(2000), stream);
  expect(late.status).toBe(402);
});

test("no payment of another channel, or for a response that has ended or never was, is charged", async () => {
  const sale = await sell();
  const { reader, stream } = await begin(sale);
  const other = channelConfig(sale.requirements, sale.payer.address);
  const id = channelId(NETWORK, other);
  await open(sale.shop, id, other, 5000);
  const voucher = signedVoucher(NETWORK, other, 1000n, sale.payer);
  const payload = { type: "voucher", channelConfig: other, voucher };
  const foreign = { x402Version: 2, accepted: sale.requirements, payload };
  expect((await further(sale.shop, foreign, stream)).status).toBe(409);
  for (const name of ["1.1", "0.2", "x"]) expect((await further(sale.shop, sale.voucher(2000), name)).status).toBe(409);
  sale.source.send(events(1, 3));
  sale.source.end();
  await until(() => reader.isOver);
  await settled(sale, { base: "1000", charged: "1000" });
  expect((await further(sale.shop, sale.voucher(2000), stream)).status).toBe(409);
  expect(await sale.shop.store.channels.find(id.toLowerCase())).toMatchObject({ base: "0", charged: "0", holder: "" });
  expect(await sale.channel()).toMatchObject({ base: "1000", charged: "1000", holder: "" });
});

test("two responses of one channel flow at once, each on its own payments", async () => {
  const sale = await sell();
  const first = await begin(sale);
  const { exchange } = sale.source;
  const response = await sale.shop.send(sale.voucher(2000), { path: "/goods?2" });
  const second = { reader: new Reader(response), stream: response.headers.get("payment-stream") ?? "" };
  expect(new Set([first.stream, second.stream]).size).toBe(2);
  exchange?.response.data(Buffer.from(events(1, 4)));
  sale.source.send(events(1, 4));
  await seen(first.reader, HI + events(1, 3));
  await seen(second.reader, HI + events(1, 3));
  expect((await further(sale.shop, sale.voucher(3000), first.stream)).status).toBe(200);
  await seen(first.reader, HI + events(1, 4));
  await seen(second.reader, HI + events(1, 3));
  exchange?.response.end("");
  await settled(sale, { base: "2334", charged: "2334" });
  await second.reader.leave();
  await settled(sale, { base: "2334", charged: "2334" });
});

test("HEAD, errors, 304 and responses without a unit are free", async () => {
  let status = 500;
  const upstream = (exchange: TestExchange): void => {
    exchange.response.start({ status, reason: "", fields: "", bodyLength: status === 304 ? -1 : 2 });
    if (status !== 304 && exchange.head.method !== "HEAD") exchange.response.data(Buffer.from("no"));
    exchange.response.end("");
  };
  const sale = await sell({ shop: { upstream } });
  const buy = async (init: RequestInit & { headers?: Record<string, string> } = {}): Promise<number> => {
    const response = await sale.shop.send(sale.voucher(PRICE), init);
    await response.text();
    await settled(sale, { base: "0", charged: "0", holder: "" });
    return response.status;
  };
  expect(await buy()).toBe(500);
  status = 404;
  expect(await buy()).toBe(404);
  status = 304;
  expect(await buy({ headers: { "if-none-match": '"1"' } })).toBe(304);
  status = 200;
  // The body has no event.
  expect([await buy({ method: "HEAD" }), await buy()]).toEqual([200, 200]);
});

test("a compressed response, or one of another kind, is not sold", async () => {
  const source = new Source("text/event-stream", "x", fieldLine("Content-Encoding", "gzip"));
  const sale = await sell({ source });
  expect((await sale.shop.send(sale.voucher(PRICE))).status).toBe(502);
  await settled(sale, { base: "0", charged: "0" });
  const messages = await sell({ unit: "message" });
  expect((await messages.shop.send(messages.voucher(PRICE))).status).toBe(502);
  await settled(messages, { base: "0", charged: "0" });
});

test("a response that breaks off is charged for what has left", async () => {
  const sale = await sell();
  const { reader } = await begin(sale);
  sale.source.send(events(1, 2));
  await seen(reader, HI + events(1, 2));
  sale.source.exchange?.response.abort(new TurnpikeError("upstream-failed", "it broke off"));
  await until(() => reader.isOver);
  expect(reader.error).toBeInstanceOf(Error);
  await settled(sale, { base: "667", charged: "667" });
});

test("a further payment can come to another gateway of the same ledger", async () => {
  const sale = await sell();
  const elsewhere = await sell({ of: sale });
  const { reader, stream } = await begin(sale);
  sale.source.send(events(1, 5));
  await seen(reader, HI + events(1, 3));
  expect((await further(elsewhere.shop, sale.voucher(2000), stream)).status).toBe(200);
  await seen(reader, HI + events(1, 5));
  // One that waits there when the response ends is given back.
  expect((await further(elsewhere.shop, sale.voucher(3000), stream)).status).toBe(200);
  expect((await further(elsewhere.shop, sale.voucher(3000), stream)).status).toBe(200);
  await settled(sale, { base: "3000" });
  sale.source.end();
  await settled(sale, { charged: "1667", base: "1667" });
  expect((await further(elsewhere.shop, sale.voucher(2667), stream)).status).toBe(409);
  expect(await sale.channel()).toMatchObject({ base: "1667", charged: "1667", holder: "" });
  expect([sale.shop.runs, elsewhere.shop.runs]).toEqual([1, 0]);
});

test("the payment of a gateway that has died is charged if units could have left, and then pays for them again", async () => {
  const sale = await sell();
  const { shop, source } = sale;
  const { reader } = await begin(sale);
  source.send(event(1));
  await seen(reader, HI + event(1));
  await deadFor(shop);
  await settled(sale, { base: "1000", charged: "1000" });
  const again = new Reader(await shop.send(sale.voucher(PRICE)));
  source.send(events(1, 3));
  await seen(again, HI + events(1, 3));
  source.end();
  await until(() => again.isOver);
  await settled(sale, { base: "1000", charged: "1000" });
  expect((await shop.send(sale.voucher(PRICE))).status).toBe(402);
});

test("a payment that a gateway had opened before it died is charged whole, also if its client takes nothing more", async () => {
  const sale = await sell();
  const { shop, source } = sale;
  const { reader } = await begin(sale);
  source.send(event(1));
  await seen(reader, HI + event(1));
  shop.clock.now += LEASE_MS + 1;
  const again = new Reader(await shop.send(sale.voucher(PRICE)));
  await seen(again, HI);
  await again.leave();
  await settled(sale, { base: "1000", charged: "1000" });
  // It is still owed its units.
  const third = new Reader(await shop.send(sale.voucher(PRICE)));
  source.send(event(1));
  await seen(third, HI + event(1));
  await third.leave();
  await until(async () => (await shop.send(sale.voucher(PRICE))).status === 402);
  await settled(sale, { base: "1000", charged: "1000" });
});

test("a payment that lasts too long is charged whole, and still covers its units", async () => {
  const { store, clock, lateWrites, logged } = openShop();
  const config = channelConfig(channelRequirements(TOKEN, NETWORK, SELLER), freshAccount().address);
  const id = channelId(NETWORK, config).toLowerCase();
  await open({ store, clock }, id, config, 5000);
  const { payment } = await store.ledger.reserve({
    network: NETWORK,
    asset: "0xc",
    from: config.payer.toLowerCase(),
    nonce: channelNonce(id, "0"),
    token: USDC,
    scheme: "batch-settlement",
    amount: "1000",
    payTo: "0xp",
    route: "/",
    consumer: "",
    fingerprint: "f",
    validBefore: Math.floor(clock.now / 1000) + 60,
    payload: "",
  });
  const target = { settlement_url: "", gateway_id: "", testMode: false };
  const log = (message: string): void => void logged.push(message);
  const { ledger, paymentIds } = store;
  const books = { ledger, lateWrites, paymentIds, target, clock: () => clock.now, log, route: "/" };
  const lease = new Lease(books, payment, undefined);
  const parts = { paidRoute: books, payment, lease, units: 3, lastsMs: 1, transaction: "", spentOn: () => ({}) };
  const cover = new Cover(parts);
  expect([await cover.wait(), cover.isOpen]).toEqual([true, false]);
  // Nothing is charged before the first unit, however long it waits.
  const first = await ledger.find(payment);
  clock.now += 10_000;
  await until(async () => (await ledger.find(payment))?.deferral !== first?.deferral);
  expect(await store.channels.find(id)).toMatchObject({ base: "1000", charged: "0" });
  expect(await cover.open()).toBe(true);
  await until(async () => (await store.channels.find(id))?.charged === "1000");
  expect([cover.isOpen, cover.room]).toEqual([true, 3]);
  cover.use(1);
  await cover.close();
  expect(await store.channels.find(id)).toMatchObject({ base: "1000", charged: "1000" });
  expect(await ledger.find(payment)).toMatchObject({ state: "settled", delivered: true, amount: "1000" });
  expect(logged).toEqual([]);
});

test("the payment of a gateway that has died is given back if no unit could have left", async () => {
  const sale = await sell();
  await begin(sale);
  await deadFor(sale.shop);
  await settled(sale, { base: "0", charged: "0", holder: "" });
});

/** The time passes after which another process takes over what the gateway did. */
async function deadFor({ store, clock, logged }: Shop): Promise<void> {
  clock.now += 900_000 / 4 + LEASE_MS + 1;
  const collector = new Collector({
    ledger: store.ledger,
    upstream: () => undefined,
    facilitator: () => undefined,
    outcomeOf: async () => ({ kind: "unspent" }),
    testMode: () => true,
    notice: () => undefined,
    onTrouble: (_payment, trouble) => logged.push(trouble),
    clock: () => clock.now,
    log: (message) => logged.push(message),
  });
  await collector.round();
  expect(logged).toEqual([]);
}

test("a client without a channel is asked for one, with the rate", async () => {
  const sale = await sell();
  const { shop } = sale;
  const unpaid = await fetch(`${shop.gateway.url}/goods`);
  expect(decoded(unpaid, "payment-required")).toMatchObject({
    accepts: [{ scheme: "batch-settlement", amount: "1000", extra: { meter: { unit: "event", units: 3 } } }],
  });
  expect(await unpaid.json()).toMatchObject({
    detail: expect.stringContaining("This costs 0.001 USDC on Base Sepolia (eip155:84532) for 3 events."),
  });
  expect((await shop.send(shop.payment())).status).toBe(402);
  expect(shop.runs).toBe(0);
});
