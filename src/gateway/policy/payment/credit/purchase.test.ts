/** Purchases of prepaid credit, and what the holder of a token may do with it. */
import { afterEach, expect, setDefaultTimeout, spyOn, test } from "bun:test";
import { patient } from "../../../../lib/testing/patience.ts";
import { encodeHeader } from "../../../../payments/x402/header.ts";
import { PAYER, REQUIREMENTS, TERMS } from "../../../../payments/testing/payment.ts";
import { credit as creditKeys } from "../../../config/schema/x402-credit.ts";
import { closeShops, decoded, openShop, type Shop } from "../testing/shop.ts";

setDefaultTimeout(patient(20_000));
afterEach(closeShops);

const PATH = "/.turnpike/credit";
const DAY_MS = 86_400_000;
const PASSES = [
  { name: "three", price: "$0.02", calls: 3, seconds: 3600, routes: ["/goods"] },
  { name: "hour", price: "$0.05", seconds: 3600 },
];

interface Shown {
  readonly token?: string;
  readonly credit: Record<string, unknown>;
}

function open(change: object = {}): Shop {
  const { price: _price, scheme: _scheme, ...account } = TERMS;
  const settings = creditKeys.parse({ ...account, min: "$0.01", max: "$100", passes: PASSES, ...change });
  return openShop({ sellsCredit: settings, route: PATH });
}

interface Request {
  readonly method?: string;
  readonly path?: string;
  readonly body?: object | string;
  readonly token?: string | undefined;
  readonly headers?: Record<string, string>;
}

/** Sends a request; with a `payment`, a paid one. */
async function send(shop: Shop, request: Request, payment?: unknown): Promise<Response> {
  const { method = "POST", path = PATH, body, token, headers = {} } = request;
  return fetch(shop.gateway.url + path, {
    method,
    ...(body === undefined ? {} : { body: typeof body === "string" ? body : JSON.stringify(body) }),
    headers: {
      ...(body === undefined ? {} : { "content-type": "application/json" }),
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      ...(payment === undefined ? {} : { "payment-signature": encodeHeader(payment) }),
      ...headers,
    },
  });
}

/** The amount that a purchase costs; else the status of its response. */
async function priceOf(shop: Shop, request: Request): Promise<number> {
  const response = await send(shop, request);
  if (response.status !== 402) return response.status;
  const { accepts } = decoded(response, "payment-required") as { accepts: readonly { readonly amount: string }[] };
  return Number(accepts[0]?.amount);
}

function paymentOf(shop: Shop, amount: number) {
  const value = String(amount);
  return { ...shop.payment({ value }), accepted: { ...REQUIREMENTS, amount: value } };
}

async function buy(shop: Shop, amount: number, request: Request): Promise<Shown> {
  const response = await send(shop, request, paymentOf(shop, amount));
  expect(response.status).toBe(request.token === undefined ? 201 : 200);
  return (await response.json()) as Shown;
}

test("a purchase for a balance that the ledger cannot look up gets 503, and costs nothing", async () => {
  const shop = open();
  const { token } = await buy(shop, 10_000, {});
  const find = spyOn(shop.store.credits, "find").mockRejectedValue(new Error("the database is away"));
  const response = await send(shop, { token }, paymentOf(shop, 10_000));
  expect([response.status, response.headers.get("retry-after"), shop.settlements]).toEqual([503, "5", 1]);
  expect(shop.logged).toEqual([expect.stringContaining("the ledger failed")]);
  find.mockRestore();
  await buy(shop, 10_000, { token });
});

test("a purchase without a body is of the least amount, and its token has that balance", async () => {
  const shop = open();
  expect(await priceOf(shop, {})).toBe(10_000);
  const { token, credit } = await buy(shop, 10_000, {});
  expect(token).toMatch(/^tpc_test/);
  expect(credit).toMatchObject({ owner: PAYER.toLowerCase(), unit: "money" });
  expect(await shop.store.credits.find(String(credit["id"]))).toMatchObject({ balance: "10000" });
  expect(shop.settlements).toBe(1);
});

test("a purchase costs what its body asks for, and no less", async () => {
  const shop = open();
  const five = { body: { amount: "$5" } };
  expect([await priceOf(shop, five), await priceOf(shop, { body: { amount: "20000" } })]).toEqual([5_000_000, 20_000]);
  const cheap = await send(shop, five, paymentOf(shop, 10_000));
  expect([cheap.status, shop.settlements]).toEqual([402, 0]);
  const { credit } = await buy(shop, 5_000_000, five);
  expect((await shop.store.credits.find(String(credit["id"])))?.balance).toBe("5000000");
});

test("a top-up adds to the credit of its token, once for each payment", async () => {
  const shop = open();
  const { token, credit } = await buy(shop, 10_000, {});
  const id = String(credit["id"]);
  const payment = paymentOf(shop, 20_000);
  const request = { token, body: { amount: "$0.02" } };
  expect((await send(shop, request, payment)).status).toBe(200);
  expect((await shop.store.credits.find(id))?.balance).toBe("30000");
  await send(shop, request, payment);
  expect([(await shop.store.credits.find(id))?.balance, shop.settlements]).toEqual(["30000", 2]);
});

test("a token that is not valid tops up nothing, and its payment stays unused", async () => {
  const shop = open();
  const { token = "", credit } = await buy(shop, 10_000, {});
  const wrong = `${token.slice(0, -1)}${token.endsWith("A") ? "B" : "A"}`;
  const refused = await send(shop, { token: wrong }, paymentOf(shop, 10_000));
  expect([refused.status, shop.settlements]).toEqual([401, 1]);
  expect((await shop.store.credits.find(String(credit["id"])))?.balance).toBe("10000");
});

test.each([
  ["is revoked", async (shop: Shop, id: string) => void (await shop.store.credits.revoke(id)), "revoked"],
  ["has ended", async (shop: Shop) => void (shop.clock.now += 30 * DAY_MS), "expired"],
])("a credit that %s is not topped up, and its payment stays unused", async (_what, change, why) => {
  const shop = open({ expires_days: 30 });
  const { token, credit } = await buy(shop, 10_000, {});
  await change(shop, String(credit["id"]));
  const refused = await send(shop, { token }, paymentOf(shop, 10_000));
  expect([refused.status, await refused.text(), shop.settlements]).toEqual([403, expect.stringContaining(why), 1]);
});

test("the end of a credit moves with each top-up", async () => {
  const shop = open({ expires_days: 30 });
  const { token, credit } = await buy(shop, 10_000, {});
  const endOf = async (): Promise<number | undefined> =>
    (await shop.store.credits.find(String(credit["id"])))?.expiresAt;
  expect(await endOf()).toBe(shop.clock.now + 30 * DAY_MS);
  shop.clock.now += 30 * DAY_MS - 1;
  await buy(shop, 10_000, { token });
  expect(await endOf()).toBe(shop.clock.now + 30 * DAY_MS);
});

test("a pass has its own price, calls, routes and end, and is not topped up", async () => {
  const shop = open();
  const three = { body: { pass: "three" } };
  expect([await priceOf(shop, three), await priceOf(shop, { body: { pass: "hour" } })]).toEqual([20_000, 50_000]);
  const { token, credit } = await buy(shop, 20_000, three);
  const expiresAt = shop.clock.now + 3_600_000;
  const own = { unit: "calls", balance: "3", routes: ["/goods"], name: "three", expiresAt };
  expect(await shop.store.credits.find(String(credit["id"]))).toMatchObject(own);
  const hour = await buy(shop, 50_000, { body: { pass: "hour" } });
  expect(await shop.store.credits.find(String(hour.credit["id"]))).toMatchObject({ unit: "time", expiresAt });
  const refused = await send(shop, { token }, paymentOf(shop, 10_000));
  expect([refused.status, await refused.text()]).toEqual([403, expect.stringContaining("a pass")]);
});

test("a pass of one call pays for one call, and not for all until its end", async () => {
  const shop = open({ passes: [{ name: "one", price: "$0.02", calls: 1, seconds: 3600 }] });
  const { credit } = await buy(shop, 20_000, { body: { pass: "one" } });
  expect(await shop.store.credits.find(String(credit["id"]))).toMatchObject({ unit: "calls", balance: "1" });
});

test.each<[string, Request, number]>([
  ["less than the least", { body: { amount: "$0.009" } }, 400],
  ["more than the most", { body: { amount: "$100.01" } }, 400],
  ["a negative amount", { body: { amount: "-1" } }, 400],
  ["an unknown pass", { body: { pass: "four" } }, 400],
  ["no JSON", { body: "amount" }, 400],
  ["a body of another type", { body: "{}", headers: { "content-type": "text/plain" } }, 415],
  ["a body of more than 4096 bytes", { body: `{"amount":"${"1".repeat(4096)}"}` }, 413],
])("%s buys nothing", async (_what, request, status) => {
  const shop = open();
  expect([await priceOf(shop, request), shop.runs]).toEqual([status, 0]);
});

test("more kinds of purchases than are kept have their prices too", async () => {
  const shop = open();
  for (let at = 0; at < 300; at++)
    expect(await priceOf(shop, { body: { amount: String(10_000 + at) } })).toBe(10_000 + at);
  expect(await priceOf(shop, { body: { amount: "10000" } })).toBe(10_000);
});

test("a holder sees its credit and revokes it, and no client does so without the token", async () => {
  const shop = open();
  const { token, credit } = await buy(shop, 10_000, {});
  const shown = await send(shop, { method: "GET", token });
  expect([shown.status, await shown.json()]).toMatchObject([200, { credit: { id: credit["id"] } }]);
  expect((await send(shop, { method: "GET" })).status).toBe(401);
  expect((await send(shop, { method: "DELETE" })).status).toBe(401);
  expect((await send(shop, { method: "DELETE", token })).status).toBe(200);
  expect((await shop.store.credits.find(String(credit["id"])))?.revokedAt).toBe(shop.clock.now);
  expect((await send(shop, { method: "PUT", token })).status).toBe(405);
  expect((await send(shop, { method: "GET", path: `${PATH}/other`, token })).status).toBe(404);
});

test("a ledger that fails after the payment is logged, and the same payment gets its token afterwards", async () => {
  const shop = open();
  const { credits } = shop.store;
  const failing = spyOn(credits, "open").mockRejectedValueOnce(new Error("disk full"));
  const payment = paymentOf(shop, 10_000);
  const failed = await send(shop, {}, payment);
  expect([failed.status, await failed.text()]).toEqual([503, expect.stringContaining("the ledger failed")]);
  expect(shop.logged.filter((line) => line.startsWith("credit: "))).toEqual(["credit: the ledger failed: Error"]);
  failing.mockRestore();
  const bought = await send(shop, {}, payment);
  const { credit } = (await bought.json()) as Shown;
  expect([bought.status, credit["balance"], shop.settlements]).toEqual([201, "10000", 1]);
});

test("a refused request of a holder does not log a failure of the ledger, and its response asks for a token", async () => {
  const shop = open();
  const refused = await send(shop, { method: "GET" });
  expect([refused.status, refused.headers.get("www-authenticate")]).toEqual([401, 'Bearer realm="prepaid credit"']);
  const missing = await send(shop, { method: "GET", path: `${PATH}/other` });
  expect([missing.status, missing.headers.get("www-authenticate"), shop.logged]).toEqual([404, null, []]);
});
