/** The paying client buys by the `Payment` scheme, and chooses between it and x402. */
import { afterEach, expect, test } from "bun:test";
import { TurnpikeError } from "../../../../lib/errors.ts";
import { hexToBytes } from "@noble/hashes/utils.js";
import { payAndFetch, type Paid, PaymentDeclined, type PayOptions } from "../../../../payments/client/client.ts";
import { readChallenges, writeChallenge } from "../../../../payments/mpp/challenge.ts";
import { PAYER, PRIVATE_KEY } from "../../../../payments/testing/payment.ts";
import { closeShops, openShop, type Shop } from "../testing/shop.ts";

afterEach(closeShops);

const account = { address: PAYER, privateKey: hexToBytes(PRIVATE_KEY.slice(2)) };

interface Sent {
  readonly x402: boolean;
  readonly mpp: boolean;
}

/** Pays for the shop's goods. `edit` changes each response on its way. Notes how each request paid. */
async function buy(
  shop: Shop,
  edit: (headers: Headers) => void = () => {},
  init: RequestInit = {},
): Promise<{ readonly paid: Paid; readonly sent: readonly Sent[] }> {
  const sent: Sent[] = [];
  const options: PayOptions = {
    account: () => account,
    maxPrice: "$1",
    sleep: async () => {},
    fetch: async (url, request) => {
      const headers = new Headers(request.headers);
      const mpp = headers.get("authorization")?.startsWith("Payment ") === true;
      sent.push({ x402: headers.has("payment-signature"), mpp });
      const response = await fetch(url, request);
      const edited = new Headers(response.headers);
      edit(edited);
      // The body has the price for clients of version 1.
      const isX402 = response.status !== 402 || edited.has("payment-required");
      return new Response(isX402 ? response.body : null, { status: response.status, headers: edited });
    },
  };
  return { paid: await payAndFetch(`${shop.gateway.url}/goods`, init, options), sent };
}

const BY_X402 = { x402: true, mpp: false };
const BY_MPP = { x402: false, mpp: true };
const UNPAID = { x402: false, mpp: false };

test("of equal prices the payer takes that of x402", async () => {
  const shop = openShop({ mpp: true });
  const { paid, sent } = await buy(shop);
  expect([paid.response.status, sent]).toEqual([200, [UNPAID, BY_X402]]);
});

test("a server without x402 is paid by the Payment scheme", async () => {
  const shop = openShop({ mpp: true });
  const { paid, sent } = await buy(shop, (headers) => headers.delete("payment-required"));
  expect([paid.response.status, await paid.response.text(), sent]).toEqual([200, "the goods", [UNPAID, BY_MPP]]);
  expect([paid.isOpen, paid.choice?.requirements.amount]).toEqual([false, "10000"]);
  expect(paid.receipt).toMatchObject({ success: true, network: "eip155:84532", payer: PAYER });
  expect(shop.settlements).toBe(1);
});

test("a 402 from which the challenge was removed is paid by x402, at the same price", async () => {
  const shop = openShop({ mpp: true });
  const { paid, sent } = await buy(shop, (headers) => headers.delete("www-authenticate"));
  expect([paid.response.status, paid.choice?.requirements.amount, sent]).toEqual([200, "10000", [UNPAID, BY_X402]]);
});

test("the cheaper protocol is taken", async () => {
  const dear = openShop({ terms: { price: "$0.02" } });
  const cheap = openShop({ mpp: true });
  const required = (await fetch(`${dear.gateway.url}/goods`)).headers.get("payment-required") ?? "";
  const { paid, sent } = await buy(cheap, (headers) => {
    if (headers.has("payment-required")) headers.set("payment-required", required);
  });
  expect([paid.response.status, sent]).toEqual([200, [UNPAID, BY_MPP]]);
});

test("credentials of the request are not replaced", async () => {
  const shop = openShop({ mpp: true });
  const withKey = { headers: { authorization: "Bearer abc" } };
  const { paid, sent } = await buy(shop, () => {}, withKey);
  expect([paid.response.status, sent]).toEqual([200, [UNPAID, BY_X402]]);
  const alone = buy(shop, (headers) => headers.delete("payment-required"), withKey);
  expect(await alone.catch((error: unknown) => error)).toBeInstanceOf(PaymentDeclined);
});

test("a challenge that is too old, or not for a charge of one authorization, is not paid", async () => {
  const shop = openShop({ mpp: true });
  const [challenge] = readChallenges((await fetch(`${shop.gateway.url}/goods`)).headers.get("www-authenticate") ?? "");
  if (challenge === undefined) throw new Error("the shop has no challenge");
  const changes = [{ expires: "2001-01-01T00:00:00Z" }, { method: "tempo" }, { intent: "session" }, { request: "e30" }];
  for (const change of changes) {
    const bought = buy(shop, (headers) => {
      headers.delete("payment-required");
      headers.set("www-authenticate", writeChallenge({ ...challenge, ...change }));
    });
    expect(await bought.catch((error: unknown) => error)).toBeInstanceOf(PaymentDeclined);
  }
  expect(shop.settlements).toBe(0);
});

test("a failure without a receipt leaves the payment open, and a refusal does not", async () => {
  const broken = openShop({
    mpp: true,
    upstream: ({ response }) => response.abort(new TurnpikeError("upstream-failed", "gone")),
  });
  const { paid } = await buy(broken, (headers) => headers.delete("payment-required"));
  expect([paid.response.ok, paid.isOpen, paid.isFree]).toEqual([false, true, false]);
  const poor = openShop({
    mpp: true,
    facilitator: () => ({
      verify: async () => ({ kind: "refused", reason: "invalid_exact_evm_insufficient_balance" }),
    }),
  });
  const refused = await buy(poor, (headers) => headers.delete("payment-required"));
  expect([refused.paid.response.status, refused.paid.isOpen, refused.paid.isFree]).toEqual([402, false, true]);
});

test("challenges of other schemes, and malformed ones, are skipped", () => {
  const one = 'Payment id="a", realm="r", method="evm", intent="charge", request="e30"';
  const found = { id: "a", realm: "r", method: "evm", intent: "charge", request: "e30" };
  const fields: readonly (readonly [string, number])[] = [
    [one, 1],
    [`Basic realm="x, Payment id=y", ${one}, Bearer`, 1],
    [`Negotiate abc==, ${one}`, 1],
    [`${one}, ${one.replace('"a"', "b")}`, 2],
    ['Payment id="", realm="r", method="evm", intent="charge", request="e30"', 0],
    ['Payment id="a', 0],
    ["Payment", 0],
    ["", 0],
    [`${one}, `.repeat(100), 32],
  ];
  for (const [field, count] of fields) expect([field, readChallenges(field).length]).toEqual([field, count]);
  expect(readChallenges(`x, ${one}`)[0]).toMatchObject(found);
  const quoted = { ...found, realm: 'q"\\,' };
  expect(readChallenges(writeChallenge(quoted))[0]).toMatchObject(quoted);
});
