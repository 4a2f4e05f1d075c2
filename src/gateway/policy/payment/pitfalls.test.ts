/**
 * The pitfalls of x402 payments that are known from other gateways, by number. 5 and 6 need a chain
 * (src/payments/evm/pitfalls.test.ts), and 8 needs the whole pipeline (test/pitfalls.test.ts).
 */
import { afterEach, expect, test } from "bun:test";
import { hexToBytes } from "@noble/hashes/utils.js";
import { messageOf } from "../../../lib/caught.ts";
import { fieldLine } from "../../../lib/http/fields.ts";
import { payAndFetch } from "../../../payments/client/client.ts";
import { encodeHeader, MAX_HEADER_LENGTH } from "../../../payments/x402/header.ts";
import { HttpFacilitator } from "../../../payments/facilitator/http-facilitator.ts";
import { freshNonce, PAYEE, PAYER, PRIVATE_KEY } from "../../../payments/testing/payment.ts";
import { closeShops, decoded, openShop as open, type Shop } from "./testing/shop.ts";
import { respondWith } from "./testing/test-gateway.ts";

afterEach(closeShops);

function statusesOf(responses: readonly Response[]): number[] {
  return responses.map(({ status }) => status).toSorted((a, b) => a - b);
}

test("pitfall 1: a replay before settlement runs the upstream once, by the nonce and not by bytes or signature", async () => {
  const gate = Promise.withResolvers<void>();
  const shop = open({
    upstream: async (exchange) => {
      await gate.promise;
      respondWith(exchange, 200, "the goods");
    },
  });
  const payment = shop.payment();
  const variants = [payment, payment, payment, { ...payment, note: "other bytes" }, { ...payment, extensions: {} }];
  const refused: number[] = [];
  const sent = variants.map(async (variant) => {
    const response = await shop.send(variant);
    if (response.status === 409 && refused.push(409) === 4) gate.resolve();
    return response;
  });
  expect(statusesOf(await Promise.all(sent))).toEqual([200, 409, 409, 409, 409]);
  expect([shop.runs, shop.settlements]).toEqual([1, 1]);
});

test("pitfall 2: a client that paid while the settlement's response was lost is served with the same payment", async () => {
  let mined = false;
  const shop = open({
    facilitator: (real) => ({
      async settle(...payment) {
        await real.settle(...payment);
        mined = true;
        return { kind: "unknown", cause: "no response within 5000 ms", transaction: "" };
      },
      verify: async (...payment) =>
        mined ? { kind: "refused", reason: "invalid_exact_evm_nonce_already_used" } : real.verify(...payment),
    }),
  });
  const payment = shop.payment();
  expect((await shop.send(payment)).status).toBe(503);
  const again = await shop.send(payment);
  expect([again.status, await again.text()]).toEqual([200, "the goods"]);
  expect([shop.runs, shop.settlements]).toEqual([1, 1]);
});

test("pitfall 3: an unknown outcome is 503 with Retry-After, and asks for no new signature", async () => {
  const shop = open({
    facilitator: () => ({ settle: async () => ({ kind: "unknown", cause: "no response", transaction: "" }) }),
  });
  const payment = shop.payment();
  for (const _ of [1, 2, 3]) {
    const response = await shop.send(payment);
    expect(response.status).toBe(503);
    expect(response.headers.get("retry-after")).not.toBeNull();
    expect(response.headers.get("payment-required")).toBeNull();
    expect(await response.json()).not.toHaveProperty("accepts");
  }
});

test("pitfall 4: no text of a facilitator reaches a client or the log", async () => {
  const secret = "https://rpc.example/v2/APIKEY";
  const leak = { errorMessage: secret, errorReason: secret, invalidMessage: secret, invalidReason: secret };
  let stage = "verify";
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    fetch(request) {
      const isVerify = request.url.endsWith("/verify");
      if (stage === "broken") return new Response(secret, { status: 500 });
      if (stage === "junk") return new Response(secret);
      if (isVerify) return Response.json({ isValid: stage !== "verify", ...leak, payer: PAYER });
      return Response.json({ success: false, transaction: "", network: secret, payer: secret, ...leak, extra: leak });
    },
  });
  try {
    for (stage of ["verify", "settle", "broken", "junk"]) {
      const facilitator = new HttpFacilitator({ url: server.url.origin, timeoutMs: 5000 });
      const shop = open({
        facilitator: () => ({
          verify: (payment, requirements) => facilitator.verify(payment, requirements),
          settle: (payment, requirements) => facilitator.settle(payment, requirements),
          find: (payment, requirements) => facilitator.find(payment, requirements),
        }),
      });
      const response = await shop.send(shop.payment());
      const all = `${JSON.stringify([...response.headers])}${await response.text()}${shop.logged.join()}`;
      const headers = ["payment-required", "payment-response"].map((name) => JSON.stringify(decoded(response, name)));
      expect(response.status).toBeGreaterThanOrEqual(402);
      expect(all + headers.join()).not.toMatch(/APIKEY|rpc\.example/);
      expect(response.ok).toBe(false);
      await facilitator.close();
    }
  } finally {
    await server.stop(true);
  }
});

test("pitfall 7: a payment for one resource does not buy another, and a used one buys nothing", async () => {
  const shop = open();
  const elsewhere = { ...shop.payment(), resource: { url: "http://shop.example/other" } };
  const refused = await shop.send(elsewhere);
  expect(refused.status).toBe(402);
  expect(decoded(refused, "payment-required")).toMatchObject({ error: "resource_mismatch" });
  const payment = shop.payment();
  expect((await shop.send(payment)).status).toBe(200);
  expect((await shop.send(payment, { path: "/goods/other" })).status).toBe(409);
  expect(shop.runs).toBe(1);
});

test("pitfall 9: no byte is sent before the payment has settled, and a settlement that resolves can be a refusal", async () => {
  const begun = Promise.withResolvers<void>();
  const gate = Promise.withResolvers<void>();
  let refuses = false;
  const shop = open({
    facilitator: (real) => ({
      async settle(...payment) {
        begun.resolve();
        await gate.promise;
        return refuses
          ? { kind: "refused", reason: "invalid_exact_evm_insufficient_balance" }
          : real.settle(...payment);
      },
    }),
  });
  const sent = shop.send(shop.payment());
  await begun.promise;
  const exchange = shop.gateway.last();
  expect([exchange?.started, exchange?.bytesSent]).toEqual([false, 0]);
  gate.resolve();
  expect((await sent).status).toBe(200);
  refuses = true;
  const refused = await shop.send(shop.payment());
  expect(refused.status).toBe(402);
  expect(await refused.text()).not.toContain("the goods");
});

test("pitfall 10: an irreversible action is paid first, and a failure then is owed, not lost", async () => {
  let status = 500;
  const shop = open({ terms: { settle: "before" }, upstream: (exchange) => respondWith(exchange, status, "done") });
  const payment = shop.payment();
  expect((await shop.send(payment)).status).toBe(500);
  expect(await shop.recorded(payment)).toMatchObject({ state: "settled", delivered: false });
  status = 200;
  expect((await shop.send(payment)).status).toBe(200);
  expect(shop.settlements).toBe(1);
});

test("pitfall 11: an upstream's failure is not charged, and frees the payment", async () => {
  let status = 400;
  const shop = open({ upstream: (exchange) => respondWith(exchange, status, "no") });
  const payment = shop.payment();
  for (status of [400, 404, 429, 500, 503]) expect((await shop.send(payment)).status).toBe(status);
  expect(shop.settlements).toBe(0);
  status = 200;
  expect((await shop.send(payment)).status).toBe(200);
});

test("pitfall 12: a payment must be valid for as long as its settlement takes, and no longer than the price allows", async () => {
  const shop = open();
  const now = Math.floor(shop.clock.now / 1000);
  const cases = [
    [{ validBefore: String(now + 5) }, 402],
    [{ validBefore: String(now + 6) }, 200],
    [{ validBefore: String(now + 120) }, 200],
    [{ validBefore: String(now + 121) }, 402],
    [{ validBefore: String(now + 315_360_000) }, 402],
    [{ validAfter: String(now + 1) }, 402],
  ] as const;
  for (const [change, status] of cases) expect((await shop.send(shop.payment(change))).status).toBe(status);
});

function malformed(shop: Shop): readonly unknown[] {
  const good = shop.payment();
  const { authorization, signature } = good.payload;
  const withAuthorization = (change: object): object => ({
    ...good,
    payload: { signature, authorization: { ...authorization, ...change } },
  });
  return [
    { ...good, payload: null },
    { ...good, payload: {} },
    { ...good, payload: { signature } },
    { ...good, payload: { authorization } },
    { ...good, accepted: undefined },
    { ...good, x402Version: "2" },
    withAuthorization({ value: "ten" }),
    withAuthorization({ value: "1e4" }),
    withAuthorization({ value: "0x2710" }),
    withAuthorization({ value: "-10000" }),
    withAuthorization({ value: "9".repeat(79) }),
    withAuthorization({ value: 10_000 }),
    withAuthorization({ validBefore: "" }),
    withAuthorization({ nonce: "0x12" }),
    withAuthorization({ from: "me" }),
    withAuthorization({ from: { toLowerCase: "x" } }),
    [],
    null,
    0,
    "payment",
  ];
}

test("pitfall 13: a malformed payment is refused with 400 before it is used", async () => {
  let verified = 0;
  const shop = open({
    facilitator: (real) => ({
      verify(...payment) {
        verified += 1;
        return real.verify(...payment);
      },
    }),
  });
  for (const payment of malformed(shop)) {
    const response = await shop.send(encodeHeader(payment));
    expect([JSON.stringify(payment), response.status]).toEqual([JSON.stringify(payment), 400]);
  }
  for (const header of ["!", "e30", "bnVsbA==", "____", "A".repeat(MAX_HEADER_LENGTH + 4)]) {
    expect((await shop.send(header)).status).toBe(400);
  }
  expect([shop.runs, verified]).toEqual([0, 0]);
});

function fails(): Promise<never> {
  return Promise.reject(new Error("defect"));
}

test("pitfall 14: after an unexpected error nothing is released", async () => {
  const shops = [
    open({ facilitator: () => ({ verify: fails }) }),
    open({ facilitator: () => ({ settle: fails }) }),
    open({ ledger: () => ({ reserve: fails }) }),
    open({ ledger: () => ({ move: fails }) }),
  ];
  for (const shop of shops) {
    const response = await shop.send(shop.payment());
    expect(response.status).toBeGreaterThanOrEqual(500);
    expect(await response.text()).not.toContain("goods");
  }
});

test("pitfall 15: an upstream sets no price and no receipt, and gets no payment", async () => {
  const claims = ["Settlement-Overrides", "PAYMENT-RESPONSE", "PAYMENT-REQUIRED", "X-PAYMENT-RESPONSE"]
    .map((name) => fieldLine(name, "forged"))
    .join("");
  for (const settle of ["after", "before"] as const) {
    const shop = open({ terms: { settle }, upstream: (exchange) => respondWith(exchange, 200, "the goods", claims) });
    const payment = shop.payment();
    const response = await shop.send(payment);
    expect(JSON.stringify([...response.headers])).not.toContain("forged");
    expect(await shop.recorded(payment)).toMatchObject({ amount: "10000", state: "settled" });
    expect(shop.lastUpstreamFields).not.toMatch(/^(?:payment-signature|x-payment):/im);
  }
});

test("pitfall 16: a client does not pay with an unknown token, or more than its limit", async () => {
  const unknown = { asset: PAYEE, price: "10000", extra_name: "Own", extra_version: "1" };
  const cases = [
    [{ terms: { price: "$2" } }, /limit/],
    [{ terms: unknown }, /none of the payment methods/],
  ] as const;
  const options = {
    account: () => ({ address: PAYER, privateKey: hexToBytes(PRIVATE_KEY.slice(2)) }),
    maxPrice: "$1",
  };
  for (const [shopOptions, reason] of cases) {
    const shop = open(shopOptions);
    const refused = await payAndFetch(`${shop.gateway.url}/goods`, {}, options).catch(messageOf);
    expect(refused).toMatch(reason);
    expect([shop.runs, shop.settlements]).toEqual([0, 0]);
  }
  const shop = open();
  expect((await payAndFetch(`${shop.gateway.url}/goods`, {}, options)).response.status).toBe(200);
});

test("pitfall 17: the resource is configured, scripts can read the payment fields, and caches store none of it", async () => {
  const shop = open();
  const unpaid = await fetch(`${shop.gateway.url}/goods`, {
    headers: { host: "evil.example", "x-forwarded-host": "evil.example", "x-forwarded-proto": "https" },
  });
  expect(decoded(unpaid, "payment-required")).toMatchObject({ resource: { url: "http://shop.example/goods" } });
  expect(unpaid.headers.get("cache-control")).toBe("no-store");
  for (const name of ["payment-required", "payment-response", "x-payment-response"]) {
    expect(unpaid.headers.get("access-control-expose-headers")?.toLowerCase()).toContain(name);
  }
  expect(unpaid.headers.get("payment-required")?.length).toBeLessThanOrEqual(MAX_HEADER_LENGTH);
  const paid = await shop.send(shop.payment());
  expect(paid.headers.get("cache-control")).toBe("private");
  expect(paid.headers.get("access-control-expose-headers")).toContain("PAYMENT-RESPONSE");
});

test("pitfall 17: a preflight is free, and allows the payment's header if the upstream allows any origin", async () => {
  const headers = { origin: "http://a.example", "access-control-request-method": "GET" };
  for (const [fields, allowed] of [
    [fieldLine("Access-Control-Allow-Origin", "*") + fieldLine("Access-Control-Allow-Headers", "X-Own"), true],
    ["", false],
  ] as const) {
    const shop = open({ upstream: (exchange) => respondWith(exchange, 204, "", fields) });
    const response = await fetch(`${shop.gateway.url}/goods`, { method: "OPTIONS", headers });
    expect(response.status).toBe(204);
    const list = response.headers.get("access-control-allow-headers");
    expect(list).toBe(allowed ? "X-Own, PAYMENT-SIGNATURE, X-PAYMENT, Payment-Stream" : null);
  }
});

test("pitfall 18: a facilitator that reports every duplicate as settled releases one response", async () => {
  const transaction = `0x${"cd".repeat(32)}`;
  const shop = open({
    facilitator: () => ({
      verify: async () => ({ kind: "valid", payer: PAYER }),
      settle: async () => ({ kind: "settled", transaction, payer: PAYER }),
    }),
  });
  const payment = shop.payment({ nonce: freshNonce() });
  const paths = ["/goods", "/goods/1", "/goods/2", "/goods/3", "/goods/4"];
  const responses = await Promise.all(paths.map((path) => shop.send(payment, { path })));
  expect(statusesOf(responses)).toEqual([200, 409, 409, 409, 409]);
  expect([shop.runs, shop.settlements]).toEqual([1, 1]);
});
