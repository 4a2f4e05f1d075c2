/** The store's use of a scripted Redis. The effects of the script in a real Redis are tested in test/policy. */
import { afterEach, beforeEach, describe, expect, jest, test } from "bun:test";
import { type Counts } from "../../telemetry/metrics/counts.ts";
import { type StoredCharge, type StoredLimit } from "./limit-store.ts";
import { RedisStore } from "./redis-store.ts";
import { ScriptedRedis, TAKEN } from "./testing/scripted-redis.ts";

const LIMIT: StoredLimit = { space: "/a", costUs: 500, burst: 3 };
const TIMEOUT_MS = 100;
const AWAY = "rate_limit_store is not reachable: each gateway limits by itself until it is back";

let redis: ScriptedRedis;
let store: RedisStore | undefined;
let now: number;
let logged: string[];
let away: number[];

beforeEach(() => {
  redis = new ScriptedRedis();
  store = undefined;
  now = 0;
  [logged, away] = [[], []];
});

afterEach(() => {
  jest.useRealTimers();
  store?.close();
  redis.stop();
});

function open(url = redis.url, timeoutMs = TIMEOUT_MS): RedisStore {
  const counts = { set: (name: string, value: number) => void away.push(name === "rateLimitStoresAway" ? value : NaN) };
  store = new RedisStore(
    { url, timeoutMs },
    // No other method is used.
    { counts: counts as unknown as Counts, log: (message) => void logged.push(message), clock: () => now },
  );
  return store;
}

async function opened(): Promise<RedisStore> {
  const made = open();
  await made.ready();
  expect(made.isReady).toBe(true);
  return made;
}

/** Lets sockets have their events, which fake timers do not stop. */
async function turnsUntil(condition: () => boolean): Promise<void> {
  for (let turns = 0; !condition(); turns++) {
    if (turns > 100_000) throw new Error("Cannot go on: the condition is not met");
    await new Promise((resolve) => setImmediate(resolve));
  }
}

function pass(ms: number): void {
  now += ms;
  jest.advanceTimersByTime(ms);
}

test("a token is taken and put back by the script, under a key that does not reveal the client", async () => {
  const made = await opened();
  expect(await made.charge(LIMIT, "192.0.2.1")).toEqual({ allowed: true, untilFullUs: 500 });
  redis.reply = () => "*2\r\n:0\r\n$4\r\n1500\r\n";
  expect(await made.charge({ ...LIMIT, space: "/b" }, "192.0.2.1")).toEqual({ allowed: false, untilFullUs: 1500 });
  made.giveBack(LIMIT, "192.0.2.1");
  await turnsUntil(() => redis.commands.length === 3);
  const [first, other, back] = redis.commands.map(([name, , key = "", ...rest]) => ({ name, key, rest }));
  expect([first?.name, first?.rest, back?.rest]).toEqual(["EVALSHA", ["500", "3", "0"], ["500", "3", "1"]]);
  expect(first?.key).toMatch(/^turnpike:rate:[\w-]{43}$/);
  expect([back?.key === first?.key, other?.key === first?.key]).toEqual([true, false]);
});

test("a Redis that has lost the script gets it again, and another error is a failure", async () => {
  const made = await opened();
  redis.reply = ([name]) => (name === "EVALSHA" ? "-NOSCRIPT No matching script.\r\n" : TAKEN);
  expect(await made.charge(LIMIT, "a")).toEqual({ allowed: true, untilFullUs: 500 });
  expect(redis.commands.map(([name]) => name)).toEqual(["EVALSHA", "EVAL"]);
  redis.reply = ([name]) => (name === "EVALSHA" ? "-WRONGTYPE No.\r\n" : TAKEN);
  expect(await made.charge(LIMIT, "a")).toBeUndefined();
  expect(redis.commands).toHaveLength(3);
});

describe("failures", () => {
  const three = "*3\r\n:1\r\n$1\r\n1\r\n:1\r\n";
  test.each([
    "+OK\r\n",
    "$-1\r\n",
    three,
    "*1\r\n:1\r\n",
    "*2\r\n:2\r\n$1\r\n1\r\n",
    "*2\r\n:1\r\n:1\r\n",
    "*2\r\n:1\r\n$2\r\n-1\r\n",
  ])("%j is not a result", async (reply) => {
    const made = await opened();
    redis.reply = () => reply;
    expect(await made.charge(LIMIT, "a")).toBeUndefined();
  });

  test("the results 0 and 1 are read, up to 15 digits", async () => {
    const made = await opened();
    redis.reply = () => `*2\r\n:1\r\n$15\r\n${"9".repeat(15)}\r\n`;
    expect(await made.charge(LIMIT, "a")).toEqual({ allowed: true, untilFullUs: 999_999_999_999_999 });
    redis.reply = () => `*2\r\n:1\r\n$16\r\n${"9".repeat(16)}\r\n`;
    expect(await made.charge(LIMIT, "a")).toBeUndefined();
  });

  test("after five in a row the store is not asked, which is logged and counted once; a result in between resets them", async () => {
    jest.useFakeTimers();
    const made = await opened();
    const charges = async (reply: string, count: number): Promise<void> => {
      redis.reply = () => reply;
      for (let i = 0; i < count; i++) await made.charge(LIMIT, "a");
    };
    await charges("-ERR\r\n", 4);
    await charges(TAKEN, 1);
    await charges("-ERR\r\n", 4);
    expect([made.isReady, logged, away]).toEqual([true, [], []]);
    await charges("-ERR\r\n", 1);
    expect([made.isReady, logged, away]).toEqual([false, [AWAY], [1]]);
    const asked = redis.commands.length;
    expect(await made.charge(LIMIT, "a")).toBeUndefined();
    made.giveBack(LIMIT, "a");
    expect(redis.commands).toHaveLength(asked);
    redis.reply = () => TAKEN;
    pass(500);
    await turnsUntil(() => made.isReady);
    expect([logged, away]).toEqual([
      [AWAY, "rate_limit_store is back"],
      [1, 0],
    ]);
    // The earlier failures do not count any more.
    await charges("-ERR\r\n", 4);
    expect(made.isReady).toBe(true);
  });

  test("each late charge ends at its own time, and its result is ignored when it comes", async () => {
    jest.useFakeTimers();
    const made = await opened();
    redis.reply = () => undefined;
    const ended: string[] = [];
    const charge = (name: string): void =>
      void made.charge(LIMIT, name).then((late) => ended.push(late === undefined ? name : "a result"));
    charge("first");
    charge("second");
    pass(TIMEOUT_MS / 2);
    charge("third");
    expect(jest.getTimerCount()).toBe(1);
    pass(TIMEOUT_MS / 2 - 1);
    await turnsUntil(() => redis.commands.length === 3);
    expect(ended).toEqual([]);
    pass(1);
    await turnsUntil(() => ended.length > 0);
    expect(ended).toEqual(["first", "second"]);
    pass(TIMEOUT_MS);
    await turnsUntil(() => ended.length > 2);
    expect([ended.at(-1), made.isReady, jest.getTimerCount()]).toEqual(["third", true, 0]);
    charge("fourth");
    pass(TIMEOUT_MS);
    redis.respondLate(TAKEN.repeat(4));
    redis.reply = () => TAKEN;
    await turnsUntil(() => ended.length === 4);
    redis.reply = () => undefined;
    charge("fifth");
    pass(TIMEOUT_MS);
    await turnsUntil(() => ended.length === 5);
    expect([ended.at(-1), made.isReady, logged]).toEqual(["fifth", false, [AWAY]]);
  });

  test("a connection that is cut ends all charges that wait", async () => {
    jest.useFakeTimers();
    const made = await opened();
    redis.reply = ([name]) => (name === "EVALSHA" ? undefined : TAKEN);
    const charges = Promise.all([made.charge(LIMIT, "a"), made.charge(LIMIT, "b")]);
    await turnsUntil(() => redis.commands.length === 2);
    redis.cut();
    expect(await charges).toEqual([undefined, undefined]);
    expect([made.isReady, logged]).toEqual([false, [AWAY]]);
  });
});

test("4096 charges may wait at a time; beyond them the store counts as busy, and they end with their connection", async () => {
  jest.useFakeTimers();
  const made = open(redis.url, 60_000);
  await made.ready();
  redis.reply = () => undefined;
  const charges: Promise<StoredCharge | undefined>[] = [];
  for (let i = 0; i < 4095; i++) charges.push(made.charge(LIMIT, "a"));
  expect(made.isReady).toBe(true);
  charges.push(made.charge(LIMIT, "a"));
  expect(made.isReady).toBe(false);
  // A token is given back only in a free place. Commands arrive in order.
  made.giveBack(LIMIT, "a");
  charges.push(made.charge(LIMIT, "a"));
  await turnsUntil(() => redis.commands.length >= 4097);
  expect(new Set(redis.commands.map((command) => command.at(-1)))).toEqual(new Set(["0"]));
  redis.cut();
  expect(new Set(await Promise.all(charges))).toEqual(new Set([undefined]));
  // The charges on the lost connection do not count on the next one.
  pass(500);
  await turnsUntil(() => made.isReady);
});

describe("reconnecting", () => {
  test("is tried after 500 ms, then after twice the time up to 10 s, and after 500 ms again when it had worked", async () => {
    jest.useFakeTimers();
    redis.isDown = true;
    const made = open();
    await made.ready();
    for (const ms of [500, 1000, 2000, 4000, 8000, 10_000, 10_000]) {
      const { connections } = redis;
      pass(ms - 1);
      await turnsUntil(() => true);
      expect(redis.connections).toBe(connections);
      pass(1);
      await turnsUntil(() => redis.connections > connections && redis.open === 0);
    }
    expect([logged, away]).toEqual([[AWAY], [1]]);
    redis.isDown = false;
    pass(10_000);
    await turnsUntil(() => made.isReady);
    redis.cut();
    await turnsUntil(() => !made.isReady);
    pass(500);
    await turnsUntil(() => made.isReady);
    expect(away).toEqual([1, 0, 1, 0]);
  });

  test.each(["HELLO", "SCRIPT"])("has two seconds for a server that does not respond to %s", async (command) => {
    jest.useFakeTimers();
    redis.unanswered = command;
    const made = open();
    let isOver = false;
    void made.ready().then(() => (isOver = true));
    await turnsUntil(() => redis.ignored === 1);
    pass(1999);
    await turnsUntil(() => true);
    expect(isOver).toBe(false);
    pass(1);
    await turnsUntil(() => isOver);
    expect([made.isReady, logged]).toEqual([false, [AWAY]]);
  });

  test("ends with the store, which is not counted as away any more", async () => {
    jest.useFakeTimers();
    redis.isDown = true;
    const made = open();
    await made.ready();
    made.close();
    expect([jest.getTimerCount(), away]).toEqual([0, [1, 0]]);
    const early = open();
    early.close();
    redis.isDown = false;
    await early.ready();
    expect([early.isReady, jest.getTimerCount()]).toEqual([false, 0]);
  });

  test("is not needed for a store that works, whose close ends its charges and counts nothing", async () => {
    jest.useFakeTimers();
    const made = await opened();
    redis.reply = () => undefined;
    const charge = made.charge(LIMIT, "a");
    made.close();
    expect([await charge, jest.getTimerCount(), away, logged]).toEqual([undefined, 0, [], []]);
  });
});

test("a bad URL is logged without its text", async () => {
  const made = open("redis://:hunter2@a:99999999");
  await made.ready();
  expect([made.isReady, logged]).toEqual([false, ["Cannot use rate_limit_store: it is not a Redis URL"]]);
  expect(await made.charge(LIMIT, "a")).toBeUndefined();
});
