import { afterEach, expect, test } from "bun:test";
import { fieldLine } from "../../../lib/http/fields.ts";
import { paymentRequiredSchema } from "../../../payments/x402/messages.ts";
import { PAYER, REQUIREMENTS } from "../../../payments/testing/payment.ts";
import { closeShops, decoded, openShop as open, type ShopOptions } from "./testing/shop.ts";
import { respondWith, type TestExchange } from "./testing/test-gateway.ts";

afterEach(closeShops);

const JSON_TYPE = fieldLine("Content-Type", "application/json");

function responding(body: string, fields = JSON_TYPE): NonNullable<ShopOptions["upstream"]> {
  return (exchange: TestExchange) => respondWith(exchange, 200, body, fields);
}

test("the gateway's id is in the extra of every payment option, and of the receipt", async () => {
  const shop = open({ terms: { gateway_id: "shop-1" } });
  const unpaid = await fetch(`${shop.gateway.url}/goods`);
  const { accepts } = paymentRequiredSchema.parse(decoded(unpaid, "payment-required"));
  expect(accepts[0]?.extra).toEqual({ ...REQUIREMENTS.extra, gatewayId: "shop-1" });
  const paid = await shop.send({ ...shop.payment(), accepted: accepts[0] });
  expect(paid.status).toBe(200);
  expect(decoded(paid, "payment-response")).toMatchObject({ extra: { testMode: true, gatewayId: "shop-1" } });
  expect((await shop.send(shop.payment())).status).toBe(402);
});

test("a settlement is stored with its record, once, and an unsettled payment has no record", async () => {
  let status = 500;
  const shop = open({
    terms: { gateway_id: "shop-1", settlement_url: "https://books.example/in" },
    upstream: (exchange) => respondWith(exchange, status, "the goods"),
  });
  const [accepted] = paymentRequiredSchema.parse(
    decoded(await fetch(`${shop.gateway.url}/goods`), "payment-required"),
  ).accepts;
  const payment = { ...shop.payment(), ...(accepted === undefined ? {} : { accepted }) };
  expect((await shop.send(payment)).status).toBe(500);
  expect(await shop.store.outbox.size()).toBe(0);
  status = 200;
  for (const _ of [1, 2]) expect((await shop.send(payment)).status).toBe(200);
  const notices = await shop.store.outbox.claim(10);
  expect(notices).toMatchObject([{ url: "https://books.example/in" }]);
  const { transaction } = Object(await shop.recorded(payment));
  expect(JSON.parse(notices[0]?.body ?? "")).toMatchObject({
    data: {
      gateway_id: "shop-1",
      route: "/goods",
      network: REQUIREMENTS.network,
      amount: "10000",
      payer: PAYER,
      transaction,
    },
  });
});

test("a settlement that is found later also has a record", async () => {
  let lost = true;
  const shop = open({
    terms: { settlement_url: "https://books.example/in" },
    facilitator: (real) => ({
      async settle(...payment) {
        const settled = await real.settle(...payment);
        return lost ? { kind: "unknown", cause: "no response", transaction: "" } : settled;
      },
    }),
  });
  const payment = shop.payment();
  expect((await shop.send(payment)).status).toBe(503);
  expect(await shop.store.outbox.size()).toBe(0);
  lost = false;
  expect((await shop.send(payment)).status).toBe(200);
  expect(await shop.store.outbox.size()).toBe(1);
});

test("a settlement whose record could not be stored with it is stored with it later", async () => {
  let broken = true;
  const shop = open({
    terms: { settlement_url: "https://books.example/in" },
    ledger: (real) => ({
      async move(payment, change) {
        if (broken && change.notice !== undefined) {
          broken = false;
          throw new Error("database or disk is full");
        }
        return real.move(payment, change);
      },
    }),
  });
  const payment = shop.payment();
  expect((await shop.send(payment)).status).toBe(503);
  expect(await shop.recorded(payment)).toMatchObject({ state: "settled", delivered: false });
  expect(await shop.store.outbox.size()).toBe(1);
  expect((await shop.send(payment)).status).toBe(200);
  expect([shop.settlements, await shop.store.outbox.size()]).toEqual([1, 1]);
});

test("a receipt is added to a JSON object, and its other bytes do not change", async () => {
  const shop = open({
    terms: { inline_receipt: true },
    upstream: responding('{ "big": 12345678901234567890, "a": {"b": 1.0} }\n', JSON_TYPE + fieldLine("ETag", '"x"')),
  });
  const payment = shop.payment();
  const first = await shop.send(payment);
  const text = await first.text();
  expect(text).toStartWith('{ "big": 12345678901234567890, "a": {"b": 1.0} ,"payment":{"success":true');
  expect(JSON.parse(text).payment).toEqual(decoded(first, "payment-response"));
  expect(first.headers.get("etag")).toBeNull();
  expect(await (await shop.send(payment)).text()).toBe(text);
});

const UNTOUCHED: readonly (readonly [what: string, body: string, fields?: string])[] = [
  ["an array", "[1]"],
  ["a text", '"{}"'],
  ["no JSON", "{a}"],
  ["an object with such a member", '{"payment":1}'],
  ["another type", '{"a":1}', fieldLine("Content-Type", "text/plain")],
  ["another JSON type", '{"a":1}', fieldLine("Content-Type", "application/problem+json")],
  ["a compressed response", '{"a":1}', JSON_TYPE + fieldLine("Content-Encoding", "gzip")],
  ["one that is too long", JSON.stringify({ a: "x".repeat(1_048_576) })],
];

for (const [what, body, fields] of UNTOUCHED) {
  test(`no receipt is added to ${what}`, async () => {
    const shop = open({ terms: { inline_receipt: true }, upstream: responding(body, fields) });
    const response = await fetch(`${shop.gateway.url}/goods`, {
      headers: { "payment-signature": btoa(JSON.stringify(shop.payment())) },
      decompress: false,
    });
    expect([response.status, await response.text()]).toEqual([200, body]);
  });
}

test("no receipt is added to JSON that is not UTF-8, and its bytes do not change", async () => {
  const bytes = Buffer.from('{"a":"caf\xe9"}', "latin1");
  const shop = open({
    terms: { inline_receipt: true },
    upstream: ({ response }) => {
      const fields = fieldLine("Content-Type", "application/json; charset=iso-8859-1");
      response.start({ status: 200, reason: "", fields, bodyLength: bytes.length });
      response.data(bytes);
      response.end("");
    },
  });
  const response = await shop.send(shop.payment());
  expect(Buffer.from(await response.arrayBuffer())).toEqual(bytes);
});

test("a receipt is the only member of an empty object", async () => {
  const shop = open({ terms: { inline_receipt: true }, upstream: responding("{}") });
  const response = await shop.send(shop.payment());
  expect(Object.keys(Object(await response.json()))).toEqual(["payment"]);
});
