import { afterEach, expect, test } from "bun:test";
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { until } from "../../../lib/testing/until.ts";
import { type Settlement } from "../../../payments/x402/facilitator.ts";
import { PAYER } from "../../../payments/testing/payment.ts";
import { LEASE_MS } from "../../../store/ledger.ts";
import { openStore } from "../../../store/open/open-store.ts";
import { closeShops, decoded, openShop as open, type ShopOptions } from "./testing/shop.ts";
import { respondWith } from "./testing/test-gateway.ts";

afterEach(closeShops);

test("a refused settlement delivers nothing, and has the protocol's receipt", async () => {
  const shop = open({
    facilitator: () => ({
      settle: async () => ({ kind: "refused", reason: "invalid_exact_evm_insufficient_balance" }),
    }),
  });
  const payment = shop.payment();
  const response = await shop.send(payment);
  expect(response.status).toBe(402);
  expect(await response.text()).not.toContain("the goods");
  expect(decoded(response, "payment-response")).toEqual({
    success: false,
    errorReason: "invalid_exact_evm_insufficient_balance",
    transaction: "",
    network: "eip155:84532",
    payer: PAYER,
  });
  expect(await shop.recorded(payment)).toMatchObject({
    state: "failed",
    reason: "invalid_exact_evm_insufficient_balance",
  });
  expect(shop.bodies.used).toBe(0);
});

/** A facilitator whose first settlement succeeds while its response is lost. */
function losingFirstResponse(throws: boolean): NonNullable<ShopOptions["facilitator"]> {
  let calls = 0;
  return (real) => ({
    async settle(payment, requirements) {
      calls += 1;
      const settlement = await real.settle(payment, requirements);
      if (calls > 1) return settlement;
      if (throws) throw new Error("https://rpc.example/?key=secret");
      return { kind: "unknown", cause: "no response within 5000 ms", transaction: "" };
    },
  });
}

for (const throws of [false, true]) {
  test(`an unclear settlement (${throws ? "a throw" : "a time-out"}) is 503 and no new price; the same payment then gets the response`, async () => {
    const shop = open({ facilitator: losingFirstResponse(throws) });
    const payment = shop.payment();
    const first = await shop.send(payment);
    expect(first.status).toBe(503);
    expect(first.headers.get("retry-after")).toBe("5");
    expect(first.headers.get("payment-required")).toBeNull();
    expect(await first.json()).toMatchObject({ type: "urn:turnpike:error:settlement-pending" });
    expect(await shop.recorded(payment)).toMatchObject({ state: "unknown" });
    expect(shop.logged.join()).not.toMatch(/secret|rpc/);
    // The time for a verification is over, the time for a retry is not.
    shop.clock.now += 59_000;
    const second = await shop.send(payment);
    expect([second.status, await second.text()]).toEqual([200, "the goods"]);
    expect(decoded(second, "payment-response")).toMatchObject({ success: true });
    expect(await shop.recorded(payment)).toMatchObject({ state: "settled", delivered: true });
    // The settlement was found, so no second one was needed.
    expect([shop.runs, shop.settlements]).toEqual([1, 1]);
  });
}

test("if the response is no longer kept, the upstream is run again without another charge", async () => {
  const shop = open({ facilitator: losingFirstResponse(false) });
  const payment = shop.payment();
  expect((await shop.send(payment)).status).toBe(503);
  shop.clock.now += 3_600_000;
  expect((await shop.send(payment)).status).toBe(200);
  expect(await shop.recorded(payment)).toMatchObject({ state: "settled", delivered: true });
  expect([shop.runs, shop.settlements]).toEqual([2, 1]);
});

test("a settlement that stays unclear, or is refused on the second try, stays open", async () => {
  let response: Settlement = { kind: "unknown", cause: "no connection", transaction: "" };
  const shop = open({ facilitator: () => ({ settle: async () => response }) });
  const payment = shop.payment();
  expect((await shop.send(payment)).status).toBe(503);
  response = { kind: "refused", reason: "invalid_exact_evm_insufficient_balance" };
  expect((await shop.send(payment)).status).toBe(503);
  expect(await shop.recorded(payment)).toMatchObject({ state: "unknown" });
  expect(shop.runs).toBe(1);
});

test("an unavailable facilitator gives 503 and an invalid response 502, and the payment can be used again", async () => {
  for (const [kind, status] of [
    ["unavailable", 503],
    ["failed", 502],
  ] as const) {
    let broken = true;
    const shop = open({
      facilitator: (real) => ({
        verify: async (...payment) => (broken ? { kind, cause: "secret" } : real.verify(...payment)),
      }),
    });
    const payment = shop.payment();
    const response = await shop.send(payment);
    expect(response.status).toBe(status);
    expect(response.headers.get("retry-after")).toBe("5");
    expect(response.headers.get("payment-required")).toBeNull();
    expect(await response.text()).not.toContain("secret");
    expect(shop.logged.filter((line) => line.includes(`(facilitator ${kind}): secret`))).toHaveLength(1);
    broken = false;
    expect((await shop.send(payment)).status).toBe(200);
    expect([shop.runs, shop.settlements]).toEqual([1, 1]);
  }
});

test("a verification that throws delivers nothing", async () => {
  const shop = open({ facilitator: () => ({ verify: () => Promise.reject(new Error("secret")) }) });
  expect((await shop.send(shop.payment())).status).toBe(502);
  expect([shop.runs, shop.settlements]).toEqual([0, 0]);
  expect(shop.logged.join()).not.toContain("secret");
});

test("a ledger that fails before settlement charges nothing, and after it loses nothing", async () => {
  const cases = [
    ["verified", 0, 1],
    ["settling", 0, 2],
    ["settled", 1, 1],
  ] as const;
  for (const [state, charged, runs] of cases) {
    let broken = true;
    const shop = open({
      ledger: (real) => ({
        move: async (payment, change) => {
          if (broken && change.state === state) throw new Error("disk I/O error");
          return real.move(payment, change);
        },
      }),
    });
    const payment = shop.payment();
    const response = await shop.send(payment);
    expect(response.status).toBe(503);
    expect(response.headers.get("payment-required")).toBeNull();
    expect(shop.settlements).toBe(charged);
    broken = false;
    // The settlement is recorded soon. Until then, the lease is held.
    await until(async () => (await shop.send(payment)).status === 200);
    expect(shop.runs).toBe(runs);
  }
});

test("a settlement that was recorded late is not repeated: a chain would report its nonce as spent", async () => {
  let broken = true;
  let settled = false;
  const shop = open({
    ledger: (real) => ({
      move: async (payment, change) => {
        if (broken && change.state === "settled") {
          broken = false;
          throw new Error("database or disk is full");
        }
        return real.move(payment, change);
      },
    }),
    facilitator: (real) => ({
      async settle(...payment) {
        if (settled) return { kind: "unknown", cause: "it left the outcome open", transaction: "" };
        settled = true;
        return real.settle(...payment);
      },
    }),
  });
  const payment = shop.payment();
  expect((await shop.send(payment)).status).toBe(503);
  expect(await shop.recorded(payment)).toMatchObject({ state: "settled", delivered: false, payer: PAYER });
  const again = await shop.send(payment);
  expect([again.status, await again.text()]).toEqual([200, "the goods"]);
  expect([shop.runs, shop.settlements]).toEqual([1, 1]);
});

test("a client that disconnects before settlement is not charged, and its upstream request ends", async () => {
  const begun = Promise.withResolvers<void>();
  const stopped = Promise.withResolvers<void>();
  let first = true;
  const shop = open({
    upstream: (exchange) => {
      if (!first) return respondWith(exchange, 200, "the goods");
      first = false;
      exchange.onCancel = () => stopped.resolve();
      exchange.response.start({ status: 200, reason: "", fields: "", bodyLength: 9 });
      exchange.response.data(Buffer.from("the "));
      begun.resolve();
    },
  });
  const payment = shop.payment();
  const client = new AbortController();
  const lost = shop.send(payment, { signal: client.signal }).catch(() => "gone");
  await begun.promise;
  client.abort();
  expect(await lost).toBe("gone");
  await stopped.promise;
  expect(await shop.recorded(payment)).toMatchObject({ state: "released", reason: "gone" });
  expect([shop.settlements, shop.bodies.used]).toEqual([0, 0]);
  expect((await shop.send(payment)).status).toBe(200);
  expect(shop.settlements).toBe(1);
});

test("a client that disconnects during settlement gets its response when it retries", async () => {
  const settling = Promise.withResolvers<void>();
  const gone = Promise.withResolvers<void>();
  const shop = open({
    facilitator: (real) => ({
      async settle(...payment) {
        settling.resolve();
        await gone.promise;
        return real.settle(...payment);
      },
    }),
  });
  const payment = shop.payment();
  const client = new AbortController();
  const lost = shop.send(payment, { signal: client.signal }).catch(() => "gone");
  await settling.promise;
  client.abort();
  expect(await lost).toBe("gone");
  while (shop.gateway.last()?.gone !== true) await Bun.sleep(1);
  gone.resolve();
  while ((await shop.recorded(payment))?.state !== "settled") await Bun.sleep(1);
  expect(await shop.recorded(payment)).toMatchObject({ delivered: false });
  const again = await shop.send(payment);
  expect([again.status, await again.text()]).toEqual([200, "the goods"]);
  expect(await shop.recorded(payment)).toMatchObject({ delivered: true });
  expect([shop.runs, shop.settlements]).toEqual([1, 1]);
});

test("a response owed by a dead process is delivered by the next, without another charge", async () => {
  const path = join(mkdtempSync(join(tmpdir(), "turnpike-undelivered-")), "state.db");
  const clock = { now: Date.now() };
  const dying = open({
    store: openStore(path, () => clock.now),
    // The ledger never records the delivery.
    ledger: (real) => ({
      move: async (payment, change) => (change.lease ? real.move(payment, change) : false),
      deliver: async () => false,
    }),
  });
  const payment = dying.payment();
  expect((await dying.send(payment)).status).toBe(200);
  expect(await dying.recorded(payment)).toMatchObject({ state: "settled", delivered: false });
  const next = open({ store: openStore(path, () => clock.now) });
  const early = await next.send(payment);
  expect([early.status, early.headers.get("retry-after")]).toEqual([409, "1"]);
  clock.now += LEASE_MS + 1;
  expect((await next.send(payment, { path: "/goods/other" })).status).toBe(409);
  const late = await next.send(payment);
  expect([late.status, await late.text()]).toEqual([200, "the goods"]);
  expect(decoded(late, "payment-response")).toMatchObject({ success: true, payer: PAYER });
  expect(await next.recorded(payment)).toMatchObject({ state: "settled", delivered: true });
  expect([next.runs, next.settlements]).toEqual([1, 0]);
});

test("a request that loses its lease while the upstream works settles nothing, and gets nothing", async () => {
  const gates = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const begun = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  let runs = 0;
  const shop = open({
    upstream: async (exchange) => {
      const run = runs++;
      begun[run]?.resolve();
      await gates[run]?.promise;
      respondWith(exchange, 200, "the goods");
    },
  });
  const payment = shop.payment();
  const first = shop.send(payment);
  await begun[0]?.promise;
  // Like a process that was suspended for too long.
  shop.clock.now += LEASE_MS + 1;
  const second = shop.send(payment);
  await begun[1]?.promise;
  gates[0]?.resolve();
  expect((await first).status).toBe(409);
  expect(shop.settlements).toBe(0);
  gates[1]?.resolve();
  expect((await second).status).toBe(200);
  expect([runs, shop.settlements, shop.bodies.used]).toEqual([2, 1, 9]);
});

test("a client that disconnects before each end cannot run the upstream for one payment without limit", async () => {
  const shop = open({
    upstream: (exchange) => {
      const send = exchange.data.bind(exchange);
      exchange.data = (...piece) => send(...piece) && false;
      respondWith(exchange, 200, "the goods");
    },
  });
  const payment = shop.payment();
  const cut = async (): Promise<number> => {
    const client = new AbortController();
    const before = await shop.recorded(payment);
    const response = await shop.send(payment, { signal: client.signal });
    if (response.status !== 200) return response.status;
    // Like a client that has all but the last piece.
    shop.gateway.last()?.cancel();
    client.abort();
    const { cuts = 0 } = before ?? {};
    while ((await shop.recorded(payment))?.cuts !== cuts + 1) await Bun.sleep(1);
    // The response is no longer kept.
    shop.clock.now += 3_600_000;
    return response.status;
  };
  const statuses: number[] = [];
  for (let run = 0; run <= 3; run++) statuses.push(await cut());
  expect(statuses).toEqual([200, 200, 200, 409]);
  expect([shop.runs, shop.settlements]).toEqual([3, 1]);
  const refused = await shop.send(payment);
  expect(refused.headers.get("retry-after")).toBeNull();
  expect(await shop.recorded(payment)).toMatchObject({ state: "settled", delivered: false });
});

test("a client that is lost during its response can retry its payment at once", async () => {
  const shop = open({
    upstream: (exchange) => {
      exchange.data = () => {
        exchange.cancel();
        return false;
      };
      respondWith(exchange, 200, "the goods");
    },
  });
  const payment = shop.payment();
  const client = new AbortController();
  const lost = shop.send(payment, { signal: client.signal }).then(
    () => "responded",
    () => "gone",
  );
  while (shop.gateway.last()?.gone !== true) await Bun.sleep(1);
  client.abort();
  await lost;
  expect(await shop.recorded(payment)).toMatchObject({ state: "settled", delivered: false, cuts: 1 });
  const again = await shop.send(payment);
  expect([again.status, await again.text()]).toEqual([200, "the goods"]);
  expect([shop.runs, shop.settlements]).toEqual([1, 1]);
});

test("a slow client gets the whole response", async () => {
  const shop = open({
    upstream: (exchange) => {
      exchange.slow = true;
      respondWith(exchange, 200, "the goods");
    },
  });
  const response = await shop.send(shop.payment());
  expect(await response.text()).toBe("the goods");
});

test("while no buffer is free, a new payment gets 503 before any work is done, and is valid afterwards", async () => {
  const settling = Promise.withResolvers<void>();
  const release = Promise.withResolvers<void>();
  const shop = open({
    room: { bufferSize: 1024, bufferCount: 1 },
    facilitator: (real) => ({
      async settle(...payment) {
        settling.resolve();
        await release.promise;
        return real.settle(...payment);
      },
    }),
  });
  const first = shop.send(shop.payment());
  await settling.promise;
  const payment = shop.payment();
  const refused = await shop.send(payment);
  expect([refused.status, refused.headers.get("retry-after")]).toEqual([503, "1"]);
  expect(await refused.json()).toMatchObject({ type: "urn:turnpike:error:overloaded" });
  expect([shop.runs, shop.settlements, await shop.recorded(payment)]).toEqual([1, 1, undefined]);
  release.resolve();
  expect((await first).status).toBe(200);
  expect((await shop.send(payment)).status).toBe(200);
});
