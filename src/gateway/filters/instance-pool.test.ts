import { beforeEach, expect, test } from "bun:test";
import { FakeClock } from "../../lib/testing/fake-clock.ts";
import { TimerWheel } from "../../lib/time/timer-wheel.ts";
import { InstancePool } from "./instance-pool.ts";
import { type OwnInstance } from "./own-abi/own-instance.ts";
import { FilterQuota } from "./runtime/quota.ts";

const MAX_INSTANCES = 4000;

const TRIM_MS = 10_000;

/** The part of an instance that the pool uses. */
class Instance {
  isPoisoned = false;
  released = 0;
  release(): void {
    this.released++;
  }
}

let clock: FakeClock;
let wheel: TimerWheel;
let quota: FilterQuota;
let gauges: { instances: number; pinned: number };
/** Instances that were created. */
let made: Instance[];
let failures: string[];
/** The events while an instance is created. */
let onMake: () => void;

beforeEach(() => {
  clock = new FakeClock();
  wheel = new TimerWheel(clock);
  gauges = { instances: 0, pinned: 0 };
  quota = new FilterQuota(100, (change) => void (gauges.instances += change));
  made = [];
  failures = [];
  onMake = () => {};
});

function create({ kept = 1, limit = 100 } = {}): InstancePool {
  return new InstancePool({
    wheel,
    clock: () => clock.time,
    instances: quota,
    gauges: { pinnedChanged: (change) => void (gauges.pinned += change) },
    make() {
      onMake();
      const instance = new Instance();
      made.push(instance);
      // The part of an instance that the pool uses.
      return instance as unknown as OwnInstance;
    },
    kept,
    limit,
    onFailure: (reason) => void failures.push(reason),
  });
}

function take(pool: InstancePool): OwnInstance {
  const instance = pool.take();
  if (typeof instance === "string") throw new Error(`Cannot take an instance: ${instance}`);
  return instance;
}

function poison(instance: OwnInstance): OwnInstance {
  Object.assign(instance, { isPoisoned: true });
  return instance;
}

test("a pool creates its first instance at once, and others when they are needed", () => {
  const pool = create();
  expect([made.length, pool.all, pool.pinned, gauges.instances]).toEqual([1, 1, 0, 1]);
  const one = take(pool);
  expect([made.length, pool.pinned, gauges.pinned]).toEqual([1, 1, 1]);
  take(pool);
  expect([made.length, pool.all, pool.pinned, gauges]).toEqual([2, 2, 2, { instances: 2, pinned: 2 }]);
  pool.give(one);
  expect([made[0]?.released, pool.all, pool.pinned, gauges.pinned]).toEqual([1, 2, 1, 1]);
  expect([take(pool) === one, made.length]).toEqual([true, 2]);
});

test("a pool has no more instances than its limit, and those of the worker", () => {
  const pool = create({ limit: 2 });
  take(pool);
  const second = take(pool);
  expect(pool.take()).toBe("busy");
  pool.give(second);
  expect(take(pool)).toBe(second);
});

test("a worker without room for instances starts no pool, and no further instance", () => {
  quota.capacity = 0;
  expect(() => create()).toThrow("Cannot start the filter: the worker has too many instances of filters");
  quota.capacity = 1;
  const pool = create();
  take(pool);
  expect([pool.take(), pool.all, gauges.instances]).toEqual(["busy", 1, 1]);
});

test("a pool whose first instance cannot be created throws, and counts none", () => {
  onMake = () => {
    throw new Error("trap");
  };
  expect(() => create()).toThrow("trap");
  expect(gauges.instances).toBe(0);
});

test("an instance that has failed is dropped and replaced", () => {
  const pool = create();
  pool.give(poison(take(pool)), 10);
  expect([pool.all, pool.pinned, gauges, made[0]?.released]).toEqual([0, 0, { instances: 0, pinned: 0 }, 0]);
  take(pool);
  expect([made.length, pool.all]).toEqual([2, 1]);
});

test("failures that take 500 ms stop the pool until a part of the time is back", () => {
  const pool = create();
  pool.give(poison(take(pool)), 499);
  pool.give(poison(take(pool)), 1);
  expect(pool.take()).toBe("start");
  clock.time += 10;
  expect(typeof pool.take()).toBe("object");
});

test("the time to replace failed instances counts, and that of further ones does not", () => {
  const pool = create();
  const first = take(pool);
  onMake = () => void (clock.time += 600);
  take(pool);
  // The time for it has not counted.
  pool.give(poison(first), 0);
  take(pool);
  onMake = () => {};
  // Creating the replacement has taken 600 ms, more than failures can take.
  expect(pool.take()).toBe("start");
  clock.time += 990;
  expect(pool.take()).toBe("start");
  clock.time += 20;
  take(pool);
  take(pool);
});

test("an instance that cannot be created is reported, and the time for it counts", () => {
  const pool = create();
  take(pool);
  onMake = () => {
    clock.time += 600;
    throw new Error("trap");
  };
  expect([pool.take(), failures, pool.all, gauges.instances]).toEqual(["start", ["trap"], 1, 1]);
  onMake = () => {};
  expect([pool.take(), failures.length]).toEqual(["start", 1]);
});

test("instances above those that are kept are dropped after 10 s in which none needed them", () => {
  const pool = create({ kept: 2 });
  const all = Array.from({ length: 5 }, () => take(pool));
  for (const instance of all.slice(0, 4)) pool.give(instance);
  clock.advance(TRIM_MS - 20);
  expect(pool.all).toBe(5);
  clock.advance(50);
  // The pool was empty when the first one came back.
  const afterFirst = pool.all;
  clock.advance(TRIM_MS + 50);
  expect([afterFirst, pool.all, pool.pinned]).toEqual([4, 2, 1]);
  for (const instance of all.slice(4)) pool.give(instance);
  clock.advance(3 * TRIM_MS);
  expect([pool.all, gauges.instances]).toEqual([2, 2]);
});

test("instances that were needed within 10 s stay for 10 s more", () => {
  const pool = create({ kept: 1 });
  const all = Array.from({ length: 4 }, () => take(pool));
  for (const instance of all) pool.give(instance);
  clock.advance(TRIM_MS + 50);
  const needed = [take(pool), take(pool)];
  for (const instance of needed) pool.give(instance);
  clock.advance(TRIM_MS + 50);
  expect(pool.all).toBe(2);
  clock.advance(TRIM_MS + 50);
  expect(pool.all).toBe(1);
});

test("a closed pool drops its free instances at once, and the others when they come back", () => {
  const pool = create();
  const [one, two] = [take(pool), take(pool)];
  pool.give(one);
  pool.close();
  expect([pool.all, pool.pinned, gauges.instances, clock.tick]).toEqual([1, 1, 1, undefined]);
  pool.give(two);
  expect([pool.all, gauges]).toEqual([0, { instances: 0, pinned: 0 }]);
  // A late request is still served.
  pool.give(take(pool));
  expect(pool.all).toBe(0);
});

test("the instances of a worker leave some of the runtime's 4,096 fast memories to others", () => {
  expect(4096 - MAX_INSTANCES).toBeWithin(50, 100);
});
