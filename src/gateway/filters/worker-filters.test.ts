import { expect, test } from "bun:test";
import { plentyOfBuffers } from "../../lib/testing/plenty.ts";
import { COLUMN } from "../telemetry/metrics/layout.ts";
import { onlySlot, Telemetry } from "../telemetry/telemetry.ts";
import { TimerWheel } from "../../lib/time/timer-wheel.ts";
import { type LoadedFilters } from "./loaded-filters.ts";
import { WorkerFilters } from "./worker-filters.ts";

/** The filters of the worker in a row of the counters, or of the only worker. */
function filtersOf(row: number | undefined) {
  const only = onlySlot();
  const telemetry = new Telemetry(only);
  const worker = new WorkerFilters({
    config: { wasm_park_capacity: 1, wasm_host_call_deadline_ms: 10 },
    slot: row === undefined ? undefined : { ...only, row },
    telemetry,
    bodies: plentyOfBuffers(),
    wheel: new TimerWheel(),
    control: () => undefined,
    log() {},
    onError(error) {
      throw error;
    },
  });
  const counted = (): (number | undefined)[] =>
    (["parkActive", "parkCapacity", "poolInstances", "poolPinned", "routesClosed"] as const).map(
      (name) => only.zone.counters(only.row)[COLUMN[name]],
    );
  return { worker, counted };
}

// The only part of the loaded filters that a worker reads.
const closing = (...closed: string[]): LoadedFilters => ({ closed }) as unknown as LoadedFilters;

test("of several workers, the first one logs the lines that are the same for all", () => {
  expect([undefined, 1, 2].map((row) => filtersOf(row).worker.deps.isFirst)).toEqual([true, true, false]);
});

test("a reload changes the limits of a worker's filters, and reports the routes that are closed", () => {
  const { worker, counted } = filtersOf(undefined);
  const { parks, hostCallDeadlineMs } = worker.deps.runtime;
  expect([worker.closed, hostCallDeadlineMs(), parks.take(), parks.take()]).toEqual([[], 10, true, false]);
  worker.use({ wasm_park_capacity: 3, wasm_host_call_deadline_ms: 20 }, closing("/a", "/b"));
  expect([worker.closed, hostCallDeadlineMs(), parks.take()]).toEqual([["/a", "/b"], 20, true]);
  expect(counted()).toEqual([2, 3, 0, 0, 2]);
});

test("instances and pinned streams are counted, and the instances of all filters are limited", () => {
  const { worker, counted } = filtersOf(undefined);
  const { instances, gauges } = worker.deps.runtime;
  for (let i = 0; i < 4000; i++) expect(instances.take()).toBe(true);
  expect(instances.take()).toBe(false);
  instances.give();
  gauges.pinnedChanged(1);
  expect(counted()).toEqual([0, 0, 3999, 1, 0]);
});

test("all filters of a worker share the memory of their calls, their data and the metrics that they define", () => {
  const { runtime } = filtersOf(undefined).worker.deps;
  expect(runtime.calls).toBe(runtime.calls);
  expect(runtime.calls.size).toBe(0);
  expect(runtime.shared.data.set("a", Uint8Array.of(1), 0)).toBe("ok");
});
