import { afterEach, expect, test } from "bun:test";
import { x402Client } from "@x402/core/client";
import { ExactEvmSchemeV1 } from "@x402/evm/v1";
import { wrapFetchWithPayment } from "@x402/fetch";
import { privateKeyToAccount } from "viem/accounts";
import { encodeHeader } from "../../../payments/x402/header.ts";
import { PAYEE, PAYER, PRIVATE_KEY, TERMS, USDC } from "../../../payments/testing/payment.ts";
import { closeShops, decoded, openShop as open, type Shop } from "./testing/shop.ts";

afterEach(closeShops);

/** A response as servers of version 1 send it: only the body has the price. */
async function bodyOnly(input: string | URL | Request, init?: RequestInit): Promise<Response> {
  const response = await fetch(input, init);
  const headers = new Headers(response.headers);
  headers.delete("payment-required");
  headers.delete("payment-response");
  return new Response(response.body, { status: response.status, headers });
}

function oldPayment(shop: Shop): { x402Version: number; scheme: string; network: string; payload: object } {
  return { x402Version: 1, scheme: "exact", network: "base-sepolia", payload: shop.payment().payload };
}

function sendOld(shop: Shop, payment: unknown, more: Record<string, string> = {}): Promise<Response> {
  return fetch(`${shop.gateway.url}/goods`, { headers: { "x-payment": encodeHeader(payment), ...more } });
}

test("the real x402 client of version 1 pays, and gets goods and receipt in the fields of version 1", async () => {
  const shop = open();
  const scheme = new ExactEvmSchemeV1(privateKeyToAccount(PRIVATE_KEY));
  const client = new x402Client().registerV1("base-sepolia", scheme);
  const response = await wrapFetchWithPayment(Object.assign(bodyOnly, fetch), client)(`${shop.gateway.url}/goods`);
  expect([response.status, await response.text()]).toEqual([200, "the goods"]);
  expect(decoded(response, "x-payment-response")).toMatchObject({
    success: true,
    transaction: expect.stringMatching(/^0x7e577e57/),
    network: "base-sepolia",
    payer: PAYER,
  });
  expect([shop.runs, shop.settlements]).toEqual([1, 1]);
  expect(shop.lastUpstreamFields).not.toMatch(/^(?:payment-signature|x-payment):/im);
});

test("a payment of version 1 has both receipts, and gets its response again", async () => {
  const shop = open();
  const payment = oldPayment(shop);
  for (const _ of [1, 2]) {
    const response = await sendOld(shop, payment);
    expect([response.status, await response.text()]).toEqual([200, "the goods"]);
    expect(decoded(response, "payment-response")).toMatchObject({ success: true, network: "eip155:84532" });
    expect(decoded(response, "x-payment-response")).toMatchObject({ success: true, network: "base-sepolia" });
    expect(response.headers.get("access-control-expose-headers")).toContain("X-PAYMENT-RESPONSE");
  }
  expect([shop.runs, shop.settlements]).toEqual([1, 1]);
});

test("one authorization is one payment, in both versions", async () => {
  const shop = open();
  const payment = shop.payment();
  expect((await shop.send(payment)).status).toBe(200);
  expect((await sendOld(shop, { ...oldPayment(shop), payload: payment.payload })).status).toBe(409);
  expect([shop.runs, shop.settlements]).toEqual([1, 1]);
});

test("payments of both versions in one request are refused with 400, and so is an unreadable one", async () => {
  const shop = open();
  const payment = oldPayment(shop);
  const both = await sendOld(shop, payment, { "payment-signature": encodeHeader(shop.payment()) });
  expect(both.status).toBe(400);
  expect(await both.json()).toMatchObject({ type: "urn:turnpike:error:invalid-payment" });
  for (const bad of [{ ...payment, x402Version: 2 }, { ...payment, payload: {} }, { ...payment, scheme: "upto" }, 1]) {
    expect((await sendOld(shop, bad)).status).toBe(400);
  }
  expect(shop.runs).toBe(0);
});

test("a payment of version 1 on another network, of another amount or to another payee is refused", async () => {
  const shop = open();
  const payment = oldPayment(shop);
  const cases = [
    [{ ...payment, network: "base" }, "No matching payment requirements"],
    [
      { ...payment, payload: shop.payment({ value: "1" }).payload },
      "invalid_exact_evm_payload_authorization_value_mismatch",
    ],
    [{ ...payment, payload: shop.payment({ to: PAYER }).payload }, "invalid_exact_evm_recipient_mismatch"],
  ] as const;
  for (const [sent, error] of cases) {
    const response = await sendOld(shop, sent);
    expect(response.status).toBe(402);
    expect(await response.json()).toMatchObject({ x402Version: 1, error });
  }
  expect([shop.runs, shop.settlements]).toEqual([0, 0]);
});

test("among several tokens at one price, a payment of version 1 is for the signed one", async () => {
  const other = { ...TERMS, price: "10000", asset: PAYEE, extra_name: "Other", extra_version: "1" };
  const shop = open({ terms: { ...other, accepts: [TERMS] } });
  const response = await sendOld(shop, oldPayment(shop));
  expect(response.status).toBe(200);
  const [row] = await shop.store.view.list({}, { limit: 2 });
  expect(row).toMatchObject({ token: USDC.toLowerCase(), state: "settled" });
});

test("if version 1 has no name for the network, the body has the challenge of the header", async () => {
  const shop = open({
    terms: { network: "eip155:31337", asset: USDC, price: "10000", extra_name: "USDC", extra_version: "2" },
  });
  const response = await fetch(`${shop.gateway.url}/goods`);
  expect(response.status).toBe(402);
  const required = decoded(response, "payment-required");
  expect(required).toMatchObject({ x402Version: 2, accepts: [{ network: "eip155:31337" }] });
  expect(await response.json()).toMatchObject({ ...Object(required), paymentRequired: required });
});

test("a route that requires ids does not offer or accept version 1", async () => {
  const shop = open({ terms: { extensions: { "payment-identifier": { info: { required: true } } } } });
  const unpaid = await fetch(`${shop.gateway.url}/goods`);
  expect(await unpaid.json()).toMatchObject({ x402Version: 2 });
  expect((await sendOld(shop, oldPayment(shop))).status).toBe(400);
  expect(shop.runs).toBe(0);
});
