import { afterEach, expect, test } from "bun:test";
import { PAYER, REQUIREMENTS } from "../../../../payments/testing/payment.ts";
import { type RouteX402Config } from "../../../config/config.ts";
import { closeShops, decoded, openShop, type Shop } from "../testing/shop.ts";

afterEach(closeShops);

type Rule = RouteX402Config["rules"][number];

/** Another address of the same letters as the payer's, and the payer's in other letter case. */
const STRANGER = `0x${"ab".repeat(20)}`;

function rule(result: Partial<Rule>): Rule {
  return { match: { methods: [], headers: [], query: [] }, consumers: [], payers: [], body: [], ...result };
}

function shopOf(...rules: readonly Rule[]): Shop {
  return openShop({ terms: { rules } });
}

function pay(shop: Shop, amount: string, change: object = {}): Promise<Response> {
  const payment = shop.payment({ value: amount, ...change });
  return shop.send({ ...payment, accepted: { ...REQUIREMENTS, amount } });
}

function amountOf(response: Response): unknown {
  const { accepts } = decoded(response, "payment-required") as { accepts: readonly { amount: string }[] };
  return accepts[0]?.amount;
}

test("a payer with a lower price gets it in another 402, whatever it signed, and pays no more", async () => {
  const shop = shopOf(rule({ payers: [PAYER.toUpperCase().replace("0X", "0x")], price: "$0.004" }));
  const unpaid = await fetch(`${shop.gateway.url}/goods`);
  expect([unpaid.status, amountOf(unpaid)]).toEqual([402, "10000"]);
  for (const amount of ["10000", "3999"]) {
    const refused = await pay(shop, amount);
    expect([refused.status, amountOf(refused)]).toEqual([402, "4000"]);
  }
  expect([shop.runs, shop.settlements]).toEqual([0, 0]);
  const bought = await pay(shop, "4000");
  expect([bought.status, await bought.text(), shop.settlements]).toEqual([200, "the goods", 1]);
});

test("a payer with a higher price is not charged more than it signed", async () => {
  const shop = shopOf(rule({ payers: [PAYER], price: "$0.02" }), rule({ price: "$0.001" }));
  const refused = await pay(shop, "1000");
  expect([refused.status, amountOf(refused), shop.settlements]).toEqual([402, "20000", 0]);
  expect((await pay(shop, "20000")).status).toBe(200);
});

test("a free payer signs the price of all, and is not charged", async () => {
  const shop = shopOf(rule({ payers: [PAYER], free: true }), rule({ price: "$0.02" }));
  expect((await pay(shop, "10000")).status).toBe(402);
  for (let i = 0; i < 3; i++) {
    const response = await pay(shop, "20000");
    expect([response.status, await response.text()]).toEqual([200, "the goods"]);
    expect(response.headers.get("payment-response")).toBeNull();
  }
  expect([shop.runs, shop.settlements]).toEqual([3, 0]);
});

test("the address of a free payer without its signature gets nothing", async () => {
  const shop = shopOf(rule({ payers: [STRANGER], free: true }));
  const forged = await pay(shop, "10000", { from: STRANGER });
  const payment = shop.payment();
  const { authorization, signature } = payment.payload;
  const changed = await shop.send({
    ...payment,
    payload: { signature, authorization: { ...authorization, from: STRANGER } },
  });
  expect([forged.status, changed.status, shop.runs, shop.settlements]).toEqual([402, 402, 0, 0]);
});

test("a payer can be refused, and other payers not", async () => {
  const refused = shopOf(rule({ payers: [PAYER], refuse: true }));
  expect((await pay(refused, "10000")).status).toBe(403);
  const other = shopOf(rule({ payers: [STRANGER], refuse: true }));
  expect((await pay(other, "10000")).status).toBe(200);
});

test("if all other payers are refused, a free payer signs the price of the route", async () => {
  const shop = shopOf(rule({ payers: [PAYER], free: true }), rule({ refuse: true }));
  expect((await fetch(`${shop.gateway.url}/goods`)).status).toBe(403);
  expect([(await pay(shop, "10000")).status, shop.settlements]).toEqual([200, 0]);
});

test("a free payer whose price depends on the body signs the price of all for that body", async () => {
  const shop = shopOf(
    rule({ payers: [PAYER], body: [{ pointer: "/free", value: true }], free: true }),
    rule({ unit_price: { price: "$0.002", count: "/urls" } }),
  );
  const post = async (amount: string, value: object): Promise<number> => {
    const payment = shop.payment({ value: amount });
    const init = { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(value) };
    return (await shop.send({ ...payment, accepted: { ...REQUIREMENTS, amount } }, init)).status;
  };
  expect([await post("6000", { free: true, urls: [1, 2, 3] }), shop.settlements]).toEqual([200, 0]);
  expect([await post("4000", { free: true, urls: [1, 2, 3] }), shop.settlements]).toEqual([402, 0]);
  expect([await post("6000", { urls: [1, 2, 3] }), shop.settlements]).toEqual([200, 1]);
});

test("the hour is read only for a rule with hours", async () => {
  const shop = shopOf(rule({ price: "$0.02" }), rule({ utc_hours: { from: 1, to: 2 }, free: true }));
  const { now } = shop.clock;
  let reads = 0;
  Object.defineProperty(shop.clock, "now", { get: () => (reads++, now) });
  await fetch(`${shop.gateway.url}/goods`);
  expect(reads).toBe(0);
});
