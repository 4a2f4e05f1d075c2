import { afterEach, expect, setDefaultTimeout, test } from "bun:test";
import { until } from "../../../lib/testing/until.ts";
import { patient } from "../../../lib/testing/patience.ts";
import { type Facilitator } from "../../../payments/x402/facilitator.ts";
import { PAYER } from "../../../payments/testing/payment.ts";
import { closeShops, counted, decoded, openShop, type Shop, type ShopOptions } from "./testing/shop.ts";

setDefaultTimeout(patient(10_000));
afterEach(closeShops);

const NETWORK = "sui:mainnet";
const KINDS = { current: [{ scheme: "exact", network: NETWORK, extra: { sponsor: "0xfee" } }] };
const TERMS = { network: NETWORK, asset: "0x2::usdc::USDC", pay_to: "0x51a", price: "1000", settle: "before" } as const;
const TRANSACTION = "4vJ9JU1bJJE96FWSJKvHsmmFADCg4gpZQff4P3bkLKi";

/** A shop whose facilitator takes each payload once, by its member `id`. */
function open(payer: string, options: ShopOptions = {}): Shop {
  const spent = new Set<unknown>();
  const facilitator = (): Partial<Facilitator> => ({
    verify: async () => ({ kind: "valid", payer }),
    settle: async ({ payload }) => {
      const id = "id" in payload ? payload["id"] : undefined;
      if (spent.has(id)) return { kind: "refused", reason: "insufficient_funds" };
      spent.add(id);
      return { kind: "settled", transaction: TRANSACTION, payer };
    },
  });
  return openShop({ testMode: false, kinds: KINDS, facilitator, terms: TERMS, ...options });
}

function memberOf(payload: object, name: string): string {
  return String(Reflect.get(payload, name));
}

async function payment(shop: Shop, payload: unknown): Promise<object> {
  const response = await fetch(`${shop.gateway.url}/goods`);
  const { accepts } = Object(decoded(response, "payment-required"));
  return { x402Version: 2, accepted: accepts[0], payload };
}

test("a network of a facilitator is sold on without code for it: its values are in the challenge", async () => {
  const shop = open("0xb0b");
  const signed = await payment(shop, { id: 1, bytes: "AAAA", nested: { b: 1, a: [2] } });
  expect(signed).toMatchObject({
    accepted: {
      network: NETWORK,
      asset: "0x2::usdc::USDC",
      payTo: "0x51a",
      amount: "1000",
      extra: { sponsor: "0xfee", paymentFlow: "upfront" },
    },
  });
  const response = await shop.send(signed);
  expect([response.status, await response.text()]).toEqual([200, "the goods"]);
  expect(decoded(response, "payment-response")).toMatchObject({ transaction: TRANSACTION, payer: "0xb0b" });
  expect(shop.lastUpstreamFields).toContain("Turnpike-Payer: 0xb0b");
});

test("the same payload in another order of members is the same payment, and another one is settled first", async () => {
  const shop = open("0xb0b");
  expect((await shop.send(await payment(shop, { id: 1, bytes: "AAAA" }))).status).toBe(200);
  const reordered = await payment(shop, { bytes: "AAAA", id: 1 });
  expect((await shop.send(reordered, { path: "/goods?2" })).status).toBe(409);
  const padded = await payment(shop, { id: 1, bytes: "AAAA", more: true });
  expect((await shop.send(padded, { path: "/goods?3" })).status).toBe(402);
  expect([shop.settlements, shop.runs]).toEqual([2, 1]);
});

test("a transaction pays for one payment, even if its facilitator settles each spelling again", async () => {
  const shop = open("0xb0b", {
    facilitator: () => ({
      verify: async () => ({ kind: "valid", payer: "0xb0b" }),
      settle: async () => ({ kind: "settled", transaction: TRANSACTION, payer: "0xb0b" }),
    }),
  });
  const spellings = await Promise.all([1, 2, 3].map((more) => payment(shop, { id: 1, more })));
  const responses = await Promise.all(spellings.map((signed) => shop.send(signed)));
  expect(responses.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 402, 402]);
  const refused = responses.find(({ status }) => status === 402);
  expect(refused && decoded(refused, "payment-response")).toMatchObject({
    success: false,
    errorReason: "duplicate_settlement",
  });
  expect(shop.runs).toBe(1);
});

test("a transaction pays for nothing more after the ledger has deleted its payment", async () => {
  const shop = open("0xb0b", {
    facilitator: () => ({
      verify: async () => ({ kind: "valid", payer: "0xb0b" }),
      settle: async () => ({ kind: "settled", transaction: TRANSACTION, payer: "0xb0b" }),
    }),
  });
  const signed = await payment(shop, { id: 1 });
  expect((await shop.send(signed)).status).toBe(200);
  shop.clock.now += 2 * 86_400_000;
  await until(async () => (await shop.store.forget(shop.clock.now, 1)) === 1);
  const again = await shop.send(signed);
  expect([again.status, shop.runs]).toEqual([402, 1]);
  expect(decoded(again, "payment-response")).toMatchObject({ success: false, errorReason: "duplicate_settlement" });
});

test("a settlement that the ledger did not record is recognised as that of the same payment", async () => {
  let fails = true;
  const shop = open("0xb0b", {
    facilitator: () => ({
      verify: async () => ({ kind: "valid", payer: "0xb0b" }),
      settle: async () => ({ kind: "settled", transaction: TRANSACTION, payer: "0xb0b" }),
      find: async () => ({ kind: "unspent" }),
    }),
    ledger: (real) => ({
      move: async (row, change) => {
        if (fails && change.state === "settled") throw new Error("the ledger is away");
        return await real.move(row, change);
      },
    }),
  });
  const signed = await payment(shop, { id: 1 });
  expect((await shop.send(signed)).status).toBeGreaterThanOrEqual(500);
  fails = false;
  await until(async () => (await shop.send(signed)).status === 200);
  expect(shop.runs).toBe(1);
});

test("an id of a payment is that of its payer, whom the facilitator names", async () => {
  const shop = open("", {
    facilitator: () => ({
      verify: async ({ payload }) => ({ kind: "valid", payer: memberOf(payload, "who") }),
      settle: async ({ payload }) => ({
        kind: "settled",
        transaction: memberOf(payload, "id"),
        payer: memberOf(payload, "who"),
      }),
    }),
  });
  const buy = async (who: string, id: number): Promise<number> => {
    const signed = await payment(shop, { who, id });
    const extensions = { "payment-identifier": { info: { id: "order_0000000000001" } } };
    return (await shop.send({ ...signed, extensions })).status;
  };
  expect([await buy("0xa", 1), await buy("0xb", 2), await buy("0xa", 3)]).toEqual([200, 200, 409]);
  expect([shop.settlements, shop.runs]).toEqual([2, 2]);
});

test("a buyer on such a network is known by the name that the facilitator gives, and no other one is taken for it", async () => {
  const shop = open("", {
    facilitator: () => ({
      verify: async ({ payload }) => ({ kind: "valid", payer: memberOf(payload, "who") }),
      settle: async ({ payload }) => ({
        kind: "settled",
        transaction: memberOf(payload, "id"),
        payer: memberOf(payload, "who"),
      }),
    }),
  });
  for (const [id, who, again] of [
    [1, "0xa", undefined],
    [2, "0xb", undefined],
    [3, "0xa", 1],
  ] as const) {
    expect((await shop.send(await payment(shop, { who, id }))).status).toBe(200);
    await until(() => counted(shop).stages.delivered === id);
    expect(counted(shop).stages.again).toBe(again);
  }
});

test("an EVM payload is not a payment on another network, and the reverse", async () => {
  const shop = open("0xb0b");
  const evm = shop.payment();
  expect((await shop.send({ ...evm, payload: { id: 1 } })).status).toBe(400);
  const { accepted } = Object(await payment(shop, {}));
  expect((await shop.send({ x402Version: 2, accepted, payload: "AAAA" })).status).toBe(400);
  expect(shop.runs).toBe(0);
});

test("while the facilitator does not offer the network, nothing is sold", async () => {
  const shop = open(PAYER, { kinds: { current: [] } });
  expect((await fetch(`${shop.gateway.url}/goods`)).status).toBe(503);
});
