import { expect, test } from "bun:test";
import { op } from "../module/testing/assembler.ts";
import { playedFilter } from "./testing/played-stream.ts";
import { type Filter } from "./testing/proxy-module.ts";

const MAX_STREAMS = 16_384;

/** Traps in a request with a body, and pauses the others. */
const TRAPS: Filter = {
  callbacks: { proxy_on_request_headers: [...op.get(2), 0x45, ...op.if, ...op.unreachable, ...op.end, ...op.i32(1)] },
};

type Played = Awaited<ReturnType<typeof playedFilter>>;
const settle = () => new Promise((resolve) => setImmediate(resolve));

/** The error that a request gets that traps if it reaches the filter. */
function trapped({ play }: Played): string | undefined {
  return play({ method: "POST", bodyLength: 3 }).client.events[1];
}

test("an instance that fails is started again at once three times, then after longer and longer waits", async () => {
  const at = await playedFilter(TRAPS);
  const [failed, waits] = ["filter-failed", "filter-unavailable"];
  expect(Array.from({ length: 5 }, () => trapped(at))).toEqual([failed, failed, failed, failed, waits]);
  for (const ms of [100, 200, 400, 800, 1600, 3200, 5000, 5000]) {
    at.clock.advance(ms - 1);
    expect([ms, trapped(at)]).toEqual([ms, waits]);
    at.clock.advance(1);
    expect([ms, trapped(at), trapped(at)]).toEqual([ms, failed, waits]);
  }
  // An instance that worked for more than 10 seconds is restarted at once again.
  at.clock.advance(5000);
  at.play();
  at.clock.advance(10_001);
  expect(Array.from({ length: 5 }, () => trapped(at))).toEqual([failed, failed, failed, failed, waits]);
  at.close();
});

test("an instance that worked for 10 seconds and no longer has one more failure", async () => {
  const at = await playedFilter(TRAPS);
  for (let i = 0; i < 3; i++) trapped(at);
  at.play();
  at.clock.advance(10_000);
  trapped(at);
  // This is the fourth failure in a row: the next start waits for 100 ms from the last one, which was long ago.
  expect([trapped(at), trapped(at)]).toEqual(["filter-failed", "filter-unavailable"]);
  at.close();
});

test("an instance that cannot be started is tried once for a request, and says why", async () => {
  const at = await playedFilter(TRAPS, { instances: 2 });
  at.runtime.instances.capacity = 1;
  // The second one has no room, and the first one serves.
  expect([at.play().client.events, at.play().client.events]).toEqual([[], []]);
  const full = "test: Cannot start the filter: the worker has too many instances of filters";
  expect(at.runtime.lines).toEqual([full]);
  expect(at.filter.instances).toEqual({ all: 1, pinned: 0 });
  at.runtime.instances.capacity = 0;
  trapped(at);
  at.runtime.lines.length = 0;
  expect(at.play().client.events[1]).toBe("filter-unavailable");
  expect(at.runtime.lines).toEqual([full, full]);
  at.close();
  expect(at.runtime.gauge.instances).toBe(0);
});

test("requests go to the instances in turn, each of which is started for its first request", async () => {
  const at = await playedFilter(TRAPS, { instances: 3 });
  const counts = [at.filter.instances.all];
  for (let i = 0; i < 4; i++) {
    at.play();
    counts.push(at.filter.instances.all);
  }
  expect(counts).toEqual([1, 1, 2, 3, 3]);
  // The second one fails with its only request.
  const paused = at.play();
  expect([trapped(at), paused.client.events]).toEqual(["filter-failed", []]);
  at.close();
});

test("an instance that has its maximum number of streams refuses further ones", async () => {
  const at = await playedFilter(TRAPS);
  const [first] = Array.from({ length: MAX_STREAMS }, () => at.play());
  expect(at.play().client.events[1]).toBe("overloaded");
  expect(at.runtime.counted.at(-1)).toBe("request busy");
  first?.exchange.onFinish?.(first.exchange);
  expect(at.play().client.events).toEqual([]);
  at.close();
});

test("a filter that is closed keeps its streams to their ends, and starts nothing more", async () => {
  const at = await playedFilter(TRAPS, { instances: 2 });
  const streams = [at.play(), at.play()];
  await settle();
  at.filter.close();
  at.filter.close();
  expect([at.filter.instances.all, at.runtime.gauge.instances]).toEqual([2, 2]);
  expect(at.play().client.events[1]).toBe("filter-unavailable");
  for (const { client, exchange } of streams) {
    expect(client.events).toEqual([]);
    exchange.onFinish?.(exchange);
  }
  expect([at.filter.instances.all, at.runtime.gauge.instances]).toEqual([0, 0]);
  at.close();
});

test("a filter without requests has a broken instance started again within a second", async () => {
  const ticks: Filter = {
    imports: [["proxy_set_tick_period_milliseconds", 1]],
    callbacks: {
      proxy_on_configure: [...op.i32(5000), ...op.call(0), ...op.drop, ...op.i32(1)],
      proxy_on_tick: op.unreachable,
    },
  };
  const at = await playedFilter(ticks, { route: "" });
  at.clock.advance(4980);
  expect(at.filter.instances.all).toBe(1);
  at.clock.advance(20);
  expect(at.filter.instances.all).toBe(0);
  at.clock.advance(1010);
  expect(at.filter.instances.all).toBe(1);
  at.close();
  expect([at.filter.instances.all, at.runtime.gauge.instances, at.clock.tick]).toEqual([0, 0, undefined]);
});
