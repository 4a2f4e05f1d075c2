import { expect, setDefaultTimeout, spyOn, test } from "bun:test";
import fc from "fast-check";
import { join } from "node:path";
import { closeSync } from "node:fs";
import { SharedZone } from "./shared-zone.ts";
import {
  BUCKET_BYTES,
  type Charge,
  TokenBuckets,
  type BucketSize,
  MAX_FILL_MS,
  SLOTS,
  SPARE_SLOTS,
  TICKS_PER_MS,
} from "./token-buckets.ts";
import { patient } from "../testing/patience.ts";

setDefaultTimeout(patient(20_000));

/** Ticks until the next request is allowed, after one that was refused. */
function ticksToWait({ untilFull }: Charge, { cost, burst }: BucketSize): number {
  return untilFull + cost - burst * cost;
}

const CHARGER = join(import.meta.dir, "../testing/bucket-charger.ts");
/** One token in 100 s. */
const SLOW = { cost: 100_000 * TICKS_PER_MS, burst: 10 };

class Clock {
  ms = 0;
  readonly now = (): number => this.ms;
}

function createBuckets(clock: Clock, isShared = true): TokenBuckets {
  return new TokenBuckets(new Uint8Array(BUCKET_BYTES), clock.now, isShared);
}

/** Makes `times` requests. Returns how many are allowed. */
function allowed(buckets: TokenBuckets, key: string, { size, times }: { size: BucketSize; times: number }): number {
  const space = buckets.space("route");
  let count = 0;
  for (let i = 0; i < times; i++) if (buckets.charge(space, key, size).allowed) count++;
  return count;
}

/**
 * A plain model of a bucket: time adds to its tokens, and requests take from them. The buckets must give the same
 * results.
 */
class Model {
  #tokens: number;
  #at = 0;
  readonly #size: BucketSize;

  constructor(size: BucketSize) {
    this.#size = size;
    this.#tokens = size.burst * size.cost;
  }

  take(ticks: number): boolean {
    const { burst, cost } = this.#size;
    this.#tokens = Math.min(this.#tokens + ticks - this.#at, burst * cost);
    this.#at = ticks;
    if (this.#tokens < cost) return false;
    this.#tokens -= cost;
    return true;
  }

  give(ticks: number): void {
    const { burst, cost } = this.#size;
    this.#tokens = Math.min(this.#tokens + ticks - this.#at + cost, burst * cost);
    this.#at = ticks;
  }
}

test.each([true, false])(
  "requests at any times get the same results as with a plain token bucket, shared: %p",
  (isShared) => {
    const steps = fc.array(
      fc.record({ key: fc.constantFrom("a", "b", "c"), wait: fc.nat({ max: 400 }), back: fc.boolean() }),
      {
        maxLength: 200,
      },
    );
    const sizes = fc.record({ cost: fc.integer({ min: 1, max: 5_000_000 }), burst: fc.integer({ min: 1, max: 20 }) });
    const start = fc.integer({ min: 0, max: 2 ** 36 });
    fc.assert(
      fc.property(steps, sizes, start, (requests, size, startMs) => {
        const clock = new Clock();
        clock.ms = startMs;
        const buckets = createBuckets(clock, isShared);
        const space = buckets.space("route");
        const models = new Map<string, Model>();
        for (const { key, wait, back } of requests) {
          clock.ms += wait;
          const model = models.get(key) ?? new Model(size);
          models.set(key, model);
          const expected = model.take(clock.ms * TICKS_PER_MS);
          const charge = buckets.charge(space, key, size);
          expect(charge.allowed).toBe(expected);
          if (!charge.allowed) expect(ticksToWait(charge, size)).toBeGreaterThan(0);
          expect(charge.untilFull).toBeLessThanOrEqual(size.burst * size.cost);
          if (!back || !expected) continue;
          model.give(clock.ms * TICKS_PER_MS);
          buckets.giveBack(space, key, size);
        }
      }),
      { numRuns: 300 },
    );
  },
);

test.each([true, false])("a client whose slot went to another one gets a bucket of its own, shared: %p", (isShared) => {
  const clock = new Clock();
  const buckets = createBuckets(clock, isShared);
  const space = buckets.space("route");
  for (let round = 0; round < 3; round++) {
    for (const key of ["a", "a", "b", "a"]) buckets.charge(space, key, SLOW);
    expect(allowed(buckets, "a", { size: SLOW, times: 20 })).toBe(7);
    expect(allowed(buckets, "b", { size: SLOW, times: 20 })).toBe(9);
    // The bucket is full again, and removed from its slot.
    clock.ms += 2_000_000;
    for (let i = 0; i < 64; i++) buckets.sweep();
    expect(buckets.countUsed()).toBe(0);
  }
});

test("a client that waits for the given time is allowed, and not a tick earlier", () => {
  const clock = new Clock();
  clock.ms = 1e9;
  const buckets = createBuckets(clock);
  expect(allowed(buckets, "a", { size: SLOW, times: 11 })).toBe(10);
  const wait = ticksToWait(buckets.charged, SLOW) / TICKS_PER_MS;
  expect(wait).toBe(100_000);
  clock.ms += wait - 1;
  expect(allowed(buckets, "a", { size: SLOW, times: 2 })).toBe(0);
  clock.ms += 1;
  expect(allowed(buckets, "a", { size: SLOW, times: 2 })).toBe(1);
});

test("time continues beyond the range of a slot, and forgotten buckets are full", () => {
  const range = 2 ** 44 / TICKS_PER_MS;
  const clock = new Clock();
  clock.ms = range - 50_000;
  const buckets = createBuckets(clock);
  expect(allowed(buckets, "a", { size: SLOW, times: 20 })).toBe(10);
  clock.ms += 100_000;
  expect(allowed(buckets, "a", { size: SLOW, times: 20 })).toBe(1);
  // Steps of a minute, as in production, until the same bits mean another time.
  for (let round = 0; round < 2; round++) {
    for (let minute = 0; minute < range / 2 / 60_000; minute += 50) {
      clock.ms += 50 * 60_000;
      for (let i = 0; i < 50; i++) buckets.sweep();
    }
    expect(buckets.countUsed()).toBe(0);
  }
  expect(allowed(buckets, "a", { size: SLOW, times: 20 })).toBe(10);
});

test("the slowest bucket that may be configured fills in time", () => {
  const clock = new Clock();
  const buckets = createBuckets(clock);
  const size = { cost: MAX_FILL_MS * TICKS_PER_MS, burst: 1 };
  expect(allowed(buckets, "a", { size, times: 3 })).toBe(1);
  clock.ms += MAX_FILL_MS - 1;
  expect(allowed(buckets, "a", { size, times: 3 })).toBe(0);
  clock.ms += 1;
  expect(allowed(buckets, "a", { size, times: 3 })).toBe(1);
});

test("routes have buckets of their own, and so have keys", () => {
  const buckets = createBuckets(new Clock());
  const [one, other] = [buckets.space("one"), buckets.space("other")];
  const size = { cost: SLOW.cost, burst: 1 };
  for (const space of [one, other]) {
    for (const key of ["a", "b", "é"]) {
      expect(buckets.charge(space, key, size).allowed).toBe(true);
      expect(buckets.charge(space, key, size).allowed).toBe(false);
    }
  }
});

test("a flood of 100,000 addresses affects no existing bucket, and a new client gets a bucket as well", () => {
  const buckets = createBuckets(new Clock());
  const space = buckets.space("route");
  expect(allowed(buckets, "198.51.100.7", { size: SLOW, times: 4 })).toBe(4);
  let spared = 0;
  for (let i = 0; i < 100_000; i++) {
    buckets.charge(space, `10.${i >> 16}.${(i >> 8) & 255}.${i & 255}`, SLOW);
    if (buckets.charged.spare) spared++;
  }
  expect(buckets.countUsed()).toBeGreaterThan(99_900);
  // A set of 16 has 6 of them on average.
  expect(spared).toBeLessThan(100);
  expect(allowed(buckets, "198.51.100.7", { size: SLOW, times: 10 })).toBe(6);
  expect(allowed(buckets, "198.51.100.8", { size: SLOW, times: 11 })).toBe(10);
});

test("if the table is full, new clients share one bucket, which empties when buckets are full again", () => {
  const clock = new Clock();
  const buckets = createBuckets(clock);
  const [space, other] = [buckets.space("route"), buckets.space("another")];
  expect(allowed(buckets, "early", { size: SLOW, times: 4 })).toBe(4);
  let i = 0;
  for (let spared = 0; spared < 200_000; i++) {
    buckets.charge(space, `flood ${i}`, SLOW);
    spared = buckets.charged.spare ? spared + 1 : spared;
  }
  expect(buckets.countUsed()).toBeGreaterThan(SLOTS * 0.99);
  let late = 0;
  let lateElsewhere = 0;
  for (let k = 0; k < 1000; k++) {
    if (buckets.charge(space, `late ${k}`, SLOW).allowed && buckets.charged.spare) late++;
    if (buckets.charge(other, `late ${k}`, SLOW).allowed && buckets.charged.spare) lateElsewhere++;
  }
  // The flood has emptied the shared bucket of its route; that of another route is unchanged.
  expect(late).toBe(0);
  expect(lateElsewhere).toBe(SLOW.burst);
  expect(allowed(buckets, "early", { size: SLOW, times: 10 })).toBe(6);
  clock.ms += 100_000 * SLOW.burst;
  expect(buckets.countUsed()).toBe(0);
  expect(allowed(buckets, "late 1", { size: SLOW, times: 20 })).toBe(10);
});

test("processes that charge the same buckets at the same time allow exactly the burst", async () => {
  const zone = SharedZone.create({ rows: 1, counters: 0, cells: 0, common: BUCKET_BYTES });
  if (zone.fd === undefined) throw new Error("no descriptor");
  const fd = zone.fd;
  try {
    const keys = 2000;
    const children = [0, 1, 2, 3].map(() =>
      Bun.spawn([process.execPath, CHARGER, String(keys), String(SLOW.cost), String(SLOW.burst)], {
        stdio: ["ignore", "pipe", "inherit", fd],
      }),
    );
    const counts = await Promise.all(
      children.map(async ({ stdout, exited }) => {
        const text = await stdout.text();
        expect(await exited).toBe(0);
        // The charger prints one line: allowed requests by key.
        return JSON.parse(text) as number[];
      }),
    );
    for (let key = 0; key < keys; key++) {
      expect(counts.reduce((sum, count) => sum + (count[key] ?? 0), 0)).toBe(SLOW.burst);
    }
  } finally {
    closeSync(fd);
  }
});

test("a key that two workers put into two slots at once gets one bucket with the used tokens of both", () => {
  const size = { cost: SLOW.cost, burst: 10 };
  const memory = new Uint8Array(BUCKET_BYTES);
  const [one, other] = [new TokenBuckets(memory, () => 0), new TokenBuckets(memory, () => 0)];
  const words = new BigInt64Array(memory.buffer);
  const space = one.space("route");
  one.charge(space, "a", size);
  const slot = words.findIndex((word, i) => i > 0 && word !== 0n);
  words[slot] = 0n;
  const exchange = Atomics.compareExchange.bind(Atomics);
  const spy = spyOn(Atomics, "compareExchange");
  spy.mockImplementationOnce(((...args: Parameters<typeof exchange>) => {
    // Between this worker's look and its exchange, another worker finds the slot taken, and puts the key into the next
    // one.
    words[slot] = (5n << 44n) | (1n << 30n);
    for (let i = 0; i < 4; i++) expect(other.charge(space, "a", size).allowed).toBe(true);
    words[slot] = 0n;
    return exchange(...args);
  }) as typeof Atomics.compareExchange); // One of the function's overloads.
  try {
    expect(one.charge(space, "a", size).allowed).toBe(true);
  } finally {
    spy.mockRestore();
  }
  expect(one.countUsed()).toBe(1);
  expect(allowed(other, "a", { size, times: 20 })).toBe(5);
});

test("the spare buckets lie behind the others, within the memory", () => {
  expect(BUCKET_BYTES).toBe(64 + (SLOTS + SPARE_SLOTS) * 8);
});
