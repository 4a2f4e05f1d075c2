import { afterEach, beforeEach, expect, test } from "bun:test";
import { BUCKET_BYTES } from "../../../lib/memory/token-buckets.ts";
import { type Config } from "../../config/config.ts";
import { loadValue } from "../../config/load.ts";
import { type Counts } from "../../telemetry/metrics/counts.ts";
import { provideRateLimits, readRedisUrl, type RouteLimits } from "./provide-rate-limits.ts";
import { RateLimits } from "./rate-limit.ts";
import { ScriptedRedis } from "./testing/scripted-redis.ts";

const NAME = "TURNPIKE_TEST_REDIS";

let redis: ScriptedRedis;
let limits: RateLimits;
let provided: RouteLimits[];

beforeEach(() => {
  const counts = { add() {}, set() {} };
  const [buckets, free] = [new Uint8Array(BUCKET_BYTES), new Uint8Array(BUCKET_BYTES)];
  // The part of the counts that a limit and its store use.
  limits = new RateLimits(buckets, counts as unknown as Counts, false, free);
  provided = [];
  redis = new ScriptedRedis();
  process.env[NAME] = redis.url;
});

afterEach(() => {
  for (const each of provided) each.close(undefined);
  limits.close();
  redis.stop();
  delete process.env[NAME];
});

function configOf(route: object, store: object = { redis_url_env: NAME }): Config {
  const upstreams = [{ name: "a", servers: [{ address: "127.0.0.1", port: 1 }] }];
  const routes = [{ path_prefix: "/", upstream: "a", ...route }];
  const { config, problems } = loadValue({ upstreams, routes, rate_limit_store: store });
  if (config === undefined) throw new Error(JSON.stringify(problems));
  return config;
}

async function provide(config: Config, previous?: RouteLimits): Promise<RouteLimits> {
  const parts = { config, rateLimits: limits, respondWithError() {}, log() {} };
  // No other part is used.
  const made = await provideRateLimits(parts as unknown as Parameters<typeof provideRateLimits>[0], previous);
  provided.push(made);
  return made;
}

test("a reload keeps the store with the same settings, and closes one that is not used any more", async () => {
  const first = await provide(configOf({ rate_limit: {} }));
  const same = await provide(configOf({ rate_limit: { burst_size: 3 } }), first);
  // It is connected before the first request.
  expect(first.store?.store.isReady).toBe(true);
  expect(same.store).toBe(first.store);
  const other = await provide(configOf({ rate_limit: {} }, { redis_url_env: NAME, timeout_ms: 77 }), same);
  expect(other.store === same.store).toBe(false);
  const closed: string[] = [];
  for (const [name, { store }] of Object.entries({ same, other })) {
    const close = store?.store.close.bind(store.store);
    if (store !== undefined)
      store.store.close = () => {
        closed.push(name);
        close?.();
      };
  }
  first.close(same);
  expect(closed).toEqual([]);
  same.close(other);
  expect(closed).toEqual(["same"]);
  other.close(undefined);
  expect(closed).toEqual(["same", "other"]);
});

/** A configuration whose only route has this price. */
function priced(x402: object): Config {
  const config = configOf({});
  // No other member of the price is read.
  return { ...config, routes: config.routes.map((route) => ({ ...route, x402 })) } as unknown as Config;
}

test("without a limit, or without a variable for its URL, there is no store", async () => {
  const stores = await Promise.all([
    provide(configOf({})),
    provide(configOf({ rate_limit: {} }, {})),
    provide(priced({})),
    provide(priced({ free_per_day: { requests: 1, key: "payer" } })),
  ]);
  expect(stores.map(({ store }) => store === undefined)).toEqual([true, true, true, false]);
});

test("a limit by payers is for the payment policy, and any other one is a policy of its own", async () => {
  const config = configOf({ rate_limit: { key: "ip" } }, {});
  const made = await provide(config);
  const [byIp] = config.routes;
  if (byIp === undefined || byIp.rate_limit === undefined) throw new Error("no route");
  const byPayer = { ...byIp, rate_limit: { ...byIp.rate_limit, key: "payer" as const } };
  const names = [byIp, byPayer].map((route) => [made.policy(route)?.name, made.ofPayers(route)?.name]);
  expect(names).toEqual([
    ["rate_limit", undefined],
    [undefined, "rate_limit"],
  ]);
  expect(made.policy(undefined)).toBeUndefined();
  expect(made.quotaOf(byIp, { requests: 7, key: "address" }).requests).toBe(7);
});

test.each(["redis", "rediss", "valkey", "valkeys", "redis+unix", "redis+tls"])("%s:// is a Redis URL", (scheme) => {
  expect(readRedisUrl("A", { A: `${scheme}://a` })).toBe(`${scheme}://a`);
});

test.each([
  [undefined, "is not set"],
  ["", "is not set"],
  ["http://u:hunter2@a", "is not a redis:// URL"],
  ["redis://u:hunter2 @a", "is not a redis:// URL"],
])("%p is refused without showing it", (url, why) => {
  expect(() => readRedisUrl("A", { A: url })).toThrow(`the environment variable A ${why}`);
});
