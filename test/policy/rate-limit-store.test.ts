import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { type Gateway, serverAt, startGateway } from "../support/gateway.ts";
import { statusOf, valuesOf } from "../support/message.ts";
import { until } from "../support/program.ts";
import { parseMetrics } from "../support/prometheus.ts";
import { once, RawClient } from "../support/raw-client.ts";
import { RawOrigin } from "../support/raw-origin.ts";
import { hasRedis, RedisServer } from "./testing/redis-server.ts";
import { patient } from "../../src/lib/testing/patience.ts";

const TIME_MS = patient(40_000);
const SECRET_URL = /redis\+unix/;
/** One token in 500 s, so that no bucket gains one during a test. */
const LIMIT = { requests_per_second: 0.002, burst_size: 40 };

let redis: RedisServer;
let origin: RawOrigin;
const gateways: Gateway[] = [];

async function serve(limit: object = LIMIT, store: object = {}): Promise<Gateway> {
  const gateway = await startGateway(
    {
      access_log: { enabled: false },
      rate_limit_store: { redis_url_env: "TEST_REDIS", timeout_ms: 2000, ...store },
      upstreams: [{ name: "origin", servers: [serverAt(origin.port)] }],
      routes: [{ path_prefix: "/", upstream: "origin", rate_limit: limit }],
    },
    { TEST_REDIS: redis.url },
  );
  gateways.push(gateway);
  return gateway;
}

async function ask(port: number, times: number): Promise<number[]> {
  const client = await RawClient.open(port);
  const found: number[] = [];
  for (let i = 0; i < times; i++) {
    client.send("GET /x HTTP/1.1\r\nHost: a.test\r\n\r\n");
    found.push(statusOf(await client.finalResponse("GET")));
  }
  client.destroy();
  return found;
}

function allowed(statuses: readonly number[]): number {
  const others = statuses.filter((status) => status !== 200 && status !== 429);
  expect(others).toEqual([]);
  return statuses.filter((status) => status === 200).length;
}

async function metric(gateway: Gateway, name: string): Promise<Record<string, number>> {
  const page = await once(gateway.port, "GET /metrics HTTP/1.1\r\nHost: a.test\r\n\r\n");
  const samples = parseMetrics(page.body).get(name)?.samples ?? [];
  return Object.fromEntries(samples.map(({ labels, value }) => [labels["result"] ?? "", value]));
}

describe.skipIf(!hasRedis)("limits in Redis", () => {
  beforeEach(async () => {
    origin = await RawOrigin.start();
    redis = await RedisServer.start();
  });

  afterEach(async () => {
    for (const gateway of gateways) expect(gateway.output()).not.toMatch(SECRET_URL);
    await Promise.all(gateways.splice(0).map((gateway) => gateway.stop()));
    await redis.stop();
    await origin.stop();
  });

  test(
    "two gateways together accept exactly the burst, and report the remaining tokens",
    async () => {
      const [one, other] = [await serve(), await serve()];
      const first = await once(one.port, "GET /x HTTP/1.1\r\nHost: a.test\r\n\r\n");
      const second = await once(other.port, "GET /x HTTP/1.1\r\nHost: a.test\r\n\r\n");
      expect(valuesOf(first, "ratelimit")).toEqual(['"consumer";r=39;t=500']);
      expect(valuesOf(second, "ratelimit")).toEqual(['"consumer";r=38;t=500']);
      const asked = [one, other].flatMap(({ port }) => Array.from({ length: 10 }, () => ask(port, 10)));
      expect(allowed((await Promise.all(asked)).flat())).toBe(38);
      const refused = await once(other.port, "GET /x HTTP/1.1\r\nHost: a.test\r\n\r\n");
      expect(statusOf(refused)).toBe(429);
      expect(Number(valuesOf(refused, "retry-after")[0])).toBeGreaterThan(400);
      expect(origin.requests).toHaveLength(40);
      // The store contains no readable address, and its entries expire.
      const keys = (await redis.ask("KEYS", "*")) as string[]; // The type of the result of KEYS.
      expect(keys).toHaveLength(1);
      expect(keys[0]).toMatch(/^turnpike:rate:[\w-]{43}$/);
      expect(Number(await redis.ask("PTTL", keys[0] ?? ""))).toBeGreaterThan(0);
    },
    TIME_MS,
  );

  test(
    "after the store's clock was set back by a day, an empty bucket is full again after its own time",
    async () => {
      const { port } = await serve();
      expect(allowed(await ask(port, 1))).toBe(1);
      const [key = ""] = (await redis.ask("KEYS", "*")) as string[]; // The type of the result of KEYS.
      const full = Number(await redis.ask("GET", key)) + 86_400_000_000;
      await redis.ask("SET", key, String(full), "PX", "86400000");
      expect(allowed(await ask(port, 1))).toBe(0);
      // 40 tokens of 500 s.
      expect(full - Number(await redis.ask("GET", key))).toBeGreaterThan(86_400_000_000 - 20_000_000_000);
      expect(Number(await redis.ask("PTTL", key))).toBeLessThanOrEqual(20_000_000);
    },
    TIME_MS,
  );

  test(
    "a store that has lost its scripts gets them again",
    async () => {
      const gateway = await serve();
      expect(allowed(await ask(gateway.port, 5))).toBe(5);
      await redis.ask("SCRIPT", "FLUSH");
      expect(allowed(await ask(gateway.port, 50))).toBe(35);
      expect(await metric(gateway, "turnpike_rate_limit_store_requests_total")).toEqual({
        answered: 55,
        failed: 0,
        skipped: 0,
      });
    },
    TIME_MS,
  );

  test(
    "while it is unavailable each gateway limits by itself and logs this once; when it is back, it is used again",
    async () => {
      const gateway = await serve();
      expect(allowed(await ask(gateway.port, 50))).toBe(40);
      await redis.kill();
      const asked = Array.from({ length: 8 }, () => ask(gateway.port, 10));
      expect(allowed((await Promise.all(asked)).flat())).toBe(40);
      expect(await metric(gateway, "turnpike_rate_limit_store_away")).toEqual({ "": 1 });
      const { failed = 0, skipped = 0 } = await metric(gateway, "turnpike_rate_limit_store_requests_total");
      expect(failed + skipped).toBe(80);
      expect(gateway.output().match(/rate_limit_store is not reachable/g)).toHaveLength(1);
      await redis.start();
      await until("it is asked again", () =>
        gateway.output().includes("rate_limit_store is back") ? true : undefined,
      );
      // It has lost all buckets, so the whole burst is available again.
      expect(allowed(await ask(gateway.port, 50))).toBe(40);
      expect(await metric(gateway, "turnpike_rate_limit_store_away")).toEqual({ "": 0 });
      expect(gateway.output().match(/rate_limit_store is not reachable/g)).toHaveLength(1);
    },
    TIME_MS,
  );

  test(
    "a stalled store delays no client for long: after a few late replies it gets no more calls",
    async () => {
      const gateway = await serve(LIMIT, { timeout_ms: 50 });
      expect(allowed(await ask(gateway.port, 1))).toBe(1);
      redis.signal("SIGSTOP");
      try {
        const asked = Array.from({ length: 10 }, () => ask(gateway.port, 20));
        expect(allowed((await Promise.all(asked)).flat())).toBe(40);
        const { failed = 0, skipped = 0 } = await metric(gateway, "turnpike_rate_limit_store_requests_total");
        expect(failed).toBeGreaterThanOrEqual(5);
        expect(failed).toBeLessThan(40);
        expect(failed + skipped).toBe(200);
      } finally {
        redis.signal("SIGCONT");
      }
      await until("it is back", () => (gateway.output().includes("rate_limit_store is back") ? true : undefined));
      const responded = async (): Promise<number> =>
        (await metric(gateway, "turnpike_rate_limit_store_requests_total"))["answered"] ?? 0;
      const before = await responded();
      await until("it answers in time", async () => {
        await ask(gateway.port, 1);
        return (await responded()) > before ? true : undefined;
      });
    },
    TIME_MS,
  );

  test(
    "a gateway that starts while it is unavailable serves, limits by itself, and connects later",
    async () => {
      await redis.kill();
      const gateway = await serve();
      expect(allowed(await ask(gateway.port, 50))).toBe(40);
      await redis.start();
      await until("it is found", () => (gateway.output().includes("rate_limit_store is back") ? true : undefined));
      expect(allowed(await ask(gateway.port, 50))).toBe(40);
    },
    TIME_MS,
  );

  test(
    "an invalid reply of the script is ignored",
    async () => {
      const gateway = await serve();
      expect(allowed(await ask(gateway.port, 1))).toBe(1);
      const [key = ""] = (await redis.ask("KEYS", "*")) as string[]; // The type of the result of KEYS.
      await redis.ask("SET", key, "9".repeat(30));
      // A time far in the future counts as an empty bucket at most.
      expect(allowed(await ask(gateway.port, 3))).toBe(0);
      await redis.ask("DEL", key);
      await redis.ask("LPUSH", key, "a list");
      expect(allowed(await ask(gateway.port, 50))).toBe(40);
    },
    TIME_MS,
  );
});

test("if the store's URL is not in the environment, the gateway does not start, and shows no secret", async () => {
  const config = {
    rate_limit_store: { redis_url_env: "TEST_REDIS" },
    upstreams: [{ name: "origin", servers: [serverAt(1)] }],
    routes: [{ path_prefix: "/", upstream: "origin", rate_limit: {} }],
  };
  const unset = startGateway(config).then(() => "started", String);
  expect(await unset).toContain("the environment variable TEST_REDIS is not set");
  const other = await startGateway(config, { TEST_REDIS: "http://user:hunter2@a/" }).then(() => "started", String);
  expect(other).toContain("is not a redis:// URL");
  expect(other).not.toContain("hunter2");
});
