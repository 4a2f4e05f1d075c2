/** Prices by what is requested, over each protocol: the price in the challenge, the charge, and free requests. */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { patient } from "../../src/lib/testing/patience.ts";
import { REQUIREMENTS, signedPayment, TERMS } from "../../src/payments/testing/payment.ts";
import { decodeHeader, encodeHeader } from "../../src/payments/x402/header.ts";
import {
  type Protocol,
  type ProtocolGateway,
  PROTOCOLS,
  type Reply,
  type Request,
  startProtocols,
} from "../policy/protocols.ts";
import { serverAt } from "../support/gateway.ts";
import { CountingFacilitator } from "./counting-facilitator.ts";

setDefaultTimeout(patient(30_000));

const facilitator = new CountingFacilitator();
let bodies: string[] = [];
const origin = Bun.serve({
  hostname: "127.0.0.1",
  port: 0,
  idleTimeout: 0,
  async fetch(request) {
    bodies.push(await request.text());
    return new Response("goods");
  },
});
let gateway: ProtocolGateway;
/** The hours of the rule that holds now, and of one that does not. */
const hour = new Date().getUTCHours();

const JSON_TYPE = { "content-type": "application/json" };

beforeAll(async () => {
  const keys = ["partner", "subscriber"].map((name) => ({ key: `${name}-key`, name }));
  const auth = { type: "chain", methods: [{ type: "api_key", keys }, { type: "none" }] };
  const route = { upstream: "origin" };
  gateway = await startProtocols({
    x402: { enabled: true, facilitator_url: facilitator.url, public_url: "https://shop.test" },
    upstreams: [{ name: "origin", servers: [serverAt(origin.port ?? 0)] }],
    routes: [
      {
        ...route,
        path_prefix: "/api",
        auth,
        x402: {
          ...TERMS,
          price: "$0.05",
          exempt_consumers: ["subscriber"],
          rules: [
            { match: { path_pattern: "/api/secret.*" }, refuse: true },
            { match: { path_pattern: "/api/about" }, free: true },
            { match: { methods: ["DELETE"] }, price: "$0.5" },
            { consumers: ["partner"], price: "$0.001" },
            { match: { query: [{ name: "size", value: "large" }] }, price: "$0.03" },
            { match: { headers: [{ name: "X-Fast" }] }, price: "$0.04" },
            { body: [{ pointer: "/model", value: "cheap" }], price: "$0.002" },
            { match: { path_pattern: "/api/big" }, body_bytes: { min: 100 }, price: "$0.07" },
            {
              match: { methods: ["POST"], path_pattern: "/api/batch" },
              unit_price: { price: "$0.01", count: "/urls", min: "$0.02", max: "$0.04" },
            },
            {
              match: { path_pattern: "/api/forms" },
              unit_price: {
                price: "$0.01",
                items: { pointer: "/formats", prices: { pdf: "$0.03" }, share_percent: 10 },
              },
            },
            {
              match: { path_pattern: "/api/night" },
              utc_hours: { from: (hour + 2) % 24, to: hour || 24 },
              price: "$0.9",
            },
            {
              match: { path_pattern: "/api/day" },
              utc_hours: { from: hour, to: (hour + 2) % 24 || 24 },
              price: "$0.8",
            },
          ],
        },
      },
      { ...route, path_prefix: "/quota", x402: { ...TERMS, free_per_day: { requests: 2 } } },
      { ...route, path_prefix: "/gift", x402: { ...TERMS, free_per_day: { requests: 2, key: "payer" } } },
    ],
  });
});

afterAll(async () => {
  await gateway.stop();
  await facilitator.close();
  await origin.stop(true);
});

function amountOf(reply: Reply): string | undefined {
  const header = reply.header("payment-required");
  if (header === undefined) return undefined;
  const { accepts } = decodeHeader(header) as { accepts: readonly { amount: string }[] };
  return accepts[0]?.amount;
}

function paidWith(amount: string): { "payment-signature": string; nonce: string } {
  const payment = signedPayment(Date.now() / 1000, { value: amount });
  const { nonce } = payment.payload.authorization;
  return { "payment-signature": encodeHeader({ ...payment, accepted: { ...REQUIREMENTS, amount } }), nonce };
}

const json = (value: unknown): Asked => ({ method: "POST", headers: JSON_TYPE, body: JSON.stringify(value) });
/** A request whose fields can be added to. */
interface Asked extends Request {
  readonly headers?: Readonly<Record<string, string>>;
}

const PRICES: Readonly<Record<string, { readonly request: Asked; readonly amount: string }>> = {
  "the route's own": { request: { path: "/api/x" }, amount: "50000" },
  "of a method": { request: { path: "/api/x", method: "DELETE" }, amount: "500000" },
  "of a query": { request: { path: "/api/x?size=large" }, amount: "30000" },
  "of a field": { request: { path: "/api/x", headers: { "x-fast": "yes" } }, amount: "40000" },
  "of a consumer": { request: { path: "/api/x", headers: { "x-api-key": "partner-key" } }, amount: "1000" },
  "of a value in the body": { request: { path: "/api/x", ...json({ model: "cheap" }) }, amount: "2000" },
  "without that value": { request: { path: "/api/x", ...json({ model: "dear" }) }, amount: "50000" },
  "of a long body": { request: { path: "/api/big", ...json("x".repeat(200)) }, amount: "70000" },
  "of a short body": { request: { path: "/api/big", ...json("x") }, amount: "50000" },
  "of three units": { request: { path: "/api/batch", ...json({ urls: [1, 2, 3] }) }, amount: "30000" },
  "of a number of units": { request: { path: "/api/batch", ...json({ urls: 2.5 }) }, amount: "30000" },
  "of no units": { request: { path: "/api/batch", ...json({}) }, amount: "20000" },
  "of too many units": { request: { path: "/api/batch", ...json({ urls: 1e300 }) }, amount: "40000" },
  "of the most expensive item and a share of the others": {
    request: { path: "/api/forms", ...json({ formats: ["text", { type: "PDF" }, "links"] }) },
    amount: "32000",
  },
  "of a unit without items": { request: { path: "/api/forms", ...json({}) }, amount: "10000" },
  "outside the hours": { request: { path: "/api/night" }, amount: "50000" },
  "within the hours": { request: { path: "/api/day" }, amount: "800000" },
};

function batch(protocol: Protocol, request: Request): Promise<Reply> {
  return gateway.request(protocol, { path: "/api/batch", ...request });
}

for (const protocol of PROTOCOLS) {
  for (const [name, { request, amount }] of Object.entries(PRICES)) {
    test(`the price ${name} is asked for and charged: ${protocol}`, async () => {
      const unpaid = await gateway.request(protocol, request);
      expect([unpaid.status, amountOf(unpaid)]).toEqual([402, amount]);
      bodies = [];
      const { nonce, ...payment } = paidWith(amount);
      const paid = await gateway.request(protocol, { ...request, headers: { ...request.headers, ...payment } });
      expect([paid.status, paid.text]).toEqual([200, "goods"]);
      expect(bodies).toEqual([String(request.body ?? "")]);
      expect(facilitator.settles.get(nonce)).toBe(1);
      // A payment of another amount is not taken: the client gets the price again.
      const cheap = paidWith(String(Number(amount) - 1));
      const refused = await gateway.request(protocol, {
        ...request,
        headers: { ...request.headers, "payment-signature": cheap["payment-signature"] },
      });
      expect([refused.status, amountOf(refused)]).toEqual([402, amount]);
      expect(facilitator.settles.has(cheap.nonce)).toBe(false);
    });
  }

  test(`exempt consumers and free requests pay nothing, and refused requests cannot be bought: ${protocol}`, async () => {
    const subscriber = { path: "/api/x", headers: { "x-api-key": "subscriber-key" } };
    expect((await gateway.request(protocol, subscriber)).status).toBe(200);
    expect((await gateway.request(protocol, { path: "/api/about" })).status).toBe(200);
    expect((await gateway.request(protocol, { path: "/api/secret/x" })).status).toBe(403);
    const { nonce, ...payment } = paidWith("50000");
    const bought = await gateway.request(protocol, { path: "/api/secret/x", headers: payment });
    expect([bought.status, amountOf(bought)]).toEqual([403, undefined]);
    expect(facilitator.settles.has(nonce)).toBe(false);
  });

  test(`a body in which the price cannot be read is refused, and no ambiguous request gets a lower price: ${protocol}`, async () => {
    const typed = { method: "POST", headers: { "content-type": "text/plain" }, body: '{"urls":[]}' };
    expect((await batch(protocol, typed)).status).toBe(415);
    expect(
      (await batch(protocol, { method: "POST", headers: JSON_TYPE, body: '{"urls":[],"urls":[1,2,3]}' })).status,
    ).toBe(400);
    expect((await batch(protocol, { method: "POST", headers: JSON_TYPE, body: "{" })).status).toBe(400);
    expect((await batch(protocol, { path: "/api/x?size=large&size=small" })).status).toBe(400);
    const twice = [
      ["x-fast", "1"],
      ["x_fast", "2"],
    ] as const;
    expect((await batch(protocol, { path: "/api/x", headers: twice })).status).toBe(400);
    for (const formats of ["pdf", ["text", 1], [{ kind: "pdf" }], Array.from({ length: 65 }, () => "text")]) {
      expect((await batch(protocol, { path: "/api/forms", ...json({ formats }) })).status).toBe(400);
    }
    const long = { method: "POST", headers: JSON_TYPE, body: JSON.stringify("x".repeat(2_000_000)) };
    expect((await batch(protocol, long)).status).toBe(413);
  });
}

test("an address has its free requests of a day, and then gets the price", async () => {
  for (const status of [200, 200, 402, 402]) expect((await gateway.plain({ path: "/quota" })).status).toBe(status);
  const { nonce, ...payment } = paidWith("10000");
  expect((await gateway.plain({ path: "/quota", headers: payment })).status).toBe(200);
  expect(facilitator.settles.get(nonce)).toBe(1);
});

test("a payer has its free requests of a day, whose payments are not settled", async () => {
  expect((await gateway.plain({ path: "/gift" })).status).toBe(402);
  for (const settled of [undefined, undefined, 1]) {
    const { nonce, ...payment } = paidWith("10000");
    const reply = await gateway.plain({ path: "/gift", headers: payment });
    expect([reply.status, reply.text]).toEqual([200, "goods"]);
    expect(reply.header("payment-response") === undefined).toBe(settled === undefined);
    expect(facilitator.settles.get(nonce)).toBe(settled);
  }
});
