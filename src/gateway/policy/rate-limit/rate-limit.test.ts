import { afterEach, beforeEach, expect, jest, spyOn, test } from "bun:test";
import { ClientExchange, Consumer } from "../../../../test/flow/testing/flow.ts";
import { type TurnpikeError } from "../../../lib/errors.ts";
import { beginEvent, endEvent } from "../../../lib/time/event-clock.ts";
import { BUCKET_BYTES } from "../../../lib/memory/token-buckets.ts";
import { type Counts } from "../../telemetry/metrics/counts.ts";
import { type LimitStore, type StoredCharge, type StoredLimit } from "./limit-store.ts";
import { FreeQuota } from "./quota.ts";
import {
  createRateLimitPolicy,
  RateLimit,
  type RateLimitConfig,
  type RateLimitDeps,
  RateLimits,
} from "./rate-limit.ts";

/** One token in 1000 s, so that no bucket gains one during a test. */
const SLOW: RateLimitConfig = { requests_per_second: 0.001, burst_size: 2, key: "ip", ipv6_prefix: 64 };
const US_PER_TOKEN = 1e9;

let limits: RateLimits;
let counted: string[];
let responses: string[];

beforeEach(() => {
  // The time stands still within an event.
  beginEvent();
  counted = [];
  responses = [];
  const counts = { add: (...what: unknown[]) => void counted.push(what.join(" ")) };
  // The part of the counts that a limit uses.
  limits = new RateLimits(
    new Uint8Array(BUCKET_BYTES),
    counts as unknown as Counts,
    false,
    new Uint8Array(BUCKET_BYTES),
  );
});
afterEach(() => {
  limits.close();
  endEvent();
});

function deps(store?: LimitStore): RateLimitDeps {
  return {
    limits,
    store,
    respondWithError: (_, { code }: TurnpikeError, fields) => void responses.push(`${code} ${fields}`),
  };
}

function create(config: Partial<RateLimitConfig> = {}, store?: LimitStore): RateLimit {
  return new RateLimit({ ...SLOW, ...config, route: "/a" }, deps(store));
}

interface Asker {
  readonly address?: string;
  readonly consumer?: string;
  readonly payer?: string;
  readonly fields?: string;
}

function from({ address = "192.0.2.1", consumer = "", payer = "", fields = "" }: Asker): ClientExchange {
  const exchange = new ClientExchange(new Consumer(), { method: "GET", bodyLength: 0, fields });
  return Object.assign(exchange, { clientAddress: address, consumer, payer });
}

/** Whether one request after the other is allowed. */
function allowed(limit: RateLimit, ...askers: readonly Asker[]): boolean[] {
  return askers.map((asker) => limit.request(from(asker)) === "continue");
}

/** The fields that a client gets. */
function fieldsFor(limit: RateLimit, asker: Asker = {}): string[] {
  const exchange = from(asker);
  exchange.addedFields = "X: 1\r\n";
  void limit.request(exchange);
  return exchange.addedFields.split("\r\n").slice(0, -1);
}

test("a client learns its limit, the requests that remain, and when it has more", () => {
  const limit = create();
  const policy = 'RateLimit-Policy: "ip";q=2;w=2000';
  expect(fieldsFor(limit)).toEqual(["X: 1", policy, 'RateLimit: "ip";r=1;t=1000']);
  expect(fieldsFor(limit)).toEqual(["X: 1", policy, 'RateLimit: "ip";r=0;t=1000']);
  expect([fieldsFor(limit), responses]).toEqual([
    ["X: 1", policy, 'RateLimit: "ip";r=0;t=1000'],
    ["rate-limited Retry-After: 1000\r\n"],
  ]);
  expect(counted).toEqual(["rateLimits 1 allowed", "rateLimits 1 allowed", "rateLimits 1 limited"]);
});

test("addresses have buckets of their own, those of IPv6 by network", () => {
  const limit = create({ burst_size: 1 });
  const [one, two] = [{ address: "2001:db8::1" }, { address: "2001:db8::2" }];
  expect(allowed(limit, {}, {}, { address: "192.0.2.2" }, one, two, { address: "2001:db8:0:1::1" })).toEqual([
    true,
    false,
    true,
    true,
    false,
    true,
  ]);
  expect(allowed(create({ burst_size: 1, ipv6_prefix: 128 }), one, two)).toEqual([true, true]);
});

test.each(["consumer", "payer"] as const)("a %s has one bucket for all addresses, and no address shares it", (key) => {
  const limit = create({ burst_size: 1, key });
  const named = { [key]: "192.0.2.1" };
  expect(allowed(limit, named, { ...named, address: "192.0.2.9" }, {}, {})).toEqual([true, false, true, false]);
});

function withKey(value: string): Asker {
  return { fields: `x-key: ${value}\r\n` };
}

test("the value of a header is the key, and a long one is hashed", () => {
  const limit = create({ burst_size: 1, key: "header:X-Key" });
  const long = "a".repeat(129);
  expect(allowed(limit, withKey("a"), withKey("a"), withKey("b"), {}, withKey(long), withKey(`${long}b`))).toEqual([
    true,
    false,
    true,
    true,
    true,
    true,
  ]);
  expect(fieldsFor(limit, withKey("c"))[1]).toBe('RateLimit-Policy: "header:X-Key";q=1;w=1000');
});

test("routes and limits have buckets of their own, and the same limit of a route keeps them", () => {
  expect(allowed(create({ burst_size: 1 }), {}, {})).toEqual([true, false]);
  expect(allowed(create({ burst_size: 1 }), {})).toEqual([false]);
  const policy = createRateLimitPolicy({ ...SLOW, burst_size: 1, route: "/b" }, deps());
  expect([policy.name, policy.request(from({}))]).toEqual(["rate_limit", "continue"]);
});

test("closed buckets are not swept", () => {
  jest.useFakeTimers();
  new RateLimits(new Uint8Array(BUCKET_BYTES), {} as Counts, false).close();
  expect(jest.getTimerCount()).toBe(0);
  jest.useRealTimers();
});

test("a client that has left gets no response, and does not count", () => {
  const limit = create({ burst_size: 1 });
  const exchange = from({});
  exchange.gone = true;
  expect([limit.request(exchange), counted, exchange.addedFields]).toEqual(["responded", [], ""]);
});

test("a token that is given back can be taken again", async () => {
  const quota = new FreeQuota({ requests: 1, key: "address" }, "/a", deps());
  expect([quota.key, quota.requests]).toEqual(["address", 1]);
  const giveBack = await quota.take(from({}));
  expect([await quota.take(from({})), typeof giveBack]).toEqual([undefined, "function"]);
  giveBack?.();
  expect(await quota.take(from({}))).toBeFunction();
  // It comes back in a day.
  const after = performance.now();
  using time = spyOn(performance, "now");
  const isFree = async (ms: number): Promise<boolean> => {
    time.mockReturnValue(after + ms);
    beginEvent();
    return (await quota.take(from({}))) !== undefined;
  };
  expect([await isFree(86_000_000), await isFree(86_400_000)]).toEqual([false, true]);
  const byPayer = new FreeQuota({ requests: 1, key: "payer" }, "/a", deps());
  expect(await byPayer.take(from({ payer: "p" }))).toBeFunction();
  expect(await byPayer.take(from({ payer: "p", address: "192.0.2.9" }))).toBeUndefined();
});

test("requests of new clients that find no bucket of their own are counted", () => {
  const { buckets } = limits;
  const space = buckets.space("others");
  const slow = { cost: 1_000_000_000, burst: 2 };
  for (let i = 0; i < 500_000; i++) buckets.charge(space, String(i), slow);
  const limit = create();
  allowed(limit, ...Array.from({ length: 100 }, (_, i) => ({ address: `192.0.2.${i}` })));
  expect(counted).toContain("rateLimitsShared 1");
});

/** A store that records what it is asked. */
function storeOf(response: StoredCharge | undefined, isReady = true) {
  const asked: string[] = [];
  const store: LimitStore = {
    isReady,
    charge({ space, costUs, burst }: StoredLimit, key) {
      asked.push(`${key} ${costUs} ${burst} ${space}`);
      return Promise.resolve(response);
    },
    giveBack: (_, key) => void asked.push(`back ${key}`),
  };
  return { asked, store };
}

test("a shared store decides, by the key and the limit", async () => {
  const { asked, store } = storeOf({ allowed: true, untilFullUs: US_PER_TOKEN });
  const limit = create({ key: "consumer" }, store);
  const exchange = from({ consumer: "alice" });
  expect(await limit.request(exchange)).toBe("continue");
  expect(exchange.addedFields).toContain(";r=1;t=1000\r\n");
  const giveBack = await limit.take(from({}));
  giveBack?.();
  const space = '["/a",0.001,2,"consumer",64]';
  expect(asked).toEqual([
    `consumer alice ${US_PER_TOKEN} 2 ${space}`,
    `ip 192.0.2.1 ${US_PER_TOKEN} 2 ${space}`,
    "back ip 192.0.2.1",
  ]);
  expect(counted).toEqual(["rateLimitStore 1 answered", "rateLimits 1 allowed", "rateLimitStore 1 answered"]);
});

test("a shared store refuses", async () => {
  const { store } = storeOf({ allowed: false, untilFullUs: 2 * US_PER_TOKEN });
  const limit = create({}, store);
  expect(await limit.request(from({}))).toBe("responded");
  expect([responses, await limit.take(from({}))]).toEqual([["rate-limited Retry-After: 1000\r\n"], undefined]);
  // It may have rounded the time up.
  const late = create({}, storeOf({ allowed: false, untilFullUs: 2 * US_PER_TOKEN + 1 }).store);
  expect([await late.request(from({})), responses[1]]).toEqual(["responded", "rate-limited Retry-After: 1001\r\n"]);
});

test("the server's own buckets decide if the store does not respond, or is not ready", async () => {
  const silent = storeOf(undefined);
  const limit = create({ burst_size: 1 }, silent.store);
  expect([await limit.request(from({})), await limit.request(from({}))]).toEqual(["continue", "responded"]);
  expect([silent.asked.length, counted.filter((line) => line === "rateLimitStore 1 failed").length]).toEqual([2, 2]);
  counted = [];
  const absent = storeOf(undefined, false);
  const other = create({ burst_size: 3 }, absent.store);
  expect([other.request(from({})), absent.asked]).toEqual(["continue", []]);
  expect(counted).toEqual(["rateLimitStore 1 skipped", "rateLimits 1 allowed"]);
});
