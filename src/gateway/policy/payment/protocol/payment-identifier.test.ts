import { afterEach, expect, test } from "bun:test";
import { type Eip3009Payment } from "../../../../payments/x402/messages.ts";
import { closeShops, openShop as open, type Shop } from "../testing/shop.ts";
import { respondWith } from "../testing/test-gateway.ts";

/** The limits as they are documented: a test states them, so that no change of one goes unnoticed. */
const ID_KEEP_MS = 86_400_000;

afterEach(closeShops);

const ID = "order-0123456789_ABC";
const REQUIRED = { "payment-identifier": { info: { required: true }, schema: { type: "object" } } };
const OPTIONAL = { "payment-identifier": { info: { required: false }, schema: { type: "object" } } };

function named(shop: Shop, id: unknown, extension: object = OPTIONAL["payment-identifier"]): Eip3009Payment {
  const info = { ...Object(Reflect.get(extension, "info")), id };
  return { ...shop.payment(), extensions: { "payment-identifier": { ...extension, info } } };
}

test("an id buys once: the same payment gets the kept response, and another payment gets 409 and is not charged", async () => {
  const shop = open({ terms: { extensions: OPTIONAL } });
  const payment = named(shop, ID);
  expect((await shop.send(payment)).status).toBe(200);
  const again = await shop.send(payment);
  expect([again.status, await again.text()]).toEqual([200, "the goods"]);
  const other = named(shop, ID);
  const refused = await shop.send(other);
  expect([refused.status, refused.headers.has("payment-required")]).toEqual([409, true]);
  expect(await shop.recorded(other)).toMatchObject({ state: "released" });
  expect((await shop.send(payment, { path: "/goods/other" })).status).toBe(409);
  expect([shop.runs, shop.settlements]).toEqual([1, 1]);
});

test("another id buys again, and case counts", async () => {
  const shop = open({ terms: { extensions: OPTIONAL } });
  for (const id of [ID, `${ID}2`, ID.toLowerCase()]) expect((await shop.send(named(shop, id))).status).toBe(200);
  expect([shop.runs, shop.settlements]).toEqual([3, 3]);
});

test("an id counts even if the route does not mention ids", async () => {
  const shop = open();
  expect((await shop.send(named(shop, ID))).status).toBe(200);
  expect((await shop.send(named(shop, ID))).status).toBe(409);
});

test("a payment without a required id, or with an invalid one, is refused with 400", async () => {
  const shop = open({ terms: { extensions: REQUIRED } });
  const bare = [shop.payment(), { ...shop.payment(), extensions: REQUIRED }];
  const bad = ["short", "a".repeat(129), "with spaces in it 123", "ümlaute-und-mehr", 12_345, null].map((id) =>
    named(shop, id, REQUIRED["payment-identifier"]),
  );
  for (const payment of [...bare, ...bad]) {
    const response = await shop.send(payment);
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ type: "urn:turnpike:error:invalid-payment" });
    expect(await shop.recorded(payment)).toBeUndefined();
  }
  expect((await shop.send(named(shop, ID, REQUIRED["payment-identifier"]))).status).toBe(200);
  expect([shop.runs, shop.settlements]).toEqual([1, 1]);
});

test("an id is free for another payment if its own payment came to nothing", async () => {
  let status = 500;
  let refuses = true;
  const shop = open({
    terms: { extensions: OPTIONAL },
    upstream: (exchange) => respondWith(exchange, status, "the goods"),
    facilitator: (real) => ({
      settle: async (...payment) =>
        refuses ? { kind: "refused", reason: "invalid_exact_evm_insufficient_balance" } : real.settle(...payment),
    }),
  });
  expect((await shop.send(named(shop, ID))).status).toBe(500);
  status = 200;
  expect((await shop.send(named(shop, ID))).status).toBe(402);
  refuses = false;
  expect((await shop.send(named(shop, ID))).status).toBe(200);
  expect((await shop.send(named(shop, ID))).status).toBe(409);
});

test("an invalid payment takes no id", async () => {
  const shop = open({ terms: { extensions: OPTIONAL } });
  const forged = named(shop, ID);
  const { signature } = shop.payment().payload;
  expect((await shop.send({ ...forged, payload: { ...forged.payload, signature } })).status).toBe(402);
  expect((await shop.send(named(shop, ID))).status).toBe(200);
});

test("an id expires", async () => {
  const shop = open({ terms: { extensions: OPTIONAL } });
  expect((await shop.send(named(shop, ID))).status).toBe(200);
  shop.clock.now += ID_KEEP_MS + 1;
  expect((await shop.send(named(shop, ID))).status).toBe(200);
});

test("a payment begun without an id is finished after ids become required", async () => {
  let lost = true;
  const before = open({
    facilitator: (real) => ({
      settle: async (...payment) =>
        lost ? { kind: "unknown", cause: "no response", transaction: "" } : real.settle(...payment),
    }),
  });
  const payment = before.payment();
  expect((await before.send(payment)).status).toBe(503);
  lost = false;
  const after = open({ store: before.store, terms: { extensions: REQUIRED } });
  expect((await after.send(payment)).status).toBe(200);
  expect((await after.send(after.payment())).status).toBe(400);
});
