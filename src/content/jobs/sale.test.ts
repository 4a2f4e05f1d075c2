import { expect, test } from "bun:test";
import * as fc from "fast-check";
import { amountOf, deferredPayment, isPaid, jobIdOf, pagesOf, paymentName, saleText } from "./sale.ts";

const FIELDS = {
  "settlement-deferral": '{"until":1800000000}',
  "turnpike-amount": "500000",
  "turnpike-asset": "0xtoken",
  "turnpike-network": "eip155:8453",
  "turnpike-payer": "0xpayer",
  "turnpike-payment-id": "0xnonce",
};

test("the paid amount covers exactly the pages that were due", () => {
  const quotes = fc.record({ quote: fc.bigInt(0n, 10n ** 24n), limit: fc.integer({ min: 1, max: 10_000 }) });
  const property = fc.property(quotes, fc.nat(10_000), ({ quote, limit }, some) => {
    const pages = some % (limit + 1);
    const amount = amountOf(String(quote), limit, pages);
    expect(BigInt(amount) <= quote).toBe(true);
    const covered = pagesOf(String(quote), limit, amount);
    expect(covered).toBeGreaterThanOrEqual(pages);
    expect(amountOf(String(quote), limit, covered)).toBe(amount);
    if (covered < limit) expect(BigInt(amountOf(String(quote), limit, covered + 1)) > BigInt(amount)).toBe(true);
  });
  fc.assert(property);
});

test("a whole limit of pages costs the quote, and the quote pays for no more", () => {
  expect([amountOf("500000", 100, 100), amountOf("500000", 100, 101)]).toEqual(["500000", "500000"]);
  expect([pagesOf("500000", 100, "500000"), pagesOf("500000", 100, "900000")]).toEqual([100, 100]);
});

test("pages from the cache cost less, and the paid amount covers what was due", () => {
  expect(amountOf("500000", 100, 10, 240)).toBe("38000");
  expect(amountOf("500000", 100, 3, 300)).toBe("0");
  const job = { sale: saleText({ quote: "500000", asset: "", network: "" }, "key"), limit: 100, paid: "38000" };
  expect([isPaid(job, { pages: 10, saved: 240 }), isPaid(job, { pages: 10, saved: 239 })]).toEqual([true, false]);
  expect(isPaid({ ...job, sale: "" }, { pages: 99, saved: 0 })).toBe(true);
});

test("a deferred payment is read from the fields of the gateway, all of which must be there", () => {
  const payment = deferredPayment(new Headers(FIELDS));
  expect(payment).toEqual({
    network: "eip155:8453",
    asset: "0xtoken",
    quote: "500000",
    until: 1_800_000_000,
  });
  for (const name of Object.keys(FIELDS)) {
    expect(deferredPayment(new Headers({ ...FIELDS, [name]: "" }))).toBeUndefined();
  }
  for (const wrong of ["{", '{"until":"x"}', '{"until":-1}', "{}"]) {
    expect(deferredPayment(new Headers({ ...FIELDS, "settlement-deferral": wrong }))).toBeUndefined();
  }
});

test("one payment names one job for each order", () => {
  const idOf = (change: Readonly<Record<string, string>>, order = "{}"): string =>
    jobIdOf(paymentName(new Headers({ ...FIELDS, ...change })), order);
  expect(idOf({})).toBe(idOf({ "turnpike-amount": "1", "settlement-deferral": "" }));
  expect(idOf({})).not.toBe(idOf({}, "[]"));
  for (const name of ["payer", "network", "asset", "payment-id"])
    expect(idOf({})).not.toBe(idOf({ [`turnpike-${name}`]: "0xother" }));
  expect(paymentName(new Headers({ ...FIELDS, "turnpike-payment-id": "" }))).toBe("");
});
