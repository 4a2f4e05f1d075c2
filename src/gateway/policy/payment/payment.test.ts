import { afterEach, expect, test } from "bun:test";
import { x402Client } from "@x402/core/client";
import { ExactEvmScheme } from "@x402/evm/exact/client";
import { wrapFetchWithPayment } from "@x402/fetch";
import { privateKeyToAccount } from "viem/accounts";
import { TurnpikeError } from "../../../lib/errors.ts";
import { fieldLine } from "../../../lib/http/fields.ts";
import { freshNonce, PAYEE, PAYER, PRIVATE_KEY, REQUIREMENTS, USDC } from "../../../payments/testing/payment.ts";
import { encodeHeader } from "../../../payments/x402/header.ts";
import { closeShops, decoded, openShop as open, type Shop, type ShopOptions } from "./testing/shop.ts";
import { respondWith } from "./testing/test-gateway.ts";

afterEach(closeShops);

function payingFetch(): ReturnType<typeof wrapFetchWithPayment> {
  const client = new x402Client().register("eip155:*", new ExactEvmScheme(privateKeyToAccount(PRIVATE_KEY)));
  return wrapFetchWithPayment(fetch, client);
}

test("an unpaid request gets the price in header and body, and the upstream gets no request", async () => {
  const shop = open();
  const response = await fetch(`${shop.gateway.url}/goods`, { headers: { host: "evil.example" } });
  expect(response.status).toBe(402);
  expect(response.headers.get("cache-control")).toBe("no-store");
  expect(response.headers.get("content-type")).toBe("application/problem+json");
  expect(response.headers.get("access-control-expose-headers")).toContain("PAYMENT-REQUIRED");
  const required = {
    x402Version: 2,
    error: "Payment required",
    resource: { url: "http://shop.example/goods", description: "Goods" },
    accepts: [REQUIREMENTS],
  };
  expect(decoded(response, "payment-required")).toEqual(required);
  const body: unknown = await response.json();
  expect(body).toEqual({
    type: "urn:turnpike:error:payment-required",
    title: "Payment Required",
    status: 402,
    detail:
      "This costs 0.01 USDC on Base Sepolia (eip155:84532). Pay with an x402 client, such as @x402/fetch or @x402/axios on npm, or x402 for Python. Test mode: no money moves.",
    instance: shop.gateway.last()?.id,
    x402Version: 1,
    error: "Payment required",
    accepts: [
      {
        scheme: "exact",
        network: "base-sepolia",
        maxAmountRequired: "10000",
        resource: "http://shop.example/goods",
        description: "Goods",
        mimeType: "",
        payTo: PAYEE,
        maxTimeoutSeconds: 60,
        asset: USDC,
        extra: { name: "USDC", version: "2" },
      },
    ],
    paymentRequired: required,
  });
  expect(shop.runs).toBe(0);
});

test("HEAD costs the same as GET", async () => {
  const shop = open();
  const unpaid = await fetch(`${shop.gateway.url}/goods`, { method: "HEAD" });
  expect(unpaid.status).toBe(402);
  expect(decoded(unpaid, "payment-required")).toMatchObject({ accepts: [REQUIREMENTS] });
  const paid = await shop.send(shop.payment(), { method: "HEAD" });
  expect(paid.status).toBe(200);
  expect(decoded(paid, "payment-response")).toMatchObject({ success: true });
  expect(shop.runs).toBe(1);
});

test("a preflight is free, any other OPTIONS is not", async () => {
  const shop = open({ upstream: (exchange) => respondWith(exchange, 200, "preflight") });
  const headers = { origin: "http://a.example", "access-control-request-method": "POST" };
  expect((await fetch(`${shop.gateway.url}/goods`, { method: "OPTIONS", headers })).status).toBe(204);
  expect((await fetch(`${shop.gateway.url}/goods`, { method: "OPTIONS" })).status).toBe(402);
  expect((await fetch(`${shop.gateway.url}/goods`, { method: "GET", headers })).status).toBe(402);
});

test("a preflight gets no content, whatever the upstream sends for it", async () => {
  const shop = open({
    upstream: (exchange) => respondWith(exchange, 200, "the goods", fieldLine("Access-Control-Allow-Origin", "*")),
  });
  const headers = { origin: "http://a.example", "access-control-request-method": "GET" };
  const response = await fetch(`${shop.gateway.url}/goods`, { method: "OPTIONS", headers });
  expect([response.status, response.headers.get("access-control-allow-origin")]).toEqual([204, "*"]);
  expect(await response.text()).toBe("");
});

test("the real x402 client pays, and gets the goods with a receipt that shared caches do not store", async () => {
  const shop = open({
    upstream: (exchange) =>
      respondWith(
        exchange,
        200,
        "the goods",
        fieldLine("Cache-Control", "public, max-age=60, s-maxage=90") +
          fieldLine("PAYMENT-RESPONSE", "forged") +
          fieldLine("PAYMENT-REQUIRED", "forged") +
          fieldLine("Settlement-Overrides", '{"amount":"1"}') +
          fieldLine("X-Own", "kept"),
      ),
  });
  const response = await payingFetch()(`${shop.gateway.url}/goods`);
  expect(response.status).toBe(200);
  expect(await response.text()).toBe("the goods");
  expect(decoded(response, "payment-response")).toEqual({
    success: true,
    transaction: expect.stringMatching(/^0x7e577e57/),
    network: "eip155:84532",
    payer: PAYER,
    extra: { testMode: true },
  });
  expect(response.headers.get("cache-control")).toBe("private, max-age=60");
  expect(response.headers.get("payment-required")).toBeNull();
  expect(response.headers.get("settlement-overrides")).toBeNull();
  expect(response.headers.get("x-own")).toBe("kept");
  expect(shop.lastUpstreamFields).not.toMatch(/^(?:payment-signature|x-payment):/im);
  expect([shop.runs, shop.settlements]).toEqual([1, 1]);
});

test("five concurrent requests with one payment run the upstream once and settle once", async () => {
  const gate = Promise.withResolvers<void>();
  const shop = open({
    upstream: async (exchange) => {
      await gate.promise;
      respondWith(exchange, 200, "the goods");
    },
  });
  const payment = shop.payment();
  const refused = Promise.withResolvers<void>();
  const four: Response[] = [];
  const sent = Array.from({ length: 5 }, async () => {
    const response = await shop.send(payment);
    if (response.status === 409 && four.push(response) === 4) refused.resolve();
    return response;
  });
  await refused.promise;
  expect(four[0]?.headers.get("retry-after")).toBe("1");
  // The same payment can be sent again. With a challenge the client would pay twice.
  expect(four[0]?.headers.has("payment-required")).toBe(false);
  gate.resolve();
  const statuses = (await Promise.all(sent)).map((response) => response.status);
  expect(statuses.toSorted((a, b) => a - b)).toEqual([200, 409, 409, 409, 409]);
  expect([shop.runs, shop.settlements]).toEqual([1, 1]);
});

test("the same payment for the same request gets the same response again, for a while", async () => {
  const shop = open();
  const payment = shop.payment();
  const first = await shop.send(payment);
  const again = await shop.send(payment);
  expect([first.status, again.status]).toEqual([200, 200]);
  expect(await again.text()).toBe("the goods");
  expect(again.headers.get("payment-response")).toBe(first.headers.get("payment-response"));
  shop.clock.now += 61_000;
  const late = await shop.send(payment);
  expect(late.status).toBe(409);
  expect(decoded(late, "payment-required")).toMatchObject({ accepts: [REQUIREMENTS] });
  expect(await late.json()).toMatchObject({
    type: "urn:turnpike:error:payment-conflict",
    accepts: [{ maxAmountRequired: "10000" }],
    paymentRequired: { accepts: [REQUIREMENTS] },
  });
  expect([shop.runs, shop.settlements]).toEqual([1, 1]);
});

test("a used payment buys no other path, query or method, also in another spelling", async () => {
  const shop = open();
  // The nonce has letters, so that it has a second spelling.
  const payment = shop.payment({ nonce: `0xab${freshNonce().slice(4)}` });
  expect((await shop.send(payment)).status).toBe(200);
  expect((await shop.send(payment, { path: "/goods/other" })).status).toBe(409);
  expect((await shop.send(payment, { path: "/goods?page=2" })).status).toBe(409);
  expect((await shop.send(payment, { method: "POST" })).status).toBe(409);
  expect((await shop.send({ ...payment, note: "other bytes" })).status).toBe(409);
  const { authorization, signature } = payment.payload;
  const shouted = { ...authorization, nonce: `0x${authorization.nonce.slice(2).toUpperCase()}` };
  expect((await shop.send({ ...payment, payload: { signature, authorization: shouted } })).status).toBe(409);
  expect(shop.runs).toBe(1);
});

test("a used payment does not buy a resource of another host under the same path", async () => {
  const shop = open({ upstream: (exchange) => respondWith(exchange, 200, exchange.head.authority) });
  const payment = shop.payment();
  expect((await shop.send(payment)).status).toBe(200);
  const { port } = new URL(shop.gateway.url);
  const elsewhere = await fetch(`http://localhost:${port}/goods`, {
    headers: { "payment-signature": encodeHeader(payment) },
  });
  expect(elsewhere.status).toBe(409);
  expect(shop.runs).toBe(1);
});

test("a payment whose terms differ from those of the 402 matches no option", async () => {
  const shop = open();
  for (const change of [{ amount: "1" }, { payTo: PAYER }, { asset: PAYEE }, { network: "eip155:8453" }]) {
    const response = await shop.send({ ...shop.payment(), accepted: { ...REQUIREMENTS, ...change } });
    expect(response.status).toBe(402);
    expect(decoded(response, "payment-required")).toMatchObject({ error: "No matching payment requirements" });
  }
  expect([shop.runs, shop.settlements]).toEqual([0, 0]);
});

const REFUSED: readonly (readonly [name: string, change: (shop: Shop) => object, reason: string])[] = [
  ["less money", () => ({ value: "9999" }), "invalid_exact_evm_payload_authorization_value_mismatch"],
  ["more money", () => ({ value: "10001" }), "invalid_exact_evm_payload_authorization_value_mismatch"],
  ["another payee", () => ({ to: PAYER }), "invalid_exact_evm_recipient_mismatch"],
  ["a foreign signature", () => ({ from: USDC }), "invalid_exact_evm_signature"],
  [
    "its time over",
    (shop) => ({ validBefore: String(Math.floor(shop.clock.now / 1000)) }),
    "invalid_exact_evm_payload_authorization_valid_before",
  ],
  [
    "ten years to run",
    (shop) => ({ validBefore: String(Math.floor(shop.clock.now / 1000) + 3e8) }),
    "invalid_exact_evm_payload_authorization_valid_before",
  ],
];

for (const [name, change, reason] of REFUSED) {
  test(`a payment with ${name} is refused with the reason, and leaves nothing in the ledger`, async () => {
    const shop = open();
    const payment = shop.payment(change(shop));
    const response = await shop.send(payment);
    expect(response.status).toBe(402);
    expect(decoded(response, "payment-required")).toMatchObject({ error: reason, accepts: [REQUIREMENTS] });
    expect(await response.json()).toMatchObject({ error: reason, status: 402 });
    expect(await shop.recorded(payment)).toBeUndefined();
    expect([shop.runs, shop.settlements]).toEqual([0, 0]);
  });
}

test("a malformed payment is refused with 400, and not as unpaid", async () => {
  const shop = open();
  const { authorization } = shop.payment().payload;
  for (const payment of [
    "",
    "!",
    "bnVsbA==",
    { x402Version: 1 },
    { ...shop.payment(), payload: { authorization } },
    "A".repeat(9000),
  ]) {
    const response = await shop.send(payment);
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ type: "urn:turnpike:error:invalid-payment" });
  }
  expect(shop.runs).toBe(0);
});

test("a failing upstream is not paid, its response passes, and the payment can be used again", async () => {
  let status = 500;
  const shop = open({
    upstream: (exchange) => respondWith(exchange, status, "sorry", fieldLine("PAYMENT-RESPONSE", "forged")),
  });
  const payment = shop.payment();
  for (status of [500, 404]) {
    const response = await shop.send(payment);
    expect([response.status, await response.text()]).toEqual([status, "sorry"]);
    expect(response.headers.get("payment-response")).toBeNull();
  }
  expect(shop.settlements).toBe(0);
  expect(await shop.recorded(payment)).toMatchObject({ state: "released", reason: "upstream" });
  status = 200;
  expect((await shop.send(payment)).status).toBe(200);
  expect(await shop.recorded(payment)).toMatchObject({ state: "settled", reason: "" });
  expect([shop.runs, shop.settlements]).toEqual([3, 1]);
});

test("a truncated or too long response, or a protocol upgrade, is not charged", async () => {
  const cases: readonly (readonly [upstream: NonNullable<ShopOptions["upstream"]>, status: number])[] = [
    [
      ({ response }) => {
        response.start({ status: 200, reason: "", fields: "", bodyLength: 100 });
        response.data(Buffer.from("secret goods"));
        response.abort(new TurnpikeError("upstream-failed", "It closed the connection"));
      },
      502,
    ],
    [({ response }) => response.abort(new TurnpikeError("upstream-timeout", "It took too long")), 504],
    [
      ({ response }) => {
        response.start({ status: 200, reason: "", fields: "", bodyLength: 5 });
        response.data(Buffer.from("secret goods"));
        response.end("");
      },
      502,
    ],
    [(exchange) => respondWith(exchange, 200, "secret goods, and too long"), 502],
    [
      ({ response }) => {
        response.start({ status: 200, reason: "", fields: "", bodyLength: -1 });
        for (const part of ["secret ", "goods, ", "and ", "too ", "long"]) response.data(Buffer.from(part));
        response.end("");
      },
      502,
    ],
    [
      ({ response }) => response.start({ status: 101, reason: "", fields: "Upgrade: websocket\r\n", bodyLength: 0 }),
      501,
    ],
  ];
  for (const [upstream, status] of cases) {
    const stops: string[] = [];
    const shop = open({
      bounds: { maxResponseBytes: 20, maxEntries: 2 },
      upstream: (exchange) => {
        exchange.onCancel = () => stops.push("stopped");
        return upstream(exchange);
      },
    });
    const payment = shop.payment();
    const response = await shop.send(payment);
    expect(response.status).toBe(status);
    expect(await response.text()).not.toContain("secret");
    expect([response.headers.get("payment-response"), response.headers.get("retry-after")]).toEqual([null, null]);
    expect(await shop.recorded(payment)).toMatchObject({ state: "released", reason: "upstream" });
    expect([shop.settlements, shop.bodies.used]).toEqual([0, 0]);
  }
});

test("interim responses pass only if the payment is settled before, and without payment fields", async () => {
  const options: ShopOptions = {
    upstream: (exchange) => {
      const fields = fieldLine("Link", "</a.css>") + fieldLine("PAYMENT-RESPONSE", "forged");
      exchange.response.start({ status: 103, reason: "", fields, bodyLength: 0 });
      respondWith(exchange, 200, "the goods");
    },
  };
  const after = open(options);
  expect((await after.send(after.payment())).status).toBe(200);
  expect(after.gateway.last()?.interim).toEqual([]);
  const before = open({ ...options, terms: { settle: "before" } });
  expect((await before.send(before.payment())).status).toBe(200);
  expect(before.gateway.last()?.interim).toEqual([
    { status: 103, reason: "", fields: "Link: </a.css>\r\n", bodyLength: 0 },
  ]);
});

test("a response without a body, or of unknown length, is sold unchanged", async () => {
  const empty = open({
    upstream: ({ response }) => {
      response.start({ status: 204, reason: "", fields: "", bodyLength: 0 });
      response.end("");
    },
  });
  expect((await empty.send(empty.payment())).status).toBe(204);
  const chunked = open({
    upstream: ({ response }) => {
      response.start({ status: 200, reason: "", fields: "", bodyLength: -1 });
      response.data(Buffer.from("the "));
      response.data(Buffer.from("goods"));
      response.end("");
    },
  });
  const response = await chunked.send(chunked.payment());
  expect(await response.text()).toBe("the goods");
  expect(response.headers.get("content-length")).toBe("9");
});

test("terms that would give content away fail the start, and the error names the route", () => {
  expect(() => open({ terms: { network: "basement" } })).toThrow(
    'Cannot serve route "/goods": Cannot accept payments: network "basement" is unknown',
  );
});
