import { expect, test } from "bun:test";
import { LookLimit } from "./look-limit.ts";

function taken(limit: LookLimit, address: string, most = 5000): number {
  for (let count = 0; count < most; count++) {
    if (!limit.begin(address)) return count;
    limit.end(address, true);
  }
  return most;
}

test("refused payments of one address do not keep another from the chain, until there are too many of all", () => {
  const clock = { now: 50_000 };
  const limit = new LookLimit(() => clock.now);
  expect(taken(limit, "192.0.2.1")).toBe(100);
  expect(taken(limit, "2001:db8::1", 60) + taken(limit, "2001:db8::2")).toBe(100);
  for (let i = 2; i < 10; i++) expect(taken(limit, `192.0.2.${i}`)).toBe(100);
  expect(limit.begin("192.0.2.99")).toBe(false);
  clock.now += 10_000;
  expect(taken(limit, "192.0.2.1")).toBe(100);
});

test("payments that are looked up count until the chain accepts them", () => {
  const limit = new LookLimit(() => 1);
  const begun = Array.from({ length: 200 }, () => limit.begin("192.0.2.1")).filter((is) => is);
  expect(begun).toHaveLength(100);
  for (const _ of begun) limit.end("192.0.2.1", false);
  expect(taken(limit, "192.0.2.1")).toBe(100);
});

test("more addresses than are counted share one count", () => {
  const limit = new LookLimit(() => 1);
  for (let i = 0; i < 4096; i++) {
    const address = `10.0.${i >> 8}.${i & 255}`;
    expect(limit.begin(address)).toBe(true);
    limit.end(address, false);
  }
  expect(taken(limit, "192.0.2.1") + taken(limit, "192.0.2.2")).toBe(100);
});

test("an absent channel is not looked up again for a short time", () => {
  const clock = { now: 1 };
  const limit = new LookLimit(() => clock.now);
  limit.setAbsent("a");
  expect([limit.isAbsent("a"), limit.isAbsent("b")]).toEqual([true, false]);
  clock.now += 4999;
  expect(limit.isAbsent("a")).toBe(true);
  clock.now += 1;
  expect(limit.isAbsent("a")).toBe(false);
});
