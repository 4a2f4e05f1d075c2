/** Price rules and free requests of two gateways with two workers each, which share PostgreSQL and Redis. */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { patient } from "../../src/lib/testing/patience.ts";
import { until } from "../../src/lib/testing/until.ts";
import { PAYER, REQUIREMENTS, signedPayment, TERMS } from "../../src/payments/testing/payment.ts";
import { decodeHeader, encodeHeader } from "../../src/payments/x402/header.ts";
import { hasPostgres, sharedPostgres, type SharedPostgres } from "../../src/store/testing/postgres.ts";
import { hasRedis, RedisServer } from "../policy/testing/redis-server.ts";
import { type Gateway, serverAt, startGateway } from "../support/gateway.ts";

setDefaultTimeout(patient(60_000));

const KEY = "an-admin-key-for-this-test";
const JSON_TYPE = { "content-type": "application/json" };

function paying(amount: string): Record<string, string> {
  const payment = signedPayment(Date.now() / 1000, { value: amount });
  return { "payment-signature": encodeHeader({ ...payment, accepted: { ...REQUIREMENTS, amount } }) };
}

/** The stages of one day and route, as a gateway shows them. */
async function funnelOf(gateway: Gateway): Promise<Record<string, number>> {
  const [, address = ""] = /admin interface on (http:\/\/\S+)/.exec(gateway.output()) ?? [];
  const response = await fetch(`${address}/v1/funnel`, { headers: { "x-api-key": KEY } });
  const { days } = (await response.json()) as {
    readonly days: readonly { readonly entries: readonly { readonly route: string; readonly stages: object }[] }[];
  };
  return Object.assign(
    {},
    ...days.flatMap(({ entries }) => entries.filter(({ route }) => route === "/gift")).map(({ stages }) => stages),
  );
}

describe.skipIf(!hasPostgres || !hasRedis)("with shared stores", () => {
  let database: SharedPostgres;
  let redis: RedisServer;
  let origin: Bun.Server<undefined>;
  let gateways: Gateway[] = [];

  beforeAll(async () => {
    [database, redis] = await Promise.all([sharedPostgres(), RedisServer.start()]);
    origin = Bun.serve({
      hostname: "127.0.0.1",
      port: 0,
      fetch: ({ url }) => new Response("goods", { status: url.endsWith("failing") ? 500 : 200 }),
    });
    const route = { upstream: "origin" };
    const config = {
      server: { workers: 2 },
      admin: { enabled: true, port: 0, api_key: KEY },
      x402: { enabled: true, test_mode: true, public_url: "https://shop.test" },
      postgres: { url: database.url(await database.newUser()) },
      rate_limit_store: { redis_url_env: "TEST_REDIS", timeout_ms: 2000 },
      upstreams: [{ name: "origin", servers: [serverAt(origin.port ?? 0)] }],
      routes: [
        {
          ...route,
          path_prefix: "/batch",
          x402: {
            ...TERMS,
            price: "$1",
            rules: [
              { payers: [PAYER], body: [{ pointer: "/gift", value: true }], free: true },
              { unit_price: { price: "$0.002", count: "/urls" } },
            ],
          },
        },
        { ...route, path_prefix: "/quota", x402: { ...TERMS, free_per_day: { requests: 6 } } },
        { ...route, path_prefix: "/gift", x402: { ...TERMS, free_per_day: { requests: 3, key: "payer" } } },
      ],
    };
    gateways = await Promise.all([1, 2].map(() => startGateway(config, { TEST_REDIS: redis.url })));
  });

  afterAll(async () => {
    await Promise.all(gateways.map((gateway) => gateway.stop()));
    await origin.stop(true);
    await redis.stop();
  });

  /** Sends the requests to both gateways in turn, all at once. */
  function atOnce(count: number, path: string, initOf: (i: number) => RequestInit = () => ({})): Promise<Response[]> {
    const ask = (_: unknown, i: number): Promise<Response> =>
      fetch(`http://127.0.0.1:${gateways[i % 2]?.port}${path}`, { keepalive: false, ...initOf(i) });
    return Promise.all(Array.from({ length: count }, ask));
  }

  async function statuses(count: number, path: string, initOf?: (i: number) => RequestInit): Promise<number[]> {
    return (await atOnce(count, path, initOf)).map(({ status }) => status);
  }

  test("a price that one gateway states is taken by the other, and no payment is used at both", async () => {
    const body = JSON.stringify({ urls: [1, 2, 3] });
    const unpaid = await atOnce(4, "/batch", () => ({ method: "POST", headers: JSON_TYPE, body }));
    const amounts = unpaid.map(({ headers }) => decodeHeader(headers.get("payment-required") ?? ""));
    for (const amount of amounts) expect(amount).toMatchObject({ accepts: [{ amount: "6000" }] });
    const payment = paying("6000");
    const post = (): RequestInit => ({ method: "POST", headers: { ...JSON_TYPE, ...payment }, body });
    const bought = await statuses(8, "/batch", post);
    expect(bought.filter((status) => status !== 200 && status !== 409)).toEqual([]);
    expect(bought).toContain(200);
    // The same payment does not buy another batch, at either gateway.
    const more = JSON.stringify({ urls: [1, 2, 4] });
    const other = await statuses(2, "/batch", () => ({
      method: "POST",
      headers: { ...JSON_TYPE, ...payment },
      body: more,
    }));
    expect(other).toEqual([409, 409]);
  });

  test("a free payer is free at both gateways", async () => {
    const body = JSON.stringify({ urls: [1, 2], gift: true });
    const post = (): RequestInit => ({ method: "POST", headers: { ...JSON_TYPE, ...paying("4000") }, body });
    for (const response of await atOnce(6, "/batch", post)) {
      expect([response.status, response.headers.get("payment-response")]).toEqual([200, null]);
    }
  });

  test("both gateways together give the free requests of a day, and failed ones do not count", async () => {
    expect(await statuses(6, "/quota/failing")).toEqual([500, 500, 500, 500, 500, 500]);
    const free = async (): Promise<number> =>
      (await statuses(8, "/quota")).filter((status) => {
        expect([200, 402]).toContain(status);
        return status === 200;
      }).length;
    let given = 0;
    await until(async () => (given += await free()) >= 6);
    given += await free();
    expect(given).toBe(6);
  });

  test("both gateways together give a payer its free requests", async () => {
    const given = await atOnce(8, "/gift", () => ({ headers: paying("10000") }));
    expect(given.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200, 200, 200, 200]);
    expect(given.filter(({ headers }) => !headers.has("payment-response"))).toHaveLength(3);
  });

  test("the funnel of a day is the sum of both gateways and their workers", async () => {
    await until(async () => {
      const [first, second] = await Promise.all(gateways.map(funnelOf));
      return [first, second].every(
        (funnel) => funnel?.["signed"] === 8 && funnel["free"] === 3 && funnel["delivered"] === 5,
      );
    });
  });
});
