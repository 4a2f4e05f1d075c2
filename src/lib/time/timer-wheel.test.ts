import { expect, spyOn, test } from "bun:test";
import fc from "fast-check";
import { beginEvent } from "./event-clock.ts";
import { FakeClock } from "../testing/fake-clock.ts";
import { Deadline, TICK_MS, TimerWheel } from "./timer-wheel.ts";

class Probe extends Deadline {
  readonly fired: number[] = [];
  readonly #clock: FakeClock;
  readonly #then: (() => void) | undefined;
  constructor(clock: FakeClock, then?: () => void) {
    super();
    this.#clock = clock;
    this.#then = then;
  }
  override onDeadline(): void {
    this.fired.push(this.#clock.time);
    this.#then?.();
  }
}

test("a deadline fires once, never early and at most two ticks late", () => {
  for (const ms of [0, 1, 9, 10, 11, 100, 10_000, 10_229, 10_231, 10_241, 60_000, 600_000]) {
    for (const at of [0, 5, 9.9, 10]) {
      const clock = new FakeClock();
      const wheel = new TimerWheel(clock);
      const probe = new Probe(clock);
      clock.time = at;
      wheel.set(probe, ms);
      clock.advance(ms + 4 * TICK_MS);
      expect(probe.fired).toHaveLength(1);
      expect(probe.fired[0]).toBeGreaterThanOrEqual(at + ms);
      expect(probe.fired[0]).toBeLessThanOrEqual(at + ms + 2 * TICK_MS);
      clock.advance(10_000);
      expect(probe.fired).toHaveLength(1);
    }
  }
});

test("a deadline without an end starts no timer, and takes the place of an earlier one", () => {
  const clock = new FakeClock();
  using after = spyOn(clock, "after");
  const wheel = new TimerWheel(clock);
  const probe = new Probe(clock);
  wheel.set(probe, Number.POSITIVE_INFINITY);
  expect(after).not.toHaveBeenCalled();
  wheel.set(probe, 100);
  wheel.set(probe, Number.POSITIVE_INFINITY);
  clock.advance(20_000);
  expect(probe.fired).toEqual([]);
});

test("a deadline that is set while the wheel turns is as exact, at any time between two ticks", () => {
  const number = fc.integer({ min: 0, max: 30_000 });
  fc.assert(
    fc.property(number, fc.integer({ min: 0, max: TICK_MS - 1 }), number, (before, between, ms) => {
      const clock = new FakeClock();
      const wheel = new TimerWheel(clock);
      // Keeps the wheel turning.
      wheel.set(new Probe(clock), 1_000_000);
      clock.advance(before);
      clock.time += between;
      const at = clock.time;
      const probe = new Probe(clock);
      wheel.set(probe, ms);
      clock.time -= between;
      clock.advance(ms + 5 * TICK_MS);
      expect(probe.fired).toHaveLength(1);
      expect(probe.fired[0]).toBeGreaterThanOrEqual(at + ms);
      expect(probe.fired[0]).toBeLessThanOrEqual(at + ms + 2 * TICK_MS);
    }),
  );
});

test("a deadline can be put off, brought forward, cleared and removed", () => {
  const clock = new FakeClock();
  const wheel = new TimerWheel(clock);
  const later = new Probe(clock);
  const sooner = new Probe(clock);
  const cleared = new Probe(clock);
  const removed = new Probe(clock);
  for (const probe of [later, sooner, cleared, removed]) wheel.set(probe, 1000);
  wheel.set(later, 3000);
  wheel.set(sooner, 100);
  wheel.clear(cleared);
  wheel.remove(removed);
  clock.advance(200);
  expect(sooner.fired).toHaveLength(1);
  clock.advance(1800);
  expect(later.fired).toHaveLength(0);
  clock.advance(1100);
  expect(later.fired).toHaveLength(1);
  expect([...cleared.fired, ...removed.fired]).toEqual([]);
});

test("the timer stops while no deadline waits, and starts again", () => {
  const clock = new FakeClock();
  const wheel = new TimerWheel(clock);
  const probe = new Probe(clock);
  wheel.set(probe, 10);
  clock.advance(100);
  expect(clock.tick).toBeUndefined();
  clock.time += 1_000_000;
  wheel.set(probe, 10);
  clock.advance(100);
  expect(probe.fired).toHaveLength(2);
});

test("the timer waits for the next slot in use, and a nearer deadline brings it forward", () => {
  const clock = new FakeClock();
  const wheel = new TimerWheel(clock);
  const far = new Probe(clock);
  const near = new Probe(clock);
  wheel.set(far, 60_000);
  clock.advance(30_000);
  expect(clock.wakes).toBe(2);
  clock.advance(5);
  wheel.set(near, 100);
  clock.advance(100 + 2 * TICK_MS);
  expect(near.fired).toHaveLength(1);
  expect(clock.wakes).toBe(3);
  clock.advance(30_000);
  expect(far.fired).toHaveLength(1);
});

test("the timer stops when the last entry is removed", () => {
  const clock = new FakeClock();
  const wheel = new TimerWheel(clock);
  const probes = [new Probe(clock), new Probe(clock)];
  for (const probe of probes) wheel.set(probe, 1000);
  for (const probe of probes) {
    expect(clock.tick).toBeDefined();
    wheel.remove(probe);
  }
  expect(clock.tick).toBeUndefined();
});

test("entries that remove or set each other while they fire lose no deadline", () => {
  const clock = new FakeClock();
  const wheel = new TimerWheel(clock);
  const others = Array.from({ length: 20 }, () => new Probe(clock));
  const again = new Probe(clock);
  const first = new Probe(clock, () => {
    for (const other of others.slice(0, 10)) wheel.remove(other);
    wheel.set(again, 50);
  });
  for (const other of others) wheel.set(other, 40);
  wheel.set(first, 40);
  clock.advance(90);
  expect(others.filter((other) => other.fired.length === 1)).toHaveLength(10);
  clock.advance(100);
  expect(again.fired).toHaveLength(1);
});

test("if the clock jumps ahead by a whole turn, everything that is due fires", () => {
  const clock = new FakeClock();
  const wheel = new TimerWheel(clock);
  const probes = [10, 5000, 20_000, 100_000].map((ms) => {
    const probe = new Probe(clock);
    wheel.set(probe, ms);
    return probe;
  });
  clock.time += 50_000;
  clock.tick?.();
  clock.advance(2 * TICK_MS);
  expect(probes.map((probe) => probe.fired.length)).toEqual([1, 1, 1, 0]);
});

test("after a pause of the process, events that waited are handled before deadlines", () => {
  const clock = new FakeClock();
  const wheel = new TimerWheel(clock);
  const [waiting, served, silent] = [new Probe(clock), new Probe(clock), new Probe(clock)];
  for (const probe of [waiting, served, silent]) wheel.set(probe, 1000);
  // The process is stopped and continued. Its timers fire first, then it reads the data that has arrived meanwhile.
  clock.time = 20_000;
  clock.tick?.();
  expect([waiting, served, silent].flatMap(({ fired }) => fired)).toEqual([]);
  wheel.set(waiting, 1000);
  wheel.clear(served);
  clock.advance(2 * TICK_MS);
  expect([waiting.fired.length, served.fired.length, silent.fired.length]).toEqual([0, 0, 1]);
  clock.advance(1000);
  expect([waiting.fired.length, served.fired.length, silent.fired.length]).toEqual([1, 0, 1]);
});

test("deadlines fire although the event loop stays behind", () => {
  const clock = new FakeClock();
  const wheel = new TimerWheel(clock);
  const probe = new Probe(clock);
  wheel.set(probe, 1000);
  clock.time = 20_000;
  let wakes = 0;
  // Each turn of the loop has events for as long as a second.
  for (; probe.fired.length === 0 && wakes < 1000; wakes++) {
    clock.tick?.();
    clock.time += 1000;
  }
  expect(probe.fired).toHaveLength(1);
  expect(clock.time).toBeLessThanOrEqual(20_000 + 20_000);
});

test("an entry that a neighbour removes from the wheel does not fire, in every slot", () => {
  for (const ms of [0, 1012, 1020, 1021, 1022].map((ticks) => ticks * TICK_MS)) {
    const clock = new FakeClock();
    const wheel = new TimerWheel(clock);
    const second = new Probe(clock);
    const first = new Probe(clock, () => wheel.remove(second));
    const third = new Probe(clock);
    wheel.set(third, ms + 5000);
    wheel.set(second, ms);
    wheel.set(first, ms);
    clock.advance(ms + 10_000);
    expect([first.fired.length, second.fired.length, third.fired.length]).toEqual([1, 0, 1]);
  }
});

function broken(): never {
  throw new Error("broken");
}

test("a deadline that throws is reported, and the others of its tick fire", () => {
  const clock = new FakeClock();
  const errors: unknown[] = [];
  const wheel = new TimerWheel(clock, (error) => errors.push(error));
  const probes = [new Probe(clock), new Probe(clock, broken), new Probe(clock)];
  for (const probe of probes) wheel.set(probe, 100);
  clock.advance(200);
  expect(probes.map((probe) => probe.fired.length)).toEqual([1, 1, 1]);
  expect(errors.map(String)).toEqual(["Error: broken"]);
});

test("an event whose end was not reported does not stop deadlines", async () => {
  const fired = Promise.withResolvers<string>();
  class Once extends Deadline {
    override onDeadline(): void {
      fired.resolve("fired");
    }
  }
  const wheel = new TimerWheel();
  wheel.set(new Once(), 30);
  beginEvent();
  wheel.now();
  expect(await Promise.race([fired.promise, Bun.sleep(5000).then(() => "stopped")])).toBe("fired");
  wheel.close();
});
