import { afterEach, expect, test } from "bun:test";
import { x402Client } from "@x402/core/client";
import { UptoEvmScheme } from "@x402/evm/upto/client";
import { wrapFetchWithPayment } from "@x402/fetch";
import { privateKeyToAccount } from "viem/accounts";
import { fieldLine } from "../../../lib/http/fields.ts";
import { until } from "../../../lib/testing/until.ts";
import { type Kind } from "../../../payments/x402/facilitator.ts";
import { paymentRequiredSchema, type PaymentRequirements } from "../../../payments/x402/messages.ts";
import { PAYER, PRIVATE_KEY, REQUIREMENTS, TERMS } from "../../../payments/testing/payment.ts";
import { signedPermit2 } from "../../../payments/testing/permit2-payment.ts";
import { closeShops, decoded, openShop as open, type Shop, type ShopOptions } from "./testing/shop.ts";
import { respondWith, type TestExchange } from "./testing/test-gateway.ts";

const OTHER = "0x8ba1f109551bD432803012645Ac136ddd64DBA72";

afterEach(closeShops);

const SETTLER = "0x1111111111111111111111111111111111111111";
const UPTO: Kind = { scheme: "upto", network: "eip155:*", extra: { facilitatorAddress: SETTLER } };
const UPTO_TERMS = { ...TERMS, scheme: "upto", price: "$0.05" };
const ALLOWANCE = "50000";

async function acceptsOf(shop: Shop): Promise<readonly PaymentRequirements[]> {
  const response = await fetch(`${shop.gateway.url}/goods`);
  return paymentRequiredSchema.parse(decoded(response, "payment-required")).accepts;
}

function openUpto(charge: string | undefined, options: ShopOptions = {}): Shop {
  return open({
    terms: UPTO_TERMS,
    kinds: { current: [UPTO] },
    upstream: (exchange) =>
      respondWith(exchange, 200, "the goods", charge === undefined ? "" : fieldLine("Settlement-Overrides", charge)),
    ...options,
  });
}

async function uptoPayment(shop: Shop): Promise<ReturnType<typeof signedPermit2>> {
  const [requirements = REQUIREMENTS] = await acceptsOf(shop);
  return signedPermit2(requirements, shop.clock.now / 1000);
}

test("every payment option is in the challenge, and the ledger has the one that was paid", async () => {
  const dear = { ...TERMS, price: "$0.02", pay_to: OTHER, network: "base" };
  const shop = open({ terms: { accepts: [dear] } });
  const accepts = await acceptsOf(shop);
  expect(accepts).toMatchObject([
    { amount: "10000", network: "eip155:84532" },
    { amount: "20000", payTo: OTHER },
  ]);
  expect((await shop.send(shop.payment())).status).toBe(200);
  expect(await shop.store.view.list({}, { limit: 2 })).toMatchObject([
    { amount: "10000", network: "eip155:84532", payTo: REQUIREMENTS.payTo.toLowerCase(), state: "settled" },
  ]);
});

function method(accepted: PaymentRequirements, assetTransferMethod: unknown): PaymentRequirements {
  return { ...accepted, extra: { ...accepted.extra, assetTransferMethod } };
}

test("a payment that contradicts what it accepts gets 400, and one that accepts other terms 402", async () => {
  const shop = open({
    terms: { accepts: [{ ...TERMS, asset_transfer_method: "permit2" }, UPTO_TERMS] },
    kinds: { current: [{ scheme: "exact", network: "eip155:*" }, UPTO] },
  });
  const [exact = REQUIREMENTS, permit2 = REQUIREMENTS, upto = REQUIREMENTS] = await acceptsOf(shop);
  const now = shop.clock.now / 1000;
  const authorized = shop.payment();
  const permitted = signedPermit2(permit2, now);
  const contradictions = [
    ...["permit2", "erc7710", "EIP3009", "", 1, {}].map((name) => ({ ...authorized, accepted: method(exact, name) })),
    { ...authorized, accepted: permit2 },
    { ...authorized, accepted: upto },
    { ...authorized, accepted: method(upto, "eip3009") },
    { ...permitted, accepted: exact },
    ...["eip3009", "erc7710", null].map((name) => ({ ...permitted, accepted: method(permit2, name) })),
    ...["eip3009", "erc7710"].map((name) => ({ ...signedPermit2(upto, now), accepted: method(upto, name) })),
    { ...authorized, payload: { ...authorized.payload, ...permitted.payload } },
    { ...permitted, payload: { ...authorized.payload, ...permitted.payload } },
    { ...authorized, scheme: "upto" },
    { ...authorized, network: "base" },
    { ...authorized, network: "eip155:8453" },
    { ...authorized, network: 1 },
    { ...authorized, x402Version: 1 },
  ];
  for (const sent of contradictions) {
    const response = await shop.send(sent);
    expect([JSON.stringify(sent), response.status]).toEqual([JSON.stringify(sent), 400]);
    expect(await response.json()).toMatchObject({ type: "urn:turnpike:error:invalid-payment" });
  }
  const others = [
    { ...exact, scheme: "escrow" },
    { ...exact, extra: { ...exact.extra, version: "3" } },
    { ...exact, extra: { ...exact.extra, name: "Other" } },
    { ...exact, extra: { ...exact.extra, paymentFlow: "upfront" } },
  ];
  for (const accepted of others) expect((await shop.send({ ...authorized, accepted })).status).toBe(402);
  expect([shop.runs, shop.settlements]).toEqual([0, 0]);
  const names = { scheme: "exact", network: "base-sepolia" };
  expect((await shop.send({ ...authorized, ...names, accepted: method(exact, "eip3009") })).status).toBe(200);
  expect((await shop.send(permitted)).status).toBe(200);
  expect((await shop.send(signedPermit2(upto, now))).status).toBe(200);
});

test("a payment for one option is not accepted for another", async () => {
  const shop = open({ terms: { accepts: [{ ...TERMS, price: "$0.02", pay_to: PAYER }] } });
  const [, dear = REQUIREMENTS] = await acceptsOf(shop);
  const response = await shop.send({ ...shop.payment(), accepted: dear });
  expect(response.status).toBe(402);
  expect(decoded(response, "payment-required")).toMatchObject({ error: "invalid_exact_evm_recipient_mismatch" });
  expect(shop.runs).toBe(0);
});

test("two options with one token and the same nonce are one payment", async () => {
  const shop = open({ terms: { accepts: [{ ...TERMS, price: "$0.02" }] } });
  const [, dear = REQUIREMENTS] = await acceptsOf(shop);
  const first = shop.payment();
  const { nonce } = first.payload.authorization;
  const second = { ...shop.payment({ nonce, value: dear.amount }), accepted: dear };
  expect((await shop.send(first)).status).toBe(200);
  expect((await shop.send(second)).status).toBe(409);
  expect([shop.runs, shop.settlements]).toEqual([1, 1]);
});

test("a payment whose option was removed is finished on its own terms", async () => {
  let lost = true;
  const options: ShopOptions = {
    facilitator: (real) => ({
      async settle(...payment) {
        if (lost) return { kind: "unknown", cause: "no response", transaction: "" };
        return real.settle(...payment);
      },
    }),
  };
  const before = open(options);
  const payment = before.payment();
  expect((await before.send(payment)).status).toBe(503);
  lost = false;
  // The same store, after a reload that raised the price.
  const after = open({ ...options, store: before.store, terms: { price: "$0.03" } });
  const response = await after.send(payment, { headers: { host: new URL(before.gateway.url).host } });
  expect([response.status, await response.text()]).toEqual([200, "the goods"]);
  expect(await after.recorded(payment)).toMatchObject({ state: "settled", amount: "10000" });
});

test("an option that needs the facilitator's address is left out until the address is known, and is updated when it changes", async () => {
  const kinds: { current: readonly Kind[] | undefined } = { current: undefined };
  const shop = open({ terms: { accepts: [UPTO_TERMS] }, kinds });
  expect((await acceptsOf(shop)).map(({ scheme }) => scheme)).toEqual(["exact"]);
  kinds.current = [UPTO];
  expect(await acceptsOf(shop)).toMatchObject([{ scheme: "exact" }, { extra: { facilitatorAddress: SETTLER } }]);
  kinds.current = [{ ...UPTO, extra: { facilitatorAddress: PAYER } }];
  expect((await acceptsOf(shop))[1]?.extra["facilitatorAddress"]).not.toBe(SETTLER);
  kinds.current = [{ scheme: "upto", network: "eip155:*" }];
  expect((await acceptsOf(shop)).map(({ scheme }) => scheme)).toEqual(["exact"]);
});

test("a route without an option left responds with 503, is never free, and accepts no payment", async () => {
  const kinds: { current: readonly Kind[] | undefined } = { current: [UPTO] };
  const shop = openUpto(undefined, { kinds });
  const payment = await uptoPayment(shop);
  kinds.current = undefined;
  for (const response of [await fetch(`${shop.gateway.url}/goods`), await shop.send(payment)]) {
    expect(response.status).toBe(503);
    expect(response.headers.get("retry-after")).toBe("5");
    expect(response.headers.get("payment-required")).toBeNull();
    expect(await response.json()).toMatchObject({ type: "urn:turnpike:error:facilitator-unavailable" });
  }
  expect([shop.runs, shop.settlements]).toEqual([0, 0]);
});

function openExact(charge: string, settle: "after" | "before" = "after"): Shop {
  const upstream = (exchange: TestExchange) =>
    respondWith(
      exchange,
      200,
      "nothing found",
      fieldLine("Settlement-Overrides", charge) + fieldLine("Cache-Control", "public, max-age=60"),
    );
  return open({ terms: { settle }, upstream });
}

test.each(['{"amount":"0"}', '{"amount":"0%"}', '{"amount":"0.00%"}', '{"amount":"$0"}', '{"amount":"$0.00"}'])(
  "under exact an upstream that says %s is not paid, its response is sent at once, and the payment stays valid",
  async (said) => {
    const shop = openExact(said);
    const payment = shop.payment();
    for (const runs of [1, 2]) {
      const response = await shop.send(payment);
      expect([response.status, await response.text()]).toEqual([200, "nothing found"]);
      expect(response.headers.get("settlement-overrides")).toBeNull();
      expect(response.headers.get("payment-response")).toBeNull();
      expect(response.headers.get("cache-control")).toBe("private, max-age=60");
      await until(async () => (await shop.recorded(payment))?.state === "released");
      expect([shop.runs, shop.settlements, shop.bodies.used]).toEqual([runs, 0, 0]);
    }
  },
);

test.each([
  '{"amount":"1"}',
  '{"amount":"$0.0000009"}',
  '{"amount":"20000"}',
  '{"amount":"-0"}',
  "{}",
  "0",
  "x".repeat(2000),
])(
  "under exact an upstream that says %s is paid the whole price: exact can only charge the price or nothing",
  async (said) => {
    const shop = openExact(said);
    const payment = shop.payment();
    expect((await shop.send(payment)).status).toBe(200);
    expect(await shop.recorded(payment)).toMatchObject({ state: "settled", amount: "10000" });
  },
);

test("a response that is paid in advance but costs nothing is owed: the same payment runs the upstream again", async () => {
  const shop = openExact('{"amount":"0"}', "before");
  const payment = shop.payment();
  for (const runs of [1, 2]) {
    const response = await shop.send(payment);
    expect([response.status, await response.text(), shop.runs]).toEqual([200, "nothing found", runs]);
    await until(async () => (await shop.recorded(payment))?.delivered === false);
  }
  expect(shop.settlements).toBe(1);
});

test.each([200, 500])(
  "a response of status %i that is not sold for a settled payment has the receipt, is private, and is owed",
  async (status) => {
    const upstream = { isWorthless: false };
    const shop = open({
      upstream: ({ response }) => {
        const free = fieldLine("Settlement-Overrides", '{"amount":"0"}') + fieldLine("Cache-Control", "public");
        if (upstream.isWorthless) response.start({ status, reason: "", fields: free, bodyLength: 0 });
        else response.start({ status: 200, reason: "", fields: "", bodyLength: 0 });
        response.end("");
      },
      facilitator: () => ({
        settle: async () => ({ kind: "unknown", cause: "time-out", transaction: "" }),
        find: async () => ({ kind: "settled", transaction: "0xtx", payer: PAYER }),
      }),
    });
    const payment = shop.payment();
    expect((await shop.send(payment)).status).toBe(503);
    // The response is no longer kept.
    shop.clock.now += 3_600_000;
    upstream.isWorthless = true;
    const owed = await shop.send(payment);
    expect([owed.status, owed.headers.get("cache-control")]).toEqual([status, "private"]);
    expect(decoded(owed, "payment-response")).toMatchObject({ success: true, transaction: "0xtx" });
    await until(async () => (await shop.recorded(payment))?.state === "settled");
    expect(await shop.recorded(payment)).toMatchObject({ delivered: false, cuts: 0 });
    upstream.isWorthless = false;
    expect((await shop.send(payment)).status).toBe(200);
    await until(async () => (await shop.recorded(payment))?.delivered === true);
    expect([shop.runs, shop.settlements]).toEqual([3, 1]);
  },
);

const CHARGES: readonly (readonly [said: string | undefined, charge: string])[] = [
  ['{"amount":"12345"}', "12345"],
  ['{"amount":"33.33%"}', "16665"],
  ['{"amount":"$0.002"}', "2000"],
  ['{"amount":"0"}', "0"],
  [undefined, ALLOWANCE],
];

for (const [said, charge] of CHARGES) {
  test(`under upto an upstream that says ${said ?? "nothing"} is paid ${charge}`, async () => {
    const shop = openUpto(said);
    const response = await shop.send(await uptoPayment(shop));
    expect([response.status, await response.text()]).toEqual([200, "the goods"]);
    expect(response.headers.get("settlement-overrides")).toBeNull();
    expect(decoded(response, "payment-response")).toMatchObject({ success: true, amount: charge, payer: PAYER });
    const [row] = await shop.store.view.list({}, { limit: 2 });
    expect(row).toMatchObject({ scheme: "upto", amount: charge, state: "settled", delivered: true });
    expect(shop.settlements).toBe(charge === "0" ? 0 : 1);
  });
}

for (const said of ['{"amount":"50001"}', '{"amount":"-1"}', "{", '{"amount":"101%"}']) {
  test(`under upto an upstream that says ${said} is not paid, and its response is discarded`, async () => {
    const shop = openUpto(said);
    const payment = await uptoPayment(shop);
    const response = await shop.send(payment);
    expect(response.status).toBe(502);
    expect(await response.text()).not.toContain("the goods");
    expect([shop.runs, shop.settlements, shop.bodies.used]).toEqual([1, 0, 0]);
    const [row] = await shop.store.view.list({}, { limit: 2 });
    expect(row).toMatchObject({ state: "released", amount: ALLOWANCE });
    expect(shop.logged).toEqual([
      `payment: the upstream of /goods asks for a charge that is not valid, or above the price of ${ALLOWANCE} atomic units: Settlement-Overrides: ${said}`,
    ]);
  });
}

test("under upto a payment with a charge of 0 cannot be used again", async () => {
  const shop = openUpto('{"amount":"0"}');
  const payment = await uptoPayment(shop);
  expect((await shop.send(payment)).status).toBe(200);
  expect((await shop.send(payment, { path: "/goods/other" })).status).toBe(409);
  shop.clock.now += 61_000;
  expect((await shop.send(payment)).status).toBe(409);
  expect(shop.runs).toBe(1);
});

test("under upto an unclear settlement is repeated with the charge, and not with the maximum", async () => {
  const asked: string[] = [];
  const shop = openUpto('{"amount":"7"}', {
    facilitator: (real) => ({
      async settle(payment, requirements) {
        asked.push(requirements.amount);
        if (asked.length === 1) return { kind: "unknown", cause: "no response", transaction: "" };
        return real.settle(payment, requirements);
      },
    }),
  });
  const payment = await uptoPayment(shop);
  expect((await shop.send(payment)).status).toBe(503);
  const again = await shop.send(payment);
  expect(decoded(again, "payment-response")).toMatchObject({ amount: "7" });
  expect([asked, shop.runs]).toEqual([["7", "7"], 1]);
});

test("the real x402 client pays by upto", async () => {
  const shop = openUpto('{"amount":"10%"}');
  const client = new x402Client().register("eip155:*", new UptoEvmScheme(privateKeyToAccount(PRIVATE_KEY)));
  const response = await wrapFetchWithPayment(fetch, client)(`${shop.gateway.url}/goods`);
  expect([response.status, await response.text()]).toEqual([200, "the goods"]);
  expect(decoded(response, "payment-response")).toMatchObject({ amount: "5000" });
});

test("a payer who has not approved Permit2 gets 412, with the price", async () => {
  const shop = openUpto(undefined, {
    facilitator: () => ({ verify: async () => ({ kind: "refused", reason: "permit2_allowance_required" }) }),
  });
  const response = await shop.send(await uptoPayment(shop));
  expect(response.status).toBe(412);
  expect(decoded(response, "payment-required")).toMatchObject({ error: "permit2_allowance_required" });
  expect(await response.json()).toMatchObject({ type: "urn:turnpike:error:precondition-failed", status: 412 });
  expect([shop.runs, shop.settlements]).toEqual([0, 0]);
});

/** A shop whose upstream fails, with this charge. */
function openFailing(charge: string, options: ShopOptions): Shop {
  const upstream = (exchange: TestExchange) =>
    respondWith(exchange, 500, "the page burnt", fieldLine("Settlement-Overrides", charge));
  return open({ ...options, upstream });
}

test("an upstream that may charge for failures is paid for a charged one, and the same payment gets it again", async () => {
  const shop = openFailing('{"amount":"100%"}', { chargesFailures: true });
  const payment = shop.payment();
  for (const _ of [1, 2]) {
    const response = await shop.send(payment);
    expect([response.status, await response.text()]).toEqual([500, "the page burnt"]);
    expect(response.headers.get("settlement-overrides")).toBeNull();
    expect(decoded(response, "payment-response")).toMatchObject({ success: true, payer: PAYER });
  }
  expect([shop.runs, shop.settlements]).toEqual([1, 1]);
  expect(await shop.recorded(payment)).toMatchObject({ state: "settled", amount: "10000" });
});

test.each(['{"amount":"0"}', '{"amount":"9999"}', '{"amount":"99%"}', '{"amount":"20000"}', "100%", ""])(
  "under exact an upstream that may charge for failures, and says %s, is not paid: the price is charged whole or not at all",
  async (said) => {
    const shop = openFailing(said, { chargesFailures: true });
    const payment = shop.payment();
    const response = await shop.send(payment);
    expect([response.status, response.headers.get("payment-response")]).toEqual([500, null]);
    await until(async () => (await shop.recorded(payment))?.state === "released");
    expect(shop.settlements).toBe(0);
  },
);

test("under upto an upstream that may charge for failures is paid the charge of a failure", async () => {
  const kinds = { current: [UPTO] };
  const shop = openFailing('{"amount":"7"}', { chargesFailures: true, terms: UPTO_TERMS, kinds });
  const response = await shop.send(await uptoPayment(shop));
  expect([response.status, decoded(response, "payment-response")]).toMatchObject([500, { success: true, amount: "7" }]);
});

test("under upto an invalid charge for a failure, or one above the maximum, is not charged", async () => {
  for (const said of ['{"amount":"50001"}', "{", '{"amount":"0"}']) {
    const shop = openFailing(said, { chargesFailures: true, terms: UPTO_TERMS, kinds: { current: [UPTO] } });
    const response = await shop.send(await uptoPayment(shop));
    expect([response.status, response.headers.get("payment-response"), shop.settlements]).toEqual([500, null, 0]);
  }
});

test.each<[scheme: string, options: ShopOptions]>([
  ["exact", {}],
  ["upto", { terms: UPTO_TERMS, kinds: { current: [UPTO] } }],
])("under %s other upstreams are not paid for a failure, whatever they say", async (scheme, options) => {
  const shop = openFailing('{"amount":"100%"}', options);
  const response = await shop.send(scheme === "upto" ? await uptoPayment(shop) : shop.payment());
  expect([response.status, response.headers.get("payment-response"), shop.settlements]).toEqual([500, null, 0]);
  expect(response.headers.get("settlement-overrides")).toBeNull();
});

test("a charged failure is the response that was paid in advance, and a response to an uncharged one is owed", async () => {
  for (const [said, delivered] of [['{"amount":"100%"}', true] as const, ["", false] as const]) {
    const shop = openFailing(said, { chargesFailures: true, terms: { settle: "before" } });
    const payment = shop.payment();
    expect((await shop.send(payment)).status).toBe(500);
    await until(async () => (await shop.recorded(payment))?.delivered === delivered);
  }
});
