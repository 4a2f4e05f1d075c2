import { expect, test } from "bun:test";
import { watchTimers } from "../../../../lib/testing/timers.ts";
import { until } from "../../../../lib/testing/until.ts";
import { Retention } from "./retention.ts";

const DAY = 86_400_000;

test("a full step is followed by the next, and a failed one is logged", async () => {
  const asked: (readonly [before: number, limit: number])[] = [];
  const logged: string[] = [];
  const retention = new Retention({
    store: {
      async forget(before, limit) {
        asked.push([before, limit]);
        if (asked.length === 3) throw new Error("the disk is full");
        return limit;
      },
    },
    keepDays: () => 2,
    clock: () => 10 * DAY,
    log: (line) => logged.push(line),
  });
  retention.start();
  await until(() => logged.length > 0);
  await retention.close();
  expect(asked).toEqual(Array.from({ length: 3 }, () => [8 * DAY, 500] as const));
  expect(logged).toEqual([expect.stringContaining("old payments could not be removed: ")]);
});

test.each([
  [0, 1],
  [30 * DAY, 0],
])("after the clock was set forward by %d ms, there are %d removals at once", async (set, removals) => {
  let unix = 10 * DAY;
  let looks = 0;
  let steps = 0;
  const retention = new Retention({
    store: { forget: async () => ((steps += 1), 0) },
    keepDays: () => 2,
    clock: () => ((looks += 1), unix),
    steady: () => 0,
    log() {},
  });
  const before = looks;
  unix += set;
  retention.start();
  await until(() => looks > before);
  await retention.close();
  expect(steps).toBe(removals);
});

test.each([
  [499, 600_000],
  [500, 100],
])("after a step that removed %d payments, the next one comes in %d ms", async (removed, ms) => {
  using timers = watchTimers();
  let steps = 0;
  const retention = new Retention({
    store: { forget: async () => ((steps += 1), removed) },
    keepDays: () => 1,
    clock: () => DAY,
    log() {},
  });
  retention.start();
  await until(() => steps > 0 && timers.pending(ms) === 1);
  await retention.close();
  expect(timers.pending(ms)).toBe(0);
});

test("the store may be closed only when the running step has ended, and no step follows", async () => {
  const step = Promise.withResolvers<number>();
  let steps = 0;
  const store = { forget: (): Promise<number> => (steps++, step.promise) };
  const options = { keepDays: () => 1, clock: () => DAY, log() {} };
  const retention = new Retention({ ...options, store });
  retention.start();
  await until(() => steps === 1);
  let isClosed = false;
  const closed = retention.close().then(() => (isClosed = true));
  await new Promise((resolve) => setImmediate(resolve));
  expect(isClosed).toBeFalse();
  step.resolve(500);
  await closed;
  // The timers of another one, which are set later, end later.
  let others = 0;
  const other = new Retention({ ...options, store: { forget: async () => ((others += 1), 500) } });
  other.start();
  await until(() => others === 2);
  await other.close();
  expect(steps).toBe(1);
});
