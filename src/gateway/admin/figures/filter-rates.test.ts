import { expect, test } from "bun:test";
import { outcomesOf } from "./filter-outcomes.ts";
import { filtersBetween } from "./filter-rates.ts";

function entry(counts: Readonly<Record<string, number>>, fuel: number, durations: readonly number[]) {
  const invocations = Object.entries(counts).map(([name, count]) => {
    const [phase = "", outcome = ""] = name.split(" ");
    return { phase, outcome, count };
  });
  return { filter: "a.wasm", route: "/", invocations, fuel, seconds: 1, durations: { counts: durations } };
}

test("outcomes are added up over phases, and failures are separated by kind", () => {
  const counts = { "request allow": 3, "request reject": 2, "response fuel": 1, "request fuel": 4, "resume trap": 1 };
  expect(outcomesOf(entry(counts, 0, []))).toEqual({
    all: 11,
    rejected: 2,
    parked: 0,
    failures: [
      ["fuel", 5],
      ["trap", 1],
    ],
  });
});

test("rates are those between two readings, also for a new filter", () => {
  const before = entry({ "request allow": 10 }, 1000, [10, 0]);
  const now = entry({ "request allow": 20, "request busy": 2, "request trap": 8 }, 4600, [10, 18]);
  const bounds_ms = [1];
  const later = { bounds_ms, entries: [now] };
  expect([...filtersBetween({ bounds_ms, entries: [before] }, later, 2)]).toEqual([
    ["a.wasm /", { perSecond: 10, rejected: 0, failed: 10, fuel: 200, p95: { ms: 1, isAbove: true } }],
  ]);
  expect(filtersBetween({ bounds_ms, entries: [] }, later, 2).get("a.wasm /")).toMatchObject({
    perSecond: 15,
    failed: 10,
  });
  expect(filtersBetween(later, later, 2).get("a.wasm /")).toEqual({
    perSecond: 0,
    rejected: 0,
    failed: 0,
    fuel: undefined,
    p95: undefined,
  });
});
