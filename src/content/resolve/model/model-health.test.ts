import { expect, test } from "bun:test";
import { ModelError } from "./model-error.ts";
import { ModelHealth } from "./model-health.ts";

function setUp() {
  const clock = { now: 0 };
  const checks: PromiseWithResolvers<void>[] = [];
  const health = new ModelHealth({
    clock: () => clock.now,
    onChecked: () => undefined,
    check: () => {
      const check = Promise.withResolvers<void>();
      checks.push(check);
      return check.promise;
    },
  });
  const admitted = (): Promise<string> =>
    health.admit().then(
      () => "admitted",
      (error: unknown) => String(error),
    );
  return { clock, checks, health, admitted };
}

const dead = new ModelError("timeout", "it did not respond in time");
const STOPPED = "ModelError: it is not asked until it works again: it did not respond in time";

test("questions without a response do not stop a model that responds to a check", async () => {
  const { checks, health, admitted } = setUp();
  expect(await admitted()).toBe("admitted");
  for (const round of [1, 2, 3, 4, 5]) {
    health.failed();
    const waiting = admitted();
    expect(checks).toHaveLength(round);
    checks.at(-1)?.resolve();
    expect(await waiting).toBe("admitted");
  }
});

test("a failed check stops all questions until a check succeeds, which one question causes after the pause", async () => {
  const { clock, checks, health, admitted } = setUp();
  health.failed();
  health.failed();
  const waiting = [admitted(), admitted()];
  checks[0]?.reject(dead);
  expect(await Promise.all(waiting)).toEqual([STOPPED, STOPPED]);
  clock.now = 1_999;
  health.failed();
  expect(await admitted()).toBe(STOPPED);
  expect(checks).toHaveLength(1);
  clock.now = 2_000;
  const next = [admitted(), admitted(), admitted()];
  expect(checks).toHaveLength(2);
  checks[1]?.resolve();
  expect(await Promise.all(next)).toEqual(["admitted", "admitted", "admitted"]);
  expect(health.failure).toBeUndefined();
});

test("the pause doubles up to a minute, and is short again after a response", async () => {
  const { clock, checks, health, admitted } = setUp();
  health.failed();
  const pauses: number[] = [];
  for (const round of [0, 1, 2, 3, 4, 5, 6, 7]) {
    checks[round]?.reject(dead);
    expect(await admitted()).toBe(STOPPED);
    const since = clock.now;
    while (checks.length === round + 1) {
      clock.now += 1_000;
      void admitted();
    }
    pauses.push(clock.now - since);
  }
  expect(pauses).toEqual([2_000, 4_000, 8_000, 16_000, 32_000, 60_000, 60_000, 60_000]);
  checks.at(-1)?.resolve();
  expect(await admitted()).toBe("admitted");
  health.failed();
  checks.at(-1)?.reject(dead);
  expect(await admitted()).toBe(STOPPED);
  clock.now += 2_000;
  void admitted();
  checks.at(-1)?.resolve();
  expect(await admitted()).toBe("admitted");
});

test("a response to a question proves more than a failed check of the same time", async () => {
  const { checks, health, admitted } = setUp();
  health.failed();
  health.responded();
  checks[0]?.reject(dead);
  expect(await admitted()).toBe("admitted");
});

test("a check without tokens leaves the state as it was", async () => {
  const { checks, health, admitted } = setUp();
  health.failed();
  checks[0]?.reject(new ModelError("budget", "max_tokens_per_day is used up"));
  expect(await admitted()).toBe("admitted");
});
