import { afterEach, expect, test } from "bun:test";
import { fieldLine } from "../../../lib/http/fields.ts";
import { until } from "../../../lib/testing/until.ts";
import { issueCredit } from "../../../payments/credit/issue.ts";
import { freshAccount } from "../../../payments/evm/testing/shop.ts";
import { deferralOf } from "../../../payments/settlement/deferral.ts";
import { answerTo, challengesOf } from "../../../payments/testing/mpp.ts";
import { PAYER, USDC } from "../../../payments/testing/payment.ts";
import { signedPermit2 } from "../../../payments/testing/permit2-payment.ts";
import { encodeHeader } from "../../../payments/x402/header.ts";
import { type Eip3009Payment, paymentRequiredSchema } from "../../../payments/x402/messages.ts";
import { CREDIT_BOOK } from "../../../store/credits.ts";
import { type Ledger, LEASE_MS, type Payment } from "../../../store/ledger.ts";
import { channels as channelKeys } from "../../config/schema/x402-channels.ts";
import { type PaymentTerms } from "./challenge/create-requirements.ts";
import { onEachStore } from "./testing/on-each-store.ts";
import { closeShops, decoded, openShop, type Shop, type ShopOptions } from "./testing/shop.ts";
import { respondWith } from "./testing/test-gateway.ts";

afterEach(closeShops);

const CHANGES: readonly (readonly [what: string, terms: Partial<PaymentTerms>])[] = [
  ["price", { price: "$0.05" }],
  ["network, and so the asset", { network: "base" }],
  ["asset", { asset: `0x${"a".repeat(40)}`, price: "10000", extra_name: "Other", extra_version: "1" }],
  ["way of payment", { asset_transfer_method: "permit2" }],
  ["payee", { pay_to: "0x70997970C51812dc3A010C7d01b50e0d17dc79C8" }],
];

for (const [what, terms] of CHANGES) {
  test.each([1, 2])(
    `a payment of version %d with an open outcome is found and finished after the route's ${what} has changed`,
    async (version) => {
      const before = openShop({
        facilitator: () => ({ settle: async () => ({ kind: "unknown", cause: "time-out", transaction: "" }) }),
      });
      const payment = before.payment();
      const fields = version === 1 ? ofVersion1(payment) : { "payment-signature": encodeHeader(payment) };
      expect((await send(before, fields)).status).toBe(503);
      const after = openShop({ store: before.store, terms });
      before.clock.now += LEASE_MS;
      const response = await send(after, fields);
      expect([response.status, await response.text()]).toEqual([200, "the goods"]);
      expect(await before.recorded(payment)).toMatchObject({ state: "settled", amount: "10000", delivered: true });
      // A new payment on the old terms is not accepted.
      expect((await after.send(before.payment())).status).toBe(402);
      expect([(await send(after, ofVersion1(before.payment()))).status, after.runs]).toEqual([402, 1]);
    },
  );
}

test("after a change of terms a payment finishes the request that it was begun for, and opens no other", async () => {
  let isOpen = true;
  const before = openShop({
    facilitator: (real) => ({
      settle: async (...of) => (isOpen ? { kind: "unknown", cause: "time-out", transaction: "" } : real.settle(...of)),
    }),
  });
  const unknown = before.payment();
  expect((await before.send(unknown)).status).toBe(503);
  isOpen = false;
  const settled = before.payment();
  expect((await before.send(settled)).status).toBe(200);
  const after = openShop({ store: before.store, terms: { price: "$0.05" } });
  before.clock.now += LEASE_MS;
  for (const payment of [unknown, settled]) {
    const other = await after.send(payment, { path: "/goods?of=another" });
    expect([other.status, await other.json()]).toMatchObject([402, { error: "No matching payment requirements" }]);
  }
  expect([after.runs, after.settlements]).toEqual([0, 0]);
  expect((await after.send(unknown)).status).toBe(200);
  // The payment is spent, and its response is kept in the other shop.
  expect((await after.send(settled)).status).toBe(409);
});

test("without servers a route takes no new payment and offers no price, and finishes what was begun", async () => {
  const before = openShop({
    facilitator: () => ({ settle: async () => ({ kind: "unknown", cause: "time-out", transaction: "" }) }),
  });
  const begun = before.payment();
  expect((await before.send(begun)).status).toBe(503);
  const after = openShop({ store: before.store, isServed: false });
  const payment = before.payment();
  for (const response of [await after.send(payment), await fetch(`${after.gateway.url}/goods`)]) {
    expect([response.status, response.headers.get("retry-after"), await response.json()]).toMatchObject([
      503,
      "1",
      { type: "urn:turnpike:error:no-servers" },
    ]);
  }
  expect([after.settlements, await after.recorded(payment)]).toEqual([0, undefined]);
  before.clock.now += LEASE_MS;
  expect((await after.send(begun)).status).toBe(200);
  expect(await before.recorded(begun)).toMatchObject({ state: "settled" });
});

const FACILITATOR = { facilitatorAddress: freshAccount().address };

/** The route by the unit. */
const METERED: ShopOptions = {
  channels: { keys: channelKeys.parse({}), authorizer: freshAccount() },
  kinds: { current: [{ scheme: "batch-settlement", network: "eip155:*" }] },
  terms: { scheme: "batch-settlement", meter: { unit: "event", units: 3, pause_s: 1 } },
  credits: true,
  mpp: true,
};

const PLAIN: ShopOptions = { credits: true, mpp: true };
const UPTO: ShopOptions = {
  terms: { scheme: "upto", max_timeout_seconds: 3600 },
  kinds: { current: [{ scheme: "upto", network: "eip155:*", extra: FACILITATOR }] },
};

/** Of a process that dies before it can record a delivery. */
const dead = (real: Ledger): Partial<Ledger> => ({
  move: (held, change) => (change.delivered === undefined ? real.move(held, change) : new Promise(() => {})),
});

type Headers = Readonly<Record<string, string>>;
type Pay = (shop: Shop) => Promise<Headers>;

function ofVersion1({ payload }: Eip3009Payment): Headers {
  return { "x-payment": encodeHeader({ x402Version: 1, scheme: "exact", network: "base-sepolia", payload }) };
}

function send({ gateway }: Shop, headers: Headers): Promise<Response> {
  return fetch(`${gateway.url}/goods`, { headers });
}

/** The header of a new payment to a shop. */
const WAYS: readonly (readonly [what: string, terms: ShopOptions, pay: Pay])[] = [
  ["payment", PLAIN, async (shop) => ({ "payment-signature": encodeHeader(shop.payment()) })],
  ["payment of version 1", PLAIN, async (shop) => ofVersion1(shop.payment())],
  [
    "payment by the Payment scheme",
    PLAIN,
    async (shop) => {
      const [challenge] = challengesOf(await fetch(`${shop.gateway.url}/goods`));
      if (challenge === undefined) throw new Error("no challenge");
      return { authorization: answerTo(challenge, {}) };
    },
  ],
  [
    "payment of at most a price",
    UPTO,
    async (shop) => {
      const unpaid = await fetch(`${shop.gateway.url}/goods`);
      const [requirements] = paymentRequiredSchema.parse(decoded(unpaid, "payment-required")).accepts;
      if (requirements === undefined) throw new Error("no requirements");
      return { "payment-signature": encodeHeader(signedPermit2(requirements, shop.clock.now / 1000)) };
    },
  ],
  [
    "charge to prepaid credit",
    PLAIN,
    async ({ store, clock }) => {
      const terms = { owner: PAYER.toLowerCase(), unit: "money", name: "", network: "eip155:84532" } as const;
      const credit = { ...terms, token: USDC.toLowerCase(), routes: [], expiresAt: 0 };
      const grant = { kind: "issued", amount: "10000", payment: "" } as const;
      const { token } = await issueCredit(store.credits, credit, grant, true);
      return { authorization: `Bearer ${token}`, "idempotency-key": String(clock.now) };
    },
  ],
];

onEachStore((onNewStore) => {
  /** A payment that has paid for a request, whose gateway has died, and the gateway that follows it. */
  async function followed(terms: ShopOptions, pay: Pay, upstream?: ShopOptions["upstream"]) {
    const shared = { ...onNewStore(), ...(upstream === undefined ? {} : { upstream }) };
    const before = openShop({ ...shared, ...terms, ledger: dead });
    const after = openShop({ ...shared, ...METERED });
    const headers = await pay(before);
    expect([(await send(after, headers)).status, after.runs]).toEqual([402, 0]);
    await (await send(before, headers)).text();
    shared.clock.now += LEASE_MS + 1;
    const recorded = async (): Promise<Payment> => {
      const [only, ...others] = await before.store.view.list({}, { limit: 2 });
      if (only === undefined || others.length > 0) throw new Error("not one payment");
      return only;
    };
    return { before, after, again: () => send(after, headers), recorded };
  }

  test.each(WAYS)(
    "a %s that was made gets its response, once, although the route sells by the unit",
    async (_what, terms, pay) => {
      const { before, after, again, recorded } = await followed(terms, pay);
      const response = await again();
      expect([response.status, await response.text()]).toEqual([200, "the goods"]);
      await until(async () => (await recorded()).delivered);
      expect(await recorded()).toMatchObject({ state: "settled", amount: "10000" });
      const { asset } = await recorded();
      if (asset.startsWith(CREDIT_BOOK)) {
        expect(await before.store.credits.find(asset.slice(CREDIT_BOOK.length))).toMatchObject({ balance: "0" });
      }
      // The same response is kept.
      expect([(await again()).status, after.runs, after.settlements]).toEqual([200, 1, 0]);
    },
  );

  test.each(WAYS.slice(3))("work for a %s goes on although the route sells by the unit", async (_what, terms, pay) => {
    const deferral = fieldLine("Settlement-Deferral", `{"path":"/charges/1"}`);
    const { after, again, recorded } = await followed(terms, pay, (exchange) =>
      respondWith(exchange, 202, "job", deferral),
    );
    const response = await again();
    expect([response.status, await response.text()]).toEqual([202, "job"]);
    await until(async () => (await recorded()).delivered);
    const payment = await recorded();
    expect([payment.state, deferralOf(payment)?.quote, after.settlements]).toEqual(["deferred", "10000", 0]);
  });
});

for (const testMode of [true, false]) {
  test(`a payment begun ${testMode ? "in" : "out of"} test mode does not count in the other mode, paid or open`, async () => {
    const open = { kind: "unknown", cause: "time-out", transaction: "" } as const;
    let isOpen = true;
    const before = openShop({
      testMode,
      facilitator: (real) => ({ settle: async (...of) => (isOpen ? open : real.settle(...of)) }),
      upstream: (exchange) => respondWith(exchange, 200, "the goods"),
    });
    let asked = 0;
    const after = openShop({
      testMode: !testMode,
      store: before.store,
      facilitator: (real) => ({ find: async (...of) => ((asked += 1), real.find(...of)) }),
    });
    const unknown = before.payment();
    expect((await before.send(unknown)).status).toBe(503);
    isOpen = false;
    const owed = before.payment();
    expect((await before.send(owed)).status).toBe(200);
    before.clock.now += LEASE_MS;
    for (const payment of [unknown, owed]) {
      const response = await after.send(payment);
      expect([response.status, await response.json()]).toMatchObject([
        409,
        { type: "urn:turnpike:error:payment-conflict" },
      ]);
    }
    expect([asked, after.runs, after.settlements]).toEqual([0, 0, 0]);
    expect(await before.recorded(unknown)).toMatchObject({ state: "unknown" });
  });
}
