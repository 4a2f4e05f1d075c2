import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { patient } from "../../lib/testing/patience.ts";
import { SoldResources } from "../../payments/facilitator/sold-resources.ts";
import { PAYER, REQUIREMENTS, signedPayment } from "../../payments/testing/payment.ts";
import { encodeHeader } from "../../payments/x402/header.ts";
import { type PaymentRequirements } from "../../payments/x402/messages.ts";
import { ResourceProbe } from "./resource-probe.ts";

setDefaultTimeout(patient(20_000));

let shop: Bun.Server<undefined>;
/** The requests that the shop got: method, path, and whether it was a paid one. */
const asked: string[] = [];
let now = 1_800_000_000_000;

function challenge(accepts: PaymentRequirements): Response {
  const required = { x402Version: 2, resource: { url: "http://a/" }, accepts: [accepts] };
  return new Response(null, { status: 402, headers: { "payment-required": encodeHeader(required) } });
}

beforeAll(() => {
  shop = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    async fetch(request) {
      const { pathname, search } = new URL(request.url);
      const paid = request.headers.get("payment-signature");
      asked.push(`${request.method} ${pathname}${search} ${await request.text()}${paid === null ? "" : " paid"}`);
      if (pathname === "/moved") return Response.redirect("/secret");
      if (pathname === "/dear") return challenge({ ...REQUIREMENTS, amount: "1000001" });
      if (pathname === "/dollar") return challenge({ ...REQUIREMENTS, amount: "1000000" });
      if (pathname === "/free") return new Response("free");
      if (paid === null) return challenge(REQUIREMENTS);
      if (pathname === "/broken") return new Response(null, { status: 500 });
      const { accepted, payload } = JSON.parse(atob(paid)) as ReturnType<typeof signedPayment>;
      const payer = payload.authorization.from;
      expect(payer).not.toBe(PAYER);
      const receipt = { success: true, transaction: `0x${"1".repeat(64)}`, network: accepted.network, payer };
      return new Response("goods", { headers: { "payment-response": encodeHeader(receipt) } });
    },
  });
});
afterAll(() => shop.stop(true));

function open(): { resources: SoldResources; probe: ResourceProbe; sell: (path: string, input?: object) => void } {
  const resources = new SoldResources(() => now);
  const probe = new ResourceProbe({ resources, origins: new Set([shop.url.origin]), now: () => now });
  return {
    resources,
    probe,
    sell(path, input = { type: "http", method: "GET" }) {
      const url = URL.parse(path) === null ? `${shop.url.origin}${path}` : path;
      const sold = { ...signedPayment(now / 1000), resource: { url }, extensions: { bazaar: { info: { input } } } };
      if (!resources.add("", sold, REQUIREMENTS)) throw new Error("not listed");
    },
  };
}

/** Tries each resource that is due once. */
async function tried(path: string, input?: object): Promise<unknown> {
  const { resources, probe, sell } = open();
  sell(path, input);
  await probe.next();
  return resources.shown()[0]?.verification;
}

test("what is bought and delivered is verified, by the example of its request", async () => {
  asked.length = 0;
  const at = new Date(now).toISOString();
  const verified = { at, verified: true, result: "responded with 200, and was paid" };
  expect(await tried("/goods", { type: "http", method: "GET", queryParams: { city: "Rome & more" } })).toEqual(
    verified,
  );
  expect(await tried("/goods", { type: "http", method: "POST", body: { a: 1 } })).toEqual(verified);
  expect(asked).toEqual([
    "GET /goods?city=Rome+%26+more ",
    "GET /goods?city=Rome+%26+more  paid",
    'POST /goods {"a":1}',
    'POST /goods {"a":1} paid',
  ]);
});

test.each([
  ["/broken", "responded with 500, and was not paid"],
  ["/free", "responded with 200, and was not paid"],
  ["/dear", "Cannot pay $1.000001: the limit is $1"],
])("%s is not verified: %s", async (path, result) => {
  expect(await tried(path)).toMatchObject({ verified: false, result });
});

test("redirects are not followed, and other origins are not called", async () => {
  asked.length = 0;
  expect(await tried("/moved")).toMatchObject({ verified: false });
  expect(asked).toEqual(["GET /moved "]);
  expect(await tried(`http://localhost:${shop.port}/goods`)).toBeUndefined();
  expect(await tried("mcp://tool/goods", { type: "mcp" })).toBeUndefined();
  expect(asked).toHaveLength(1);
});

test("each resource is tried again after an hour, the one that waits longest first, and sales keep the result", async () => {
  const { resources, probe, sell } = open();
  sell("/goods");
  sell("/free");
  const states = (query: string): string[] => {
    const { items } = resources.page(new URLSearchParams(query)) as { items: { resource: string }[] };
    return items.map(({ resource }) => new URL(resource).pathname);
  };
  expect([states("verified=true"), states("verified=false")]).toEqual([[], ["/free", "/goods"]]);
  await probe.next();
  await probe.next();
  expect([states("verified=true"), states("verified=false"), states("")]).toEqual([
    ["/goods"],
    ["/free"],
    ["/free", "/goods"],
  ]);
  const [first] = [resources.shown()[1]?.verification?.at];
  sell("/goods");
  await probe.next();
  expect(states("verified=true")).toEqual(["/goods"]);
  now += 3_600_001;
  await probe.next();
  await probe.next();
  expect(resources.shown()[0]?.verification?.at).not.toBe(first);
});

test("no more is bought than the sum of a day, and only one resource at a time", async () => {
  const { resources, probe, sell } = open();
  for (let i = 0; i < 51; i++) sell(`/dollar?${i}`);
  asked.length = 0;
  await Promise.all([probe.next(), probe.next()]);
  expect(asked.filter((line) => line.endsWith("paid"))).toHaveLength(1);
  for (let i = 1; i < 51; i++) await probe.next();
  const results = resources.shown().map(({ verification }) => verification?.result ?? "");
  expect(results.filter((text) => text.includes("are used up"))).toHaveLength(1);
  now += 86_400_000;
  await probe.next();
  expect(resources.shown().filter(({ verification }) => verification?.result.includes("used up"))).toHaveLength(1);
});
