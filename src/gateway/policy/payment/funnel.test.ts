import { afterEach, expect, test } from "bun:test";
import { TurnpikeError } from "../../../lib/errors.ts";
import { until } from "../../../lib/testing/until.ts";
import { freshAccount } from "../../../payments/evm/testing/shop.ts";
import { signedPayment } from "../../../payments/testing/payment.ts";
import { type PaymentRequirements } from "../../../payments/x402/messages.ts";
import { type Verification } from "../../../payments/x402/facilitator.ts";
import { clientClassOf } from "../../telemetry/client-class.ts";
import { CLIENT_CLASSES } from "../../telemetry/metrics/funnel-steps.ts";
import { closeShops, counted, openShop, type Shop, type ShopOptions } from "./testing/shop.ts";
import { respondWith } from "./testing/test-gateway.ts";

afterEach(closeShops);

for (const settle of ["after", "before"] as const) {
  test(`a buyer passes all stages, and one who comes back is counted (settle: ${settle})`, async () => {
    const shop = openShop({ terms: { settle } });
    await fetch(`${shop.gateway.url}/goods`);
    for (let i = 0; i < 3; i++) await (await shop.send(shop.payment())).text();
    const stages = { unpaid: 1, challenged: 1, signed: 3, verified: 3, settled: 3, delivered: 3, again: 2 };
    await until(() => counted(shop).stages.delivered === 3);
    expect(counted(shop)).toEqual({ stages, losses: {} });
  });
}

test("buyers with different addresses are not taken for one who comes back", async () => {
  const shop = openShop();
  for (let i = 0; i < 3; i++) {
    const account = freshAccount();
    const payment = signedPayment(shop.clock.now / 1000, { from: account.address }, account.privateKey);
    await (await shop.send(payment)).text();
  }
  await until(() => counted(shop).stages.delivered === 3);
  expect(counted(shop).stages.again).toBeUndefined();
});

test("an unpaid request that the upstream refuses for its form is not counted, and another one is challenged", async () => {
  let status = 400;
  const shop = openShop({ checksForm: true, upstream: (exchange) => respondWith(exchange, status, "checked") });
  const refused = await fetch(`${shop.gateway.url}/goods`);
  expect([refused.status, await refused.text()]).toEqual([400, "checked"]);
  expect(counted(shop)).toEqual({ stages: {}, losses: {} });
  status = 200;
  const asked = await fetch(`${shop.gateway.url}/goods`);
  expect([asked.status, (await asked.text()).includes("checked")]).toEqual([402, false]);
  expect(counted(shop)).toEqual({ stages: { unpaid: 1, challenged: 1 }, losses: {} });
});

type Payment = ReturnType<Shop["payment"]>;

function accepting(payment: Payment, change: Partial<PaymentRequirements>): Payment {
  return { ...payment, accepted: { ...payment.accepted, ...change } };
}

function refusing(reason: string): ShopOptions {
  // The reason is one of the facilitator's.
  return { facilitator: () => ({ verify: async () => ({ kind: "refused", reason }) as Verification }) };
}

const LOST: readonly (readonly [loss: string, options: ShopOptions, payment: (shop: Shop) => unknown])[] = [
  ["no_servers", { isServed: false }, (shop) => shop.payment()],
  ["unreadable", {}, () => "not base64"],
  ["network", {}, (shop) => accepting(shop.payment(), { network: "eip155:1" })],
  ["price", {}, (shop) => accepting(shop.payment({ value: "5000" }), { amount: "5000" })],
  ["terms", {}, (shop) => accepting(shop.payment(), { maxTimeoutSeconds: 1 })],
  ["expired", {}, (shop) => shop.payment({ validBefore: "1000" })],
  ["unfunded", refusing("insufficient_funds"), (shop) => shop.payment()],
  ["allowance", refusing("permit2_allowance_required"), (shop) => shop.payment()],
  [
    "signature",
    {},
    (shop) => ({ ...shop.payment(), payload: { ...shop.payment().payload, signature: `0x${"1".repeat(130)}` } }),
  ],
  [
    "facilitator",
    { facilitator: () => ({ verify: () => Promise.reject(new Error("down")) }) },
    (shop) => shop.payment(),
  ],
  ["refused", refusing("payment_refused"), (shop) => shop.payment()],
  ["upstream", { upstream: (exchange) => respondWith(exchange, 500, "") }, (shop) => shop.payment()],
  [
    "upstream",
    { upstream: (exchange) => exchange.response.abort(new TurnpikeError("upstream-failed", "")) },
    (shop) => shop.payment(),
  ],
  [
    "unknown",
    { facilitator: () => ({ settle: async () => ({ kind: "unknown", cause: "late", transaction: "" }) }) },
    (shop) => shop.payment(),
  ],
  ["overloaded", { ledger: () => ({ reserve: () => Promise.reject(new Error("disk")) }) }, (shop) => shop.payment()],
  ["overloaded", { room: { bufferCount: 0 } }, (shop) => shop.payment()],
  ["overloaded", { ledger: () => ({ move: () => Promise.reject(new Error("disk")) }) }, (shop) => shop.payment()],
];

for (const [loss, options, payment] of LOST) {
  test(`a payment that is not sold is counted once, with its reason: ${loss}`, async () => {
    const shop = openShop(options);
    await (await shop.send(payment(shop))).text();
    await until(() => Object.keys(counted(shop).losses).length > 0);
    expect(counted(shop)).toMatchObject({ stages: { signed: 1 }, losses: { [loss]: 1 } });
    expect(Object.keys(counted(shop).losses)).toHaveLength(1);
    expect(counted(shop).stages.delivered).toBeUndefined();
    expect(shop.gateway.last()?.lossAtEnd).toBe(loss);
  });
}

test("a request that a rule refuses, and a payment that was used, are lost", async () => {
  const refused = openShop({
    terms: {
      rules: [{ match: { methods: [], headers: [], query: [] }, consumers: [], payers: [], body: [], refuse: true }],
    },
  });
  await fetch(`${refused.gateway.url}/goods`);
  expect(counted(refused)).toEqual({ stages: { unpaid: 1 }, losses: { not_sold: 1 } });
  const shop = openShop({ terms: { max_repeats: 0 } });
  const payment = shop.payment();
  for (let i = 0; i < 2; i++) {
    await (await shop.send(payment)).text();
    expect(shop.gateway.last()?.lossAtEnd).toBe([undefined, "used"][i]);
  }
  expect(counted(shop).losses).toEqual({ used: 1 });
});

test("a request whose price cannot be determined is not sold, with a payment or without", async () => {
  const match = { methods: [], headers: [], query: [{ name: "q", pattern: "a+" }] };
  const shop = openShop({ terms: { rules: [{ match, consumers: [], payers: [], body: [], price: "$0.02" }] } });
  const path = `/goods?q=${"a".repeat(9000)}`;
  const paid = await shop.send(shop.payment(), { path });
  expect([paid.status, counted(shop)]).toEqual([400, { stages: { signed: 1 }, losses: { not_sold: 1 } }]);
  const unpaid = await fetch(shop.gateway.url + path);
  expect([unpaid.status, counted(shop)]).toEqual([400, { stages: { signed: 1, unpaid: 1 }, losses: { not_sold: 2 } }]);
  expect(unpaid.headers.get("retry-after")).toBeNull();
  expect([shop.runs, shop.settlements]).toEqual([0, 0]);
});

const AGENTS: readonly (readonly [userAgent: string | undefined, client: string])[] = [
  ["Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/130.0 Safari/537.36", "browser"],
  ["Mozilla/5.0 (Linux; Android 9; CUBOT X19) AppleWebKit/537.36", "browser"],
  ["Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; GPTBot/1.2; +https://openai.com/gptbot)", "agent"],
  ["Mozilla/5.0 (compatible; Claude-User/1.0; +Claude-User@anthropic.com)", "agent"],
  ["python-requests/2.32", "sdk"],
  ["Python/3.12 aiohttp/3.10", "sdk"],
  ["node", "sdk"],
  ["Go-http-client/2.0", "sdk"],
  ["curl/8.5.0", "sdk"],
  ["my own program", "other"],
  ["", "other"],
  [undefined, "other"],
];

for (const [userAgent, client] of AGENTS) {
  test(`the user agent ${userAgent ?? "of a request without one"} is of the class ${client}`, () => {
    for (let i = 0; i < 2; i++) expect<string | undefined>(CLIENT_CLASSES[clientClassOf(userAgent)]).toBe(client);
  });
}
