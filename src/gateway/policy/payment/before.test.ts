import { afterEach, expect, test } from "bun:test";
import { x402Client } from "@x402/core/client";
import { ExactEvmScheme } from "@x402/evm/exact/client";
import { wrapFetchWithPayment } from "@x402/fetch";
import { privateKeyToAccount } from "viem/accounts";
import { TurnpikeError } from "../../../lib/errors.ts";
import { fieldLine } from "../../../lib/http/fields.ts";
import { PAYER, PRIVATE_KEY } from "../../../payments/testing/payment.ts";
import { LEASE_MS, MAX_CUTS } from "../../../store/ledger.ts";
import { until } from "../../../lib/testing/until.ts";
import { closeShops, decoded, openShop, type Shop, type ShopOptions } from "./testing/shop.ts";
import { respondWith, type TestExchange } from "./testing/test-gateway.ts";

afterEach(closeShops);

function open(options: ShopOptions = {}): Shop {
  return openShop({ ...options, terms: { settle: "before", ...options.terms } });
}

test("the payment settles before the upstream runs, and the receipt is in the head", async () => {
  const order: string[] = [];
  const shop = open({
    facilitator: (real) => ({
      async settle(...payment) {
        order.push("settle");
        return real.settle(...payment);
      },
    }),
    upstream: (exchange) => {
      order.push("upstream");
      respondWith(exchange, 200, "the goods", fieldLine("PAYMENT-RESPONSE", "forged"));
    },
  });
  const payment = shop.payment();
  const response = await shop.send(payment);
  expect([response.status, await response.text(), order]).toEqual([200, "the goods", ["settle", "upstream"]]);
  expect(decoded(response, "payment-response")).toMatchObject({ success: true, payer: PAYER });
  expect(response.headers.get("cache-control")).toBe("private");
  expect(await shop.recorded(payment)).toMatchObject({ state: "settled", delivered: true });
});

test("the challenge says that payment comes first, and the real x402 client pays so", async () => {
  const shop = open();
  const unpaid = await fetch(`${shop.gateway.url}/goods`);
  expect(decoded(unpaid, "payment-required")).toMatchObject({ accepts: [{ extra: { paymentFlow: "upfront" } }] });
  const client = new x402Client().register("eip155:*", new ExactEvmScheme(privateKeyToAccount(PRIVATE_KEY)));
  const response = await wrapFetchWithPayment(fetch, client)(`${shop.gateway.url}/goods`);
  expect([response.status, await response.text()]).toEqual([200, "the goods"]);
  expect([shop.runs, shop.settlements]).toEqual([1, 1]);
});

test("an event stream is passed on as it arrives, with the receipt before its end", async () => {
  const exchanges: TestExchange[] = [];
  const shop = open({
    upstream: (exchange) => {
      exchanges.push(exchange);
      const fields = fieldLine("Content-Type", "text/event-stream");
      exchange.response.start({ status: 200, reason: "", fields, bodyLength: -1 });
      exchange.response.data(Buffer.from("data: 1\n\n"));
    },
  });
  const payment = shop.payment();
  const response = await shop.send(payment);
  expect(decoded(response, "payment-response")).toMatchObject({ success: true });
  const reader = response.body?.getReader();
  const first = await reader?.read();
  expect(Buffer.from(first?.value ?? []).toString()).toBe("data: 1\n\n");
  expect(await shop.recorded(payment)).toMatchObject({ state: "settled", delivered: false });
  expect(shop.bodies.used).toBe(0);
  exchanges[0]?.response.end("");
  expect((await reader?.read())?.done).toBe(true);
  await until(async () => (await shop.recorded(payment))?.delivered === true);
  expect(await shop.recorded(payment)).toMatchObject({ cuts: 0 });
});

test("a stream is refused on a route that settles afterwards, and the error names the setting", async () => {
  const stopped: string[] = [];
  const shop = openShop({
    upstream: (exchange) => {
      exchange.onCancel = () => stopped.push("stopped");
      const fields = fieldLine("Content-Type", "text/event-stream; charset=utf-8");
      exchange.response.start({ status: 200, reason: "", fields, bodyLength: -1 });
      exchange.response.data(Buffer.from("data: secret\n\n"));
    },
  });
  const payment = shop.payment();
  const response = await shop.send(payment);
  expect(response.status).toBe(501);
  const text = await response.text();
  expect(text).toContain('settle: \\"before\\"');
  expect(text).not.toContain("secret");
  expect(await shop.recorded(payment)).toMatchObject({ state: "released" });
  expect([shop.settlements, stopped]).toEqual([0, ["stopped"]]);
});

test("a protocol upgrade is sold in advance: the payment is for the tunnel, once a frame has come", async () => {
  const fields = fieldLine("Upgrade", "websocket");
  const shop = open({
    upstream: (exchange) => exchange.response.start({ status: 101, reason: "", fields, bodyLength: 0 }),
  });
  const payment = shop.payment();
  // The test exchange cannot send a 101, so the test checks the head that reached it.
  const sent = shop.send(payment).catch(() => undefined);
  await until(() => shop.gateway.last()?.interim.length === 1);
  const [head] = shop.gateway.last()?.interim ?? [];
  expect(head?.status).toBe(101);
  expect(head?.fields).toContain("PAYMENT-RESPONSE: ");
  expect(await shop.recorded(payment)).toMatchObject({ state: "settled", delivered: false });
  shop.gateway.last()?.response.data(Uint8Array.of(0x89, 0));
  await until(async () => (await shop.recorded(payment))?.delivered === true);
  await shop.gateway.stop();
  await sent;
});

test("a failed response is owed: it is sent with the receipt, and the same payment runs the upstream again", async () => {
  let status = 500;
  const shop = open({ upstream: (exchange) => respondWith(exchange, status, "sorry") });
  const payment = shop.payment();
  for (status of [500, 404]) {
    const response = await shop.send(payment);
    expect([response.status, await response.text()]).toEqual([status, "sorry"]);
    expect(decoded(response, "payment-response")).toMatchObject({ success: true });
    expect(await shop.recorded(payment)).toMatchObject({ state: "settled", delivered: false });
  }
  status = 200;
  expect((await shop.send(payment)).status).toBe(200);
  expect(await shop.recorded(payment)).toMatchObject({ state: "settled", delivered: true });
  const late = await shop.send(payment);
  expect(late.status).toBe(409);
  expect(decoded(late, "payment-required")).toMatchObject({ accepts: [{ extra: { paymentFlow: "upfront" } }] });
  expect([shop.runs, shop.settlements]).toEqual([3, 1]);
});

test("a failed upstream request gives an error with the receipt, and an aborted one is owed", async () => {
  let part = "";
  const shop = open({
    upstream: ({ response }) => {
      if (part !== "") {
        response.start({ status: 200, reason: "", fields: "", bodyLength: -1 });
        response.data(Buffer.from(part));
      }
      response.abort(new TurnpikeError("upstream-failed", "It went away"));
    },
  });
  const payment = shop.payment();
  const none = await shop.send(payment);
  expect([none.status, none.headers.get("retry-after")]).toEqual([502, "1"]);
  expect(decoded(none, "payment-response")).toMatchObject({ success: true });
  part = "the ";
  const cut = await shop.send(payment).then(
    (response) => response.text().catch(() => "cut off"),
    () => "cut off",
  );
  expect(cut).toBe("cut off");
  expect(await shop.recorded(payment)).toMatchObject({ state: "settled", delivered: false });
  expect(shop.settlements).toBe(1);
});

test("an upstream is run a limited number of times for one payment", async () => {
  const shop = open({ upstream: (exchange) => respondWith(exchange, 503, "busy") });
  const payment = shop.payment();
  const statuses: number[] = [];
  for (let run = 0; run <= MAX_CUTS; run++) statuses.push((await shop.send(payment)).status);
  expect(statuses).toEqual([...Array.from({ length: MAX_CUTS }, () => 503), 409]);
  expect([shop.runs, shop.settlements]).toEqual([MAX_CUTS, 1]);
});

test("a client that disconnects midway can retry, and a run that outlived its lease counts", async () => {
  const shop = open({
    upstream: ({ response }) => {
      response.start({ status: 200, reason: "", fields: "", bodyLength: -1 });
      response.data(Buffer.from("the "));
    },
  });
  const payment = shop.payment();
  const client = new AbortController();
  const first = await shop.send(payment, { signal: client.signal });
  expect(first.status).toBe(200);
  // A request holds the payment, so no other request gets it.
  expect((await shop.send(payment)).status).toBe(409);
  client.abort();
  await first.text().catch(() => "gone");
  await until(async () => (await shop.send(payment)).status === 200);
  shop.clock.now += LEASE_MS + 1;
  expect((await shop.send(payment)).status).toBe(200);
  expect(await shop.recorded(payment)).toMatchObject({ delivered: false, cuts: 3 });
  expect([shop.runs, shop.settlements]).toEqual([3, 1]);
});

test("the upstream does not run after a refused or unclear settlement", async () => {
  for (const [kind, status] of [
    ["refused", 402],
    ["unknown", 503],
  ] as const) {
    const shop = open({
      facilitator: () => ({
        settle: async () =>
          kind === "refused"
            ? { kind, reason: "invalid_exact_evm_insufficient_balance" }
            : { kind, cause: "no response", transaction: "" },
      }),
    });
    const response = await shop.send(shop.payment());
    expect(response.status).toBe(status);
    // After a definite refusal the client can pay again. While the outcome is open, a new payment would be a second
    // charge.
    expect(response.headers.has("payment-required")).toBe(status === 402);
    expect(shop.runs).toBe(0);
  }
});

test("payment in advance is accepted even if no buffer is free", async () => {
  const shop = open({ room: { bufferSize: 1024, bufferCount: 1 } });
  expect(shop.bodies.take(1024)).toBe(true);
  expect((await shop.send(shop.payment())).status).toBe(200);
});
