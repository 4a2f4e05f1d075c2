import { expect, test } from "bun:test";
import { ProviderBreaker } from "./circuit-breaker.ts";

function setUp() {
  const clock = { now: 0 };
  const provider = { failure: "it fails" as string | undefined, probes: 0 };
  const changes: string[] = [];
  const breaker = new ProviderBreaker({
    now: () => clock.now,
    probe: () => {
      provider.probes += 1;
      return Promise.resolve(provider.failure);
    },
    onChange: (from, to, reason) => changes.push(`${from} to ${to}: ${reason ?? "works"}`),
  });
  const fail = async (times: number) => {
    for (let n = 0; n < times; n += 1) breaker.record(false);
    // The probe of a closed breaker runs in the background.
    await Bun.sleep(0);
  };
  return { clock, provider, breaker, fail, changes };
}

test("opens after three consecutive failures and a failed probe, and not after others", async () => {
  const { breaker, provider, fail, changes } = setUp();
  await fail(2);
  breaker.record(true);
  await fail(2);
  expect([breaker.state, provider.probes]).toEqual(["closed", 0]);
  await fail(1);
  expect([breaker.state, provider.probes, await breaker.allows()]).toEqual(["open", 1, false]);
  expect(changes).toEqual(["closed to open: it fails"]);
});

test("stays closed for any number of failures while probes succeed, and sends few probes", async () => {
  const { breaker, provider, fail, clock } = setUp();
  provider.failure = undefined;
  for (let second = 0; second < 60; second += 1) {
    await fail(50);
    expect(await breaker.allows()).toBe(true);
    clock.now += 1_000;
  }
  expect(provider.probes).toBe(6);
});

test("sends one probe for all callers after its time, which closes it or opens it for twice as long", async () => {
  const { clock, breaker, provider, fail, changes } = setUp();
  await fail(3);
  clock.now = 29_999;
  expect([breaker.state, await breaker.allows()]).toEqual(["open", false]);
  clock.now = 30_000;
  expect(breaker.state).toBe("half-open");
  expect(await Promise.all([breaker.allows(), breaker.allows(), breaker.allows()])).toEqual([false, false, false]);
  expect(provider.probes).toBe(2);
  clock.now = 89_999;
  expect(breaker.state).toBe("open");
  clock.now = 90_000;
  provider.failure = undefined;
  expect(await breaker.allows()).toBe(true);
  expect(breaker.state).toBe("closed");
  expect(changes.at(-1)).toBe("half-open to closed: works");
});

test("stays open for at most ten minutes, and starts again after a success", async () => {
  const { clock, breaker, provider, fail } = setUp();
  await fail(3);
  for (let n = 0; n < 10; n += 1) {
    clock.now += 600_000;
    expect(await breaker.allows()).toBe(false);
  }
  expect(provider.probes).toBe(11);
  clock.now += 600_000;
  provider.failure = undefined;
  await breaker.allows();
  provider.failure = "it fails";
  clock.now += 10_000;
  await fail(3);
  clock.now += 30_000;
  expect(breaker.state).toBe("half-open");
});

test("requests never extend its time: neither their number, nor those that were under way when it opened", async () => {
  const { clock, breaker, provider, fail } = setUp();
  await fail(3);
  clock.now = 20_000;
  await fail(100);
  expect(provider.probes).toBe(1);
  clock.now = 30_000;
  expect(breaker.state).toBe("half-open");
});
