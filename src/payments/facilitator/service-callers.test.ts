import { afterEach, expect, test } from "bun:test";
import { HTTPFacilitatorClient } from "@x402/core/server";
import { z } from "zod";
import { openStore } from "../../store/open/open-store.ts";
import { freshAccount } from "../evm/testing/shop.ts";
import { channelConfig, channelRequirements, signedDeposit } from "../testing/channels.ts";
import { PAYEE, REQUIREMENTS, signedPayment, USDC } from "../testing/payment.ts";
import { type ChannelSettlement } from "../x402/channel-facilitator.ts";
import { type Facilitator } from "../x402/facilitator.ts";
import { type ServiceOptions } from "./facilitator-service.ts";
import { serveFacilitator } from "./serve-facilitator.ts";
import { createSimulatedFacilitator } from "./simulated-facilitator.ts";
import { SoldResources } from "./sold-resources.ts";

const listed = z.object({ items: z.array(z.object({ resource: z.string() })) });
const NOW_S = 1_800_000_000;
const now = () => NOW_S * 1000;
const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).toReversed()) await cleanup();
});

async function serve(options: Partial<ServiceOptions>, more: Partial<Facilitator> = {}): Promise<string> {
  const store = openStore(":memory:", now);
  const facilitator = { ...createSimulatedFacilitator(store.simulatedTransfers, now), ...more };
  const server = await serveFacilitator(facilitator, { hostname: "127.0.0.1", port: 0 }, { log: () => {}, ...options });
  cleanups.push(
    () => store.close(),
    () => server.close(0),
  );
  return server.url;
}

/** A payment for a page that its seller describes. */
function paymentFor(url: string, description = "the weather", type = "http") {
  const bazaar = { info: { input: { type, method: "GET" } }, schema: {} };
  return { ...signedPayment(NOW_S), resource: { url, description }, extensions: { bazaar } };
}

function call(url: string, path: string, token: string, payment: object = signedPayment(NOW_S)): Promise<Response> {
  const requirements = "accepted" in payment ? payment.accepted : REQUIREMENTS;
  return fetch(url + path, {
    method: "POST",
    headers: { "content-type": "application/json", authorization: `Bearer ${token}` },
    body: JSON.stringify({ x402Version: 2, paymentPayload: payment, paymentRequirements: requirements }),
  });
}

const CALLERS = [
  { name: "shop", token: "shop-token" },
  { name: "other", token: "other-token" },
];

test("each caller has its own token, and its own rates of verifications and settlements", async () => {
  let time = 0;
  const url = await serve({ callers: CALLERS, rate: { perSecond: 0.4, now: () => time } });
  const statuses = async (path: string, token: string, calls: number) => {
    const all: number[] = [];
    for (let i = 0; i < calls; i++) all.push((await call(url, path, token)).status);
    return all;
  };
  const delay = async (path: string) => (await call(url, path, "shop-token")).headers.get("retry-after");
  expect(await statuses("/verify", "wrong-token", 1)).toEqual([401]);
  expect(await statuses("/verify", "shop-token", 2)).toEqual([200, 429]);
  const refused = await call(url, "/verify", "shop-token");
  expect(refused.headers.get("content-type")).toBe("application/problem+json");
  expect(await statuses("/verify", "other-token", 1)).toEqual([200]);
  // The payments of a caller that were verified can be settled.
  expect(await statuses("/settle", "shop-token", 9)).toEqual([...Array.from({ length: 8 }, () => 200), 429]);
  const delays = [await delay("/settle")];
  for (time of [0, 1000, 2000]) delays.push(await delay("/verify"));
  expect(delays).toEqual(["3", "3", "2", "1"]);
  time = 3000;
  expect(await statuses("/verify", "shop-token", 2)).toEqual([200, 429]);
  time = 60_000;
  expect(await statuses("/verify", "shop-token", 2)).toEqual([200, 429]);
  expect((await fetch(`${url}/supported`, { headers: { authorization: "Bearer shop-token" } })).status).toBe(200);
});

test("what was sold is listed and found by everyone, and by x402's own client", async () => {
  const resources = new SoldResources(() => NOW_S * 1000);
  const url = await serve({ callers: CALLERS, resources });
  const list = async (query: string) => {
    const json = listed.parse(await (await fetch(`${url}/discovery/${query}`)).json());
    return json.items.map(({ resource }) => resource);
  };
  const weather = paymentFor("https://a.example/weather");
  const settled = await call(url, "/settle", "shop-token", weather);
  expect(atob(settled.headers.get("extension-responses") ?? "")).toBe('{"bazaar":{"status":"success"}}');
  await call(url, "/settle", "shop-token", paymentFor("mcp://tool/news", "News of today", "mcp"));
  // Of these, nothing is listed: not paid, not described, no kind of resource.
  await call(url, "/verify", "shop-token", paymentFor("https://a.example/verified"));
  await call(url, "/settle", "shop-token", signedPayment(NOW_S));
  const odd = await call(url, "/settle", "shop-token", paymentFor("https://a.example/odd", "", "ftp"));
  const long = await call(
    url,
    "/settle",
    "shop-token",
    paymentFor(`https://a.example/${"x".repeat(2000)}`, "y".repeat(2048)),
  );
  expect([odd.headers.get("extension-responses"), long.headers.get("extension-responses")]).toEqual([null, null]);
  for (const hostile of ["javascript:alert(1)", "data:text/html,x", "https://name:secret@a.example/"]) {
    const refused = await call(url, "/settle", "shop-token", paymentFor(hostile));
    expect([hostile, refused.headers.get("extension-responses")]).toEqual([hostile, null]);
  }
  expect(await list("resources")).toEqual(["mcp://tool/news", "https://a.example/weather"]);
  expect(await list("resources?type=http&limit=5")).toEqual(["https://a.example/weather"]);
  expect(await list("resources?limit=1&offset=1")).toEqual(["https://a.example/weather"]);
  expect(await list("resources?limit=-1&offset=x")).toHaveLength(2);
  expect(await list("search?query=NEWS%20today")).toEqual(["mcp://tool/news"]);
  expect(await list("search?query=nothing")).toEqual([]);
  // Sold again, it is still one entry.
  await call(url, "/settle", "shop-token", paymentFor("https://a.example/weather"));
  const page = await (await fetch(`${url}/discovery/resources`)).json();
  expect(page).toMatchObject({
    x402Version: 2,
    pagination: { limit: 20, offset: 0, total: 2 },
    items: [
      {
        resource: "https://a.example/weather",
        type: "http",
        x402Version: 2,
        accepts: [{ scheme: "exact", payTo: REQUIREMENTS.payTo }],
        lastUpdated: "2027-01-15T08:00:00.000Z",
        metadata: { description: "the weather", bazaar: { input: { type: "http", method: "GET" } } },
      },
      {},
    ],
  });
  const headers = { authorization: "Bearer shop-token" };
  const stock = new HTTPFacilitatorClient({
    url,
    createAuthHeaders: async () => ({ supported: headers, verify: headers, settle: headers }),
  });
  expect((await stock.getSupported()).extensions).toContain("bazaar");
});

test("what was sold from a channel is listed when its order is settled", async () => {
  let settlement: ChannelSettlement = { kind: "refused", reason: "insufficient_funds" };
  const channels = { verify: () => Promise.reject(new Error("not used")), settle: async () => settlement };
  const url = await serve({ resources: new SoldResources(now) }, { channels });
  const payer = freshAccount();
  const token = { address: USDC, name: "USDC", version: "2" };
  const terms = channelRequirements(token, "eip155:84532", { payTo: PAYEE, authorizer: PAYEE });
  const config = channelConfig(terms, payer.address);
  const payload = signedDeposit(terms, config, { amount: 5000n, most: 1000n, signer: payer, now: NOW_S });
  const settle = async (described: object) => {
    const payment = { ...described, accepted: terms, payload };
    const response = await call(url, "/settle", "", payment);
    expect(response.status).toBe(200);
    return response.headers.get("extension-responses");
  };
  const { resource, extensions } = paymentFor("https://a.example/weather");
  expect(await settle({ x402Version: 2, resource, extensions })).toBeNull();
  settlement = { kind: "settled", transaction: "0x1", amount: "5000" };
  expect(await settle({ x402Version: 2 })).toBeNull();
  expect(await (await fetch(`${url}/discovery/resources`)).json()).toMatchObject({ items: [] });
  expect(atob((await settle({ x402Version: 2, resource, extensions })) ?? "")).toBe('{"bazaar":{"status":"success"}}');
  expect(await (await fetch(`${url}/discovery/resources`)).json()).toMatchObject({
    items: [{ resource: "https://a.example/weather", accepts: [{ scheme: "batch-settlement" }] }],
  });
});

test("a service that is not told to list resources has no list", async () => {
  const url = await serve({});
  expect((await fetch(`${url}/discovery/resources`)).status).toBe(404);
});
