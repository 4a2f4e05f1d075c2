import { afterEach, expect, test } from "bun:test";
import { TurnpikeError } from "../../../../lib/errors.ts";
import { until } from "../../../../lib/testing/until.ts";
import { PAYER } from "../../../../payments/testing/payment.ts";
import { type Verification } from "../../../../payments/x402/facilitator.ts";
import { closeShops, counted, openShop } from "../testing/shop.ts";

afterEach(closeShops);

test.each([
  ["on a list", "listed", new TurnpikeError("forbidden", "on a list"), null],
  ["denied by the service", "asked", new TurnpikeError("forbidden", "denied"), null],
  ["of whom the service tells nothing", "asked", new TurnpikeError("overloaded", "no response"), "5"],
] as const)(
  "a payer %s is not charged, and the same payment buys once the payer may",
  async (_who, at, denial, retry) => {
    let denied: TurnpikeError | undefined = denial;
    const screening = { listed: () => undefined, asked: async () => undefined, [at]: () => denied };
    const shop = openShop({ screening });
    const payment = shop.payment();
    const refused = await shop.send(payment);
    expect([refused.status, refused.headers.get("retry-after")]).toEqual([denial.status, retry]);
    await until(async () => (await shop.recorded(payment)) === undefined);
    expect([shop.runs, shop.settlements, counted(shop).losses]).toEqual([0, 0, { screening: 1 }]);
    denied = undefined;
    expect(await (await shop.send(payment)).text()).toBe("the goods");
  },
);

test.each<[string, Verification, number, string | undefined, string]>([
  ["refuses a payment", { kind: "refused", reason: "insufficient_funds" }, 402, undefined, "unfunded"],
  ["is not available", { kind: "unavailable", cause: "no connection" }, 503, "5", "facilitator"],
  ["fails", { kind: "failed", cause: "status 500" }, 502, "5", "facilitator"],
])("if the facilitator %s, the payment is free again before the client has the response", async (...row) => {
  const [, verification, status, retry, loss] = row;
  let isSound = false;
  let hasStarted: boolean | undefined;
  const shop = openShop({
    ledger: (real) => ({
      async move(moved, change) {
        await new Promise(setImmediate);
        if (change.state === "released") hasStarted = shop.gateway.last()?.started;
        return real.move(moved, change);
      },
    }),
    facilitator: (real) => ({ verify: async (...of) => (isSound ? real.verify(...of) : verification) }),
  });
  const payment = shop.payment();
  const refused = await shop.send(payment);
  expect([refused.status, refused.headers.get("retry-after") ?? undefined]).toEqual([status, retry]);
  expect(refused.headers.has("payment-required")).toBe(status === 402);
  expect([hasStarted, await shop.recorded(payment)]).toEqual([false, undefined]);
  expect(counted(shop)).toEqual({ stages: { signed: 1 }, losses: { [loss]: 1 } });
  // A payer that is not verified has no name in logs and limits.
  const nameOf = (exchange = shop.gateway.last()) => [exchange?.payer, exchange?.consumer];
  expect(nameOf()).toEqual(["", ""]);
  isSound = true;
  expect(await (await shop.send(payment)).text()).toBe("the goods");
  expect(nameOf().map((name) => name?.toLowerCase())).toEqual([PAYER.toLowerCase(), PAYER.toLowerCase()]);
});

test.each([
  ["before", "verified"],
  ["before", "settling"],
  ["before", "settled"],
  ["after", "verified"],
  ["after", "settling"],
  ["after", "settled"],
] as const)("settle %s: a request whose payment is taken over when it is %s gets a conflict", async (settle, state) => {
  const shop = openShop({
    terms: { settle },
    ledger: (real) => ({
      move: async (moved, change) => !(change.state === state && change.lease) && real.move(moved, change),
    }),
  });
  const payment = shop.payment();
  const refused = await shop.send(payment);
  expect([refused.status, await refused.text()]).toEqual([409, expect.stringContaining("has taken over this payment")]);
  expect(counted(shop).losses).toEqual({ used: 1 });
});

test("a client that leaves while its payment is verified is not charged, and can pay with it", async () => {
  const reached = Promise.withResolvers<void>();
  const gate = Promise.withResolvers<void>();
  const shop = openShop({
    facilitator: (real) => ({
      async verify(...of) {
        reached.resolve();
        await gate.promise;
        return real.verify(...of);
      },
    }),
  });
  const payment = shop.payment();
  const leaving = new AbortController();
  const sent = shop.send(payment, { signal: leaving.signal }).catch(() => "gone");
  await reached.promise;
  leaving.abort();
  await until(() => shop.gateway.last()?.gone === true);
  gate.resolve();
  expect(await sent).toBe("gone");
  await until(async () => (await shop.recorded(payment)) === undefined);
  await until(() => counted(shop).losses.gone === 1);
  expect([shop.runs, shop.settlements, shop.logged]).toEqual([0, 0, []]);
  expect(await (await shop.send(payment)).text()).toBe("the goods");
});
