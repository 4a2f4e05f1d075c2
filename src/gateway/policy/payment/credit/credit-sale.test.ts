/** Requests that a token of prepaid credit pays for. */
import { afterEach, expect, setDefaultTimeout, spyOn, test } from "bun:test";
import { patient } from "../../../../lib/testing/patience.ts";
import { issueCredit } from "../../../../payments/credit/issue.ts";
import { fieldValue } from "../../../../lib/http/fields.ts";
import { PAYER, USDC } from "../../../../payments/testing/payment.ts";
import { type NewCredit } from "../../../../store/credits.ts";
import { type ShopOptions, closeShops, decoded, openShop } from "../testing/shop.ts";
import { respondWith } from "../testing/test-gateway.ts";

setDefaultTimeout(patient(20_000));
afterEach(closeShops);

const PRICE = 10_000;
const OWNER = PAYER.toLowerCase();

interface Case {
  readonly credit?: Partial<NewCredit>;
  /** Atomic units, or calls. */
  readonly balance?: number;
  readonly isTest?: boolean;
  readonly shop?: ShopOptions;
}

/** A shop, and a token whose credit pays for two and a half requests. */
async function sold({ credit, balance = 2.5 * PRICE, isTest = true, shop: options = {} }: Case = {}) {
  const shop = openShop({ credits: true, ...options });
  const terms = {
    owner: OWNER,
    unit: "money",
    name: "",
    network: "eip155:84532",
    token: USDC.toLowerCase(),
    routes: [],
    expiresAt: 0,
    ...credit,
  } as const;
  const { credits } = shop.store;
  const { token, id } = await issueCredit(
    credits,
    terms,
    { kind: "issued", amount: String(balance), payment: "" },
    isTest,
  );
  return {
    shop,
    token,
    id,
    buy: (headers: Record<string, string> = {}, path = "/goods") =>
      fetch(shop.gateway.url + path, { headers: { authorization: `Bearer ${token}`, ...headers } }),
    balance: async (): Promise<number> => Number((await credits.find(id))?.balance),
  };
}

/** The reason in the challenge of a refused request. */
function reasonOf(response: Response): unknown {
  return (decoded(response, "payment-required") as { readonly error?: unknown }).error;
}

test("a token pays the price of each request, without a settlement, until its credit does not suffice", async () => {
  const { shop, buy, balance } = await sold();
  const first = await buy();
  expect([first.status, await first.text(), await balance()]).toEqual([200, "the goods", 1.5 * PRICE]);
  expect(decoded(first, "payment-response")).toMatchObject({ success: true, transaction: "", amount: String(PRICE) });
  expect([(await buy()).status, await balance()]).toEqual([200, 0.5 * PRICE]);
  const last = await buy();
  expect([last.status, reasonOf(last), await balance()]).toEqual([402, "credit_insufficient", 0.5 * PRICE]);
  expect([shop.runs, shop.settlements]).toEqual([2, 0]);
});

test("the ledger keeps a payment whole, to find its settlement after a crash, and nothing of a token", async () => {
  const { shop, token, buy } = await sold();
  using reserve = spyOn(shop.store.ledger, "reserve");
  const payment = shop.payment();
  expect([(await buy()).status, (await shop.send(payment)).status]).toEqual([200, 200]);
  const [charge, transfer] = reserve.mock.calls.map(([reservation]) => reservation);
  expect([charge?.payload, JSON.stringify(charge).includes(token)]).toEqual(["", false]);
  expect(transfer?.payload).toContain(payment.payload.signature);
  // Clients without a name are known by their accounts.
  expect([charge?.consumer, transfer?.consumer].map((name) => name?.toLowerCase())).toEqual([OWNER, OWNER]);
});

test("a balance of exactly the price suffices, and one unit less does not", async () => {
  const exact = await sold({ balance: PRICE });
  expect([(await exact.buy()).status, await exact.balance()]).toEqual([200, 0]);
  const less = await sold({ balance: PRICE - 1 });
  expect([(await less.buy()).status, await less.balance()]).toEqual([402, PRICE - 1]);
});

test.each(["idempotency-key", "x-idempotency-key"])("requests with the same %s are one charge", async (name) => {
  const { shop, buy, balance } = await sold();
  for (let at = 0; at < 3; at++) expect(await (await buy({ [name]: "order 1" })).text()).toBe("the goods");
  expect([shop.runs, await balance()]).toEqual([1, 1.5 * PRICE]);
  await buy({ [name]: "order 2" });
  expect([shop.runs, await balance()]).toEqual([2, 0.5 * PRICE]);
});

test("one key pays for one request: another path with it is refused", async () => {
  const { shop, buy, balance } = await sold();
  await buy({ "idempotency-key": "a" });
  expect((await buy({ "idempotency-key": "a" }, "/goods?other")).status).toBe(409);
  expect([shop.runs, await balance()]).toEqual([1, 1.5 * PRICE]);
});

test.each<[string, Record<string, string>]>([
  ["empty", { "idempotency-key": "" }],
  ["two different ones", { "idempotency-key": "a", "x-idempotency-key": "b" }],
  ["256 characters long", { "idempotency-key": "x".repeat(256) }],
])("a request whose key is %s is refused, and costs nothing", async (_what, headers) => {
  const { shop, buy, balance } = await sold();
  const response = await buy(headers);
  expect([response.status, shop.runs, await balance()]).toEqual([400, 0, 2.5 * PRICE]);
});

test("a key may have 255 characters", async () => {
  const { buy } = await sold();
  expect((await buy({ "idempotency-key": "x".repeat(255) })).status).toBe(200);
});

test.each<[string, Case, string]>([
  ["of another chain", { credit: { network: "eip155:8453" } }, "credit_other_currency"],
  ["of another token", { credit: { token: `0x${"a".repeat(40)}` } }, "credit_other_currency"],
  ["for another route", { credit: { routes: ["/other"] } }, "credit_other_route"],
])("a credit %s pays nothing, and the client gets a challenge", async (_what, script, reason) => {
  const { shop, buy, balance } = await sold(script);
  const response = await buy();
  expect([response.status, reasonOf(response)]).toEqual([402, reason]);
  expect([shop.runs, await balance()]).toEqual([0, 2.5 * PRICE]);
});

test("a credit for this route among others pays", async () => {
  const { buy } = await sold({ credit: { routes: ["/other", "/goods"] } });
  expect((await buy()).status).toBe(200);
});

test("a credit ends at its time, and at once if it is revoked", async () => {
  const end = 4_000_000_000_000;
  const { shop, buy } = await sold({ credit: { expiresAt: end } });
  shop.clock.now = end - 1;
  expect((await buy()).status).toBe(200);
  shop.clock.now = end;
  const late = await buy();
  expect([late.status, reasonOf(late)]).toEqual([402, "credit_expired"]);
  const other = await sold();
  await other.shop.store.credits.revoke(other.id);
  const revoked = await other.buy();
  expect([revoked.status, reasonOf(revoked), other.shop.runs]).toEqual([402, "credit_revoked", 0]);
});

test.each([
  ["with another secret", true, (token: string) => `${token.slice(0, -1)}${token.endsWith("A") ? "B" : "A"}`],
  ["of the other mode", false, (token: string) => token],
  ["that is no token", true, (token: string) => `${token}x`],
])("a token %s pays nothing", async (_what, isTest, change) => {
  const { shop, token, buy, balance } = await sold({ isTest });
  const response = await buy({ authorization: `Bearer ${change(token)}` });
  expect([response.status, reasonOf(response)]).toEqual([402, "credit_token_unknown"]);
  expect([shop.runs, await balance()]).toEqual([0, 2.5 * PRICE]);
});

test("a pass of calls pays one call for a request of any price, and a pass of time nothing", async () => {
  const calls = await sold({ credit: { unit: "calls", name: "pass" }, balance: 2 });
  expect([(await calls.buy()).status, await calls.balance()]).toEqual([200, 1]);
  expect([(await calls.buy()).status, await calls.balance()]).toEqual([200, 0]);
  const empty = await calls.buy();
  expect([empty.status, reasonOf(empty)]).toEqual([402, "credit_insufficient"]);
  const time = await sold({ credit: { unit: "time", name: "pass", expiresAt: 4_000_000_000_000 }, balance: 1 });
  expect([(await time.buy()).status, await time.balance()]).toEqual([200, 1]);
});

test.each([404, 500])("a response of status %p costs nothing: the charge returns to the balance", async (status) => {
  const upstream: ShopOptions["upstream"] = (exchange) => respondWith(exchange, status, "no goods");
  const { buy, balance } = await sold({ shop: { upstream } });
  expect([(await buy()).status, await balance()]).toEqual([status, 2.5 * PRICE]);
});

test("a route that requires an id of each payment requires a key of each charge", async () => {
  const { shop, buy, balance } = await sold({
    shop: { terms: { extensions: { "payment-identifier": { info: { required: true } } } } },
  });
  expect([(await buy()).status, shop.runs, await balance()]).toEqual([400, 0, 2.5 * PRICE]);
  expect([(await buy({ "idempotency-key": "a" })).status, await balance()]).toEqual([200, 1.5 * PRICE]);
});

test("a route without servers takes no charge", async () => {
  const { shop, buy, balance } = await sold({ shop: { isServed: false } });
  expect([(await buy()).status, shop.runs, await balance()]).toEqual([503, 0, 2.5 * PRICE]);
});

test("requests at once cannot spend more than the balance", async () => {
  const { shop, buy, balance } = await sold();
  const statuses = await Promise.all(Array.from({ length: 6 }, async () => (await buy()).status));
  expect([statuses.filter((status) => status === 200).length, shop.runs, await balance()]).toEqual([2, 2, 0.5 * PRICE]);
});

test.each<[string, Case, balance: string | undefined]>([
  ["of money has", {}, "0.025"],
  ["whose asset is unknown lacks", { credit: { token: `0x${"a".repeat(40)}` } }, undefined],
  ["of calls lacks", { credit: { unit: "calls", name: "pass" } }, undefined],
  ["that has ended lacks", { credit: { expiresAt: 1 } }, undefined],
])("a free request with a token %s the balance for its upstream, and costs nothing", async (_what, script, told) => {
  const match = { methods: [], headers: [], query: [] };
  const rules = [{ match, consumers: [], payers: [], body: [], free: true as const }];
  const { shop, buy, balance } = await sold({ ...script, shop: { terms: { rules } } });
  expect([(await buy()).status, await balance()]).toEqual([200, 2.5 * PRICE]);
  expect(fieldValue(shop.lastUpstreamFields, "turnpike-balance")).toBe(told);
});
