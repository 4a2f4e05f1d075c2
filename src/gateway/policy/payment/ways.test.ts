import { afterEach, expect, test } from "bun:test";
import { x402Client } from "@x402/core/client";
import { UptoEvmScheme } from "@x402/evm/upto/client";
import { wrapFetchWithPayment } from "@x402/fetch";
import { privateKeyToAccount } from "viem/accounts";
import { fieldLine } from "../../../lib/fields.ts";
import { type Kind } from "../../../payments/facilitator/facilitator.ts";
import { paymentRequiredSchema, type PaymentRequirements } from "../../../payments/x402/messages.ts";
import { PAYER, PRIVATE_KEY, REQUIREMENTS, TERMS } from "../../../payments/testing/payment.ts";
import { signedPermit2 } from "../../../payments/testing/permit2-payment.ts";
import { closeShops, decoded, openShop as open, type Shop, type ShopOptions } from "./testing/shop.ts";
import { answerWith } from "./testing/test-gateway.ts";

afterEach(closeShops);

const SETTLER = "0x1111111111111111111111111111111111111111";
const UPTO: Kind = { scheme: "upto", network: "eip155:*", extra: { facilitatorAddress: SETTLER } };
const UPTO_TERMS = { ...TERMS, scheme: "upto", price: "$0.05" };
const ALLOWANCE = "50000";

async function waysOf(shop: Shop): Promise<readonly PaymentRequirements[]> {
  const response = await fetch(`${shop.gateway.url}/goods`);
  return paymentRequiredSchema.parse(decoded(response, "payment-required")).accepts;
}

function openUpto(charge: string | undefined, options: ShopOptions = {}): Shop {
  return open({
    terms: UPTO_TERMS,
    kinds: { current: [UPTO] },
    upstream: (exchange) =>
      answerWith(exchange, 200, "the goods", charge === undefined ? "" : fieldLine("Settlement-Overrides", charge)),
    ...options,
  });
}

async function uptoPayment(shop: Shop): Promise<ReturnType<typeof signedPermit2>> {
  const [way = REQUIREMENTS] = await waysOf(shop);
  return signedPermit2(way, shop.clock.now / 1000);
}

test("every way of paying is in the challenge, and the ledger has the one that was paid by", async () => {
  const dear = { ...TERMS, price: "$0.02", pay_to: PAYER, network: "base" };
  const shop = open({ terms: { accepts: [dear] } });
  const ways = await waysOf(shop);
  expect(ways).toMatchObject([
    { amount: "10000", network: "eip155:84532" },
    { amount: "20000", payTo: PAYER },
  ]);
  expect((await shop.send(shop.payment())).status).toBe(200);
  expect(await shop.store.view.list({}, { limit: 2 })).toMatchObject([
    { amount: "10000", network: "eip155:84532", payTo: REQUIREMENTS.payTo.toLowerCase(), state: "settled" },
  ]);
});

test("a payment of one way does not pass for another", async () => {
  const shop = open({ terms: { accepts: [{ ...TERMS, price: "$0.02", pay_to: PAYER }] } });
  const [, dear = REQUIREMENTS] = await waysOf(shop);
  const response = await shop.send({ ...shop.payment(), accepted: dear });
  expect(response.status).toBe(402);
  expect(decoded(response, "payment-required")).toMatchObject({ error: "invalid_exact_evm_recipient_mismatch" });
  expect(shop.runs).toBe(0);
});

test("two ways with one token, and the same nonce in both, are one payment", async () => {
  const shop = open({ terms: { accepts: [{ ...TERMS, price: "$0.02" }] } });
  const [, dear = REQUIREMENTS] = await waysOf(shop);
  const first = shop.payment();
  const { nonce } = first.payload.authorization;
  const second = { ...shop.payment({ nonce, value: dear.amount }), accepted: dear };
  expect((await shop.send(first)).status).toBe(200);
  expect((await shop.send(second)).status).toBe(409);
  expect([shop.runs, shop.settlements]).toEqual([1, 1]);
});

test("what was begun is finished on its own terms where its way is gone", async () => {
  let lost = true;
  const options: ShopOptions = {
    facilitator: (real) => ({
      async settle(...payment) {
        if (lost) return { kind: "unknown", cause: "no answer", transaction: "" };
        return real.settle(...payment);
      },
    }),
  };
  const before = open(options);
  const payment = before.payment();
  expect((await before.send(payment)).status).toBe(503);
  lost = false;
  // The same store, after a reload that made it dearer.
  const after = open({ ...options, store: before.store, terms: { price: "$0.03" } });
  const answer = await after.send(payment, { headers: { host: new URL(before.gateway.url).host } });
  expect([answer.status, await answer.text()]).toEqual([200, "the goods"]);
  expect(await after.booked(payment)).toMatchObject({ state: "settled", amount: "10000" });
});

test("a way that needs the facilitator's address is left out until that is known, and is anew when it changes", async () => {
  const kinds: { current: readonly Kind[] | undefined } = { current: undefined };
  const shop = open({ terms: { accepts: [UPTO_TERMS] }, kinds });
  expect((await waysOf(shop)).map(({ scheme }) => scheme)).toEqual(["exact"]);
  kinds.current = [UPTO];
  expect(await waysOf(shop)).toMatchObject([{ scheme: "exact" }, { extra: { facilitatorAddress: SETTLER } }]);
  kinds.current = [{ ...UPTO, extra: { facilitatorAddress: PAYER } }];
  expect((await waysOf(shop))[1]?.extra["facilitatorAddress"]).not.toBe(SETTLER);
  kinds.current = [{ scheme: "upto", network: "eip155:*" }];
  expect((await waysOf(shop)).map(({ scheme }) => scheme)).toEqual(["exact"]);
});

test("where no way is left the route is 503, never free, and takes no payment", async () => {
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
  test(`under upto an upstream that says ${said} is not paid, and its answer goes to nobody`, async () => {
    const shop = openUpto(said);
    const payment = await uptoPayment(shop);
    const response = await shop.send(payment);
    expect(response.status).toBe(502);
    expect(await response.text()).not.toContain("the goods");
    expect([shop.runs, shop.settlements, shop.bodies.used]).toEqual([1, 0, 0]);
    const [row] = await shop.store.view.list({}, { limit: 2 });
    expect(row).toMatchObject({ state: "released", amount: ALLOWANCE });
  });
}

test("under upto a charge of nothing cannot be spent again", async () => {
  const shop = openUpto('{"amount":"0"}');
  const payment = await uptoPayment(shop);
  expect((await shop.send(payment)).status).toBe(200);
  expect((await shop.send(payment, { path: "/goods/other" })).status).toBe(409);
  shop.clock.now += 61_000;
  expect((await shop.send(payment)).status).toBe(409);
  expect(shop.runs).toBe(1);
});

test("under upto an unclear settlement is asked for again with the charge, and not with the most", async () => {
  const asked: string[] = [];
  const shop = openUpto('{"amount":"7"}', {
    facilitator: (real) => ({
      async settle(payment, requirements) {
        asked.push(requirements.amount);
        if (asked.length === 1) return { kind: "unknown", cause: "no answer", transaction: "" };
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
