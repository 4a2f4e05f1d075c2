import { expect, test } from "bun:test";
import { until } from "../../lib/testing/until.ts";
import { EventGate } from "./event-gate.ts";

test("a burst of a kind passes, then 20 events a second, and the number of left out events is reported", async () => {
  let now = 0;
  const told: string[] = [];
  const gate = new EventGate(
    (kind, count) => told.push(`${kind} ${count}`),
    () => now,
  );
  const passed = (kind: string, count: number): number =>
    Array.from({ length: count }, () => gate.passes(kind)).filter(Boolean).length;
  expect(passed("payment", 1000)).toBe(200);
  expect(passed("worker", 3)).toBe(3);
  now += 1000;
  expect(passed("payment", 100)).toBe(20);
  await until(() => told.length > 0);
  expect(told).toEqual(["payment 880"]);
  now += 3_600_000;
  expect(passed("payment", 1000)).toBe(200);
});
