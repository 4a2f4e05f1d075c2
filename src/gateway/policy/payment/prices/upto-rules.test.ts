import { afterEach, expect, test } from "bun:test";
import { fieldLine } from "../../../../lib/http/fields.ts";
import { REQUIREMENTS, TERMS } from "../../../../payments/testing/payment.ts";
import { signedPermit2 } from "../../../../payments/testing/permit2-payment.ts";
import { paymentRequiredSchema } from "../../../../payments/x402/messages.ts";
import { closeShops, decoded, openShop, type Shop } from "../testing/shop.ts";
import { respondWith } from "../testing/test-gateway.ts";

afterEach(closeShops);

const JSON_TYPE = { "content-type": "application/json" };

/** Sells by pages, up to $0.002 for each, and charges what the upstream says. */
function open(charge: string): Shop {
  const rule = { match: { methods: [], headers: [], query: [] }, consumers: [], payers: [], body: [] };
  return openShop({
    terms: {
      ...TERMS,
      scheme: "upto",
      price: "$1",
      rules: [{ ...rule, unit_price: { price: "$0.002", count: "/urls" } }],
    },
    kinds: {
      current: [{ scheme: "upto", network: "eip155:*", extra: { facilitatorAddress: `0x${"1".repeat(40)}` } }],
    },
    upstream: (exchange) => respondWith(exchange, 200, "pages", fieldLine("Settlement-Overrides", charge)),
  });
}

function asked(list: readonly number[]): RequestInit & { headers: Record<string, string> } {
  return { method: "POST", headers: JSON_TYPE, body: JSON.stringify({ urls: list }) };
}

async function buy(shop: Shop, urls: readonly number[], signed = urls): Promise<Response> {
  const unpaid = await fetch(`${shop.gateway.url}/goods`, asked(signed));
  const { accepts } = paymentRequiredSchema.parse(decoded(unpaid, "payment-required"));
  const [requirements = REQUIREMENTS] = accepts;
  expect(requirements.amount).toBe(String(2000 * signed.length));
  return await shop.send(signedPermit2(requirements, shop.clock.now / 1000), asked(urls));
}

test("the rule's price is the most that the upstream can charge", async () => {
  const shop = open('{"amount":"5000"}');
  const bought = await buy(shop, [1, 2, 3]);
  expect([bought.status, decoded(bought, "payment-response")]).toMatchObject([200, { amount: "5000" }]);
  const over = await buy(shop, [1, 2]);
  expect([over.status, shop.settlements]).toEqual([502, 1]);
});

test("a payment for fewer pages does not buy more", async () => {
  const shop = open('{"amount":"100"}');
  const refused = await buy(shop, [1, 2, 3], [1]);
  expect([refused.status, shop.runs, shop.settlements]).toEqual([402, 0, 0]);
  expect(decoded(refused, "payment-required")).toMatchObject({ accepts: [{ amount: "6000" }] });
});
