import { afterAll, expect, setDefaultTimeout, spyOn, test } from "bun:test";
import { TurnpikeError } from "../../../../lib/errors.ts";
import { fieldLine } from "../../../../lib/http/fields.ts";
import { patient } from "../../../../lib/testing/patience.ts";
import { until } from "../../../../lib/testing/until.ts";
import { deferralOf } from "../../../../payments/settlement/deferral.ts";
import { Collector } from "../../../../payments/settlement/collector.ts";
import { freshAccount } from "../../../../payments/evm/testing/shop.ts";
import { channelId } from "../../../../payments/signatures/batch-settlement.ts";
import { channelConfig, signedDeposit, signedVoucher } from "../../../../payments/testing/channels.ts";
import { LEASE_MS, RECHECK_MS } from "../../../../store/ledger.ts";
import { closeShops, counted, decoded, type Shop, type ShopOptions } from "../testing/shop.ts";
import { respondWith, type TestExchange } from "../testing/test-gateway.ts";
import {
  NETWORK,
  HI,
  PRICE,
  Source,
  sell,
  open,
  Reader,
  event,
  events,
  further,
  begin,
  settled,
  seen,
} from "./testing/metered-sale.ts";

setDefaultTimeout(patient(20_000));

afterAll(closeShops);

test("each payment covers its units, and the response waits for the next one", async () => {
  const sale = await sell();
  const { source, shop } = sale;
  // So that a millisecond more would be another second.
  shop.clock.now = Math.ceil(shop.clock.now / 1000) * 1000 + 774;
  const { response, reader, stream } = await begin(sale);
  expect(decoded(response, "payment-response")).toMatchObject({
    extra: { chargedAmount: "1000", channelState: { chargedCumulativeAmount: "1000" } },
  });
  expect(shop.lastUpstreamFields).toContain("Accept-Encoding: identity");
  expect(shop.lastUpstreamFields).toContain(`Turnpike-Amount: ${PRICE}\r\n`);
  source.send(events(1, 5));
  await seen(reader, HI + events(1, 3));
  expect(source.isPaused).toBe(true);
  expect(await sale.channel()).toMatchObject({ base: "1000", holder: "" });
  const paid = await further(shop, sale.voucher(2 * PRICE), stream);
  expect([paid.status, await paid.json()]).toEqual([200, { stream }]);
  // The response waits for it, so that all of it is due before the next unit leaves.
  const [newest] = await shop.store.view.list({}, { limit: 1 });
  const deferral = newest && deferralOf(newest);
  // A quarter of the channel's delay for withdrawals.
  expect(deferral).toMatchObject({ due: "1000", until: Math.floor(shop.clock.now / 1000 + 900 / 4) });
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
  expect(counted(shop)).toEqual({
    stages: { signed: 2, verified: 2, settled: 2, delivered: 2, again: 1 },
    losses: {},
  });
});

test.each([
  ["is made", { kind: "settled", transaction: "0xab", amount: "5000" }, 200, 1],
  ["is refused", { kind: "refused", reason: "invalid_batch_settlement_evm_insufficient_balance" }, 402, 0],
  ["has no result", { kind: "unknown", cause: "no response", transaction: "0xab" }, 503, 0],
] as const)("a deposit that %s comes before the first unit", async (_what, made, status, runs) => {
  const state = { balance: 0n, totalClaimed: 0n, withdrawRequestedAt: 0, refundNonce: 0n };
  const facilitator = () => ({
    channels: {
      verify: async () => ({ kind: "valid" as const, payer: freshAccount().address, state }),
      settle: async () => made,
    },
  });
  const { shop, source, payer, requirements } = await sell({ shop: { facilitator } });
  const config = channelConfig(requirements, payer.address);
  const now = Math.floor(shop.clock.now / 1000);
  const payload = signedDeposit(requirements, config, { amount: 10_000n, most: 1000n, signer: payer, now });
  const response = await shop.send({ x402Version: 2, accepted: requirements, payload });
  expect([response.status, shop.runs]).toEqual([status, runs]);
  if (status !== 200) return;
  expect(decoded(response, "payment-response")).toMatchObject({ success: true, transaction: "0xab" });
  source.end();
  await response.text();
});

test("a deposit without a result that was made pays for the request that it came with, and for no other body", async () => {
  const state = { balance: 10_000n, totalClaimed: 0n, withdrawRequestedAt: 0, refundNonce: 0n };
  const facilitator = () => ({
    channels: {
      verify: async () => ({ kind: "valid" as const, payer: freshAccount().address, state }),
      settle: async () => ({ kind: "unknown" as const, cause: "no response", transaction: "0xab" }),
    },
  });
  const { shop, source, payer, requirements } = await sell({ shop: { facilitator } });
  const config = channelConfig(requirements, payer.address);
  const now = Math.floor(shop.clock.now / 1000);
  const payload = signedDeposit(requirements, config, { amount: 10_000n, most: 1000n, signer: payer, now });
  const send = (body: string) =>
    shop.send({ x402Version: 2, accepted: requirements, payload }, { method: "POST", body });
  expect((await send("cheap")).status).toBe(503);
  shop.clock.now += RECHECK_MS + 1;
  for (const body of ["much dearer", ""]) expect([(await send(body)).status, shop.runs]).toEqual([409, 0]);
  const response = await send("cheap");
  expect([response.status, shop.runs]).toEqual([200, 1]);
  source.end();
  await response.text();
});

test("a free response has a receipt for a deposit, and none for a voucher", async () => {
  const state = { balance: 0n, totalClaimed: 0n, withdrawRequestedAt: 0, refundNonce: 0n };
  const facilitator = () => ({
    channels: {
      verify: async () => ({ kind: "valid" as const, payer: freshAccount().address, state }),
      settle: async () => ({ kind: "settled" as const, transaction: "0xab", amount: "5000" }),
    },
  });
  const sale = await sell({ shop: { facilitator, upstream: (exchange) => respondWith(exchange, 404, "none") } });
  const { shop, payer, requirements } = sale;
  const config = channelConfig(requirements, payer.address);
  const now = Math.floor(shop.clock.now / 1000);
  const payload = signedDeposit(requirements, config, { amount: 10_000n, most: 1000n, signer: payer, now });
  const first = await shop.send({ x402Version: 2, accepted: requirements, payload });
  expect([first.status, decoded(first, "payment-response")]).toMatchObject([
    404,
    { success: true, transaction: "0xab", extra: { chargedAmount: "0" } },
  ]);
  const second = await shop.send(sale.voucher(PRICE));
  expect([second.status, second.headers.get("payment-response")]).toEqual([404, null]);
});

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

test("if the gateway stops, a paused response waits for a moment for a payment through another gateway", async () => {
  const sale = await sell({ pauseS: 60 });
  const { reader, stream } = await begin(sale);
  const other = await sell({ of: sale });
  sale.source.send(events(1, 7));
  await seen(reader, HI + events(1, 3));
  sale.shop.draining = true;
  expect((await further(other.shop, sale.voucher(2 * PRICE), stream)).status).toBe(200);
  await seen(reader, HI + events(1, 6));
  await until(() => reader.isOver);
  expect(reader.text).toStartWith(`${HI}${events(1, 6)}event: error\n`);
  await settled(sale, { base: "2000", charged: "2000" });
});

test("if the gateway cuts a response off and stops, what has left is recorded before the store closes", async () => {
  const sale = await sell();
  const { reader } = await begin(sale);
  sale.source.send(event(1));
  await seen(reader, HI + event(1));
  const { lateWrites, store } = sale.shop;
  const { paymentIds } = store;
  const asked = Promise.withResolvers<void>();
  const allowed = Promise.withResolvers<void>();
  const tie = paymentIds.tie.bind(paymentIds);
  spyOn(paymentIds, "tie").mockImplementation(async (...args) => {
    asked.resolve();
    await allowed.promise;
    return tie(...args);
  });
  await reader.leave();
  await asked.promise;
  const closed = lateWrites.close(0);
  allowed.resolve();
  await closed;
  expect(await sale.channel()).toMatchObject({ base: "334", charged: "334" });
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
  const stages = { signed: 1, verified: 1, settled: 1 };
  expect(counted(sale.shop)).toEqual({ stages, losses: { gone: 1 } });
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
  for (let i = 0; i < 3; i++) {
    const taken = await further(sale.shop, payment, stream);
    expect([taken.status, await taken.json(), taken.headers.get("x-payment-response")]).toEqual([
      200,
      { stream },
      null,
    ]);
    expect(decoded(taken, "payment-response")).toMatchObject({
      payer: sale.payer.address.toLowerCase(),
      extra: { chargedAmount: "1000", channelState: { chargedCumulativeAmount: "2000" } },
    });
  }
  await seen(reader, HI + events(1, 6));
  expect(await sale.channel()).toMatchObject({ base: "2000" });
  expect((await further(sale.shop, sale.voucher(3 * PRICE), stream)).status).toBe(200);
  await seen(reader, HI + events(1, 9));
  expect((await sale.shop.send(payment)).status).toBe(402);
  await settled(sale, { base: "3000", charged: "3000" });
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

test("a payment for a lower price covers no unit of a response, here or at another gateway", async () => {
  const cheap = {
    match: { methods: [], headers: [], query: [{ name: "cheap" }] },
    consumers: [],
    payers: [],
    body: [],
  };
  const shops = { shop: { terms: { rules: [{ ...cheap, price: "3" }] } } };
  const sale = await sell(shops);
  const elsewhere = await sell({ ...shops, of: sale });
  const { requirements, config, payer, shop } = sale;
  const { reader, stream } = await begin(sale);
  sale.source.send(events(1, 4));
  await seen(reader, HI + events(1, 3));
  const payment = {
    x402Version: 2,
    accepted: { ...requirements, amount: "3", extra: { ...requirements.extra, minDeposit: "30" } },
    payload: { type: "voucher", channelConfig: config, voucher: signedVoucher(NETWORK, config, 1003n, payer) },
  };
  const headers = { "payment-stream": stream };
  for (const gateway of [shop, elsewhere.shop])
    expect((await gateway.send(payment, { path: "/goods?cheap", headers })).status).toBe(409);
  expect(await sale.channel()).toMatchObject({ base: "1000", holder: "" });
  expect((await further(shop, sale.voucher(2000), stream)).status).toBe(200);
  await seen(reader, HI + events(1, 4));
  sale.source.end();
  await settled(sale, { base: "1334", charged: "1334" });
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
  expect(counted(sale.shop)).toEqual({ stages: { signed: 2, verified: 2, free: 2 }, losses: {} });
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
  expect(counted(sale.shop).losses).toEqual({ upstream: 1 });
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

test("a retry must have the body that was paid for, and gives its memory back when its response is over", async () => {
  const source = new Source("text/event-stream", HI);
  let breaks = false;
  const upstream = (exchange: TestExchange): void =>
    exchange.body.readTo({
      data: () => true,
      end: () => {
        if (breaks) exchange.response.abort(new TurnpikeError("upstream-failed", "it broke off"));
        else source.begin(exchange);
      },
      abort() {},
    });
  const sale = await sell({ source, shop: { upstream } });
  const { shop } = sale;
  const send = (body: string) => shop.send(sale.voucher(PRICE), { method: "POST", body });
  const first = new Reader(await send("a question"));
  source.send(event(1));
  await seen(first, HI + event(1));
  // The gateway has died.
  shop.clock.now += LEASE_MS + 1;
  for (let i = 0; i < 2; i++) expect([(await send("b question")).status, shop.bodies.used]).toEqual([409, 0]);
  breaks = true;
  expect([(await send("a question")).status, shop.bodies.used]).toEqual([502, 0]);
  breaks = false;
  const again = new Reader(await send("a question"));
  await seen(again, HI);
  source.send(events(1, 3));
  source.end();
  await until(() => again.isOver);
  expect([again.text, shop.bodies.used]).toEqual([HI + events(1, 3), 0]);
  await settled(sale, { base: "1000", charged: "1000" });
  expect([(await send("a question")).status, shop.runs]).toEqual([402, 3]);
});

test.each([
  ["has another request since", false, 409],
  ["cannot be recorded", new Error("disk full"), 503],
] as const)("a payment that %s buys nothing", async (_what, fault, status) => {
  const ledger: ShopOptions["ledger"] = (real) => ({
    move: async (payment, change) => {
      if (change.state !== "deferred") return real.move(payment, change);
      if (fault === false) return false;
      throw fault;
    },
  });
  const sale = await sell({ shop: { ledger } });
  expect((await sale.shop.send(sale.voucher(PRICE))).status).toBe(status);
  expect([sale.shop.runs, counted(sale.shop).stages.settled]).toEqual([0, undefined]);
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
