import { expect, test } from "bun:test";
import { closeSync } from "node:fs";
import { FilterTable } from "./filter-metrics.ts";
import { FILTER_ROWS, SUPERVISOR_ROW } from "./metrics/layout.ts";
import { onlySlot, SupervisorTelemetry, Telemetry } from "./telemetry.ts";

const CAPACITIES = { stream: 1, body: 1, disk: 0 };

test("invocations are counted by filter, route, phase and outcome, over all workers, and read by the supervisor", () => {
  const supervisor = new SupervisorTelemetry(2);
  const { zone } = supervisor;
  for (const row of [1, 2]) {
    const guard = new FilterTable(zone, row).filter("guard.wasm", "/api");
    guard.invoked("request", "allow", { fuel: 100, microseconds: 20, trace: undefined });
    guard.invoked("response", "fuel", { fuel: 5000, microseconds: 300_000, trace: undefined });
    guard.notInvoked("request", "busy", undefined);
  }
  new FilterTable(zone, 1)
    .filter("guard.wasm", "/other")
    .invoked("request", "reject", { fuel: 7, microseconds: 1, trace: undefined });
  const totals = new FilterTable(zone, SUPERVISOR_ROW).read().toSorted((a, b) => b.fuel - a.fuel);
  expect(totals.map(({ route, fuel }) => [route, fuel])).toEqual([
    ["/api", 10_200],
    ["/other", 7],
  ]);
  expect(totals[0]?.invocations).toEqual([
    { phase: "request", outcome: "allow", count: 2 },
    { phase: "request", outcome: "busy", count: 2 },
    { phase: "response", outcome: "fuel", count: 2 },
  ]);
  const { text } = new Telemetry({ zone, row: 1 }).page(CAPACITIES, []);
  const labels = 'filter="guard.wasm",route="/api"';
  for (const line of [
    `turnpike_filter_invocations_total{${labels},phase="request",outcome="busy"} 2`,
    `turnpike_filter_fuel_total{${labels},phase="response"} 10000`,
    `turnpike_filter_duration_seconds_bucket{${labels},le="0.000025"} 2`,
    `turnpike_filter_duration_seconds_bucket{${labels},le="+Inf"} 4`,
    `turnpike_filter_duration_seconds_count{${labels}} 4`,
  ]) {
    expect(text).toContain(`${line}\n`);
  }
  closeSync(zone.fd ?? -1);
});

test("filters beyond the rows of the table are counted together", () => {
  const { zone, row } = onlySlot();
  const metrics = new FilterTable(zone, row);
  for (let i = 0; i < 2 * FILTER_ROWS; i++)
    metrics.filter(`f${i}.wasm`, "/").invoked("request", "allow", { fuel: 1, microseconds: 1, trace: undefined });
  const totals = new FilterTable(zone, SUPERVISOR_ROW).read();
  expect(totals.reduce((sum, { fuel }) => sum + fuel, 0)).toBe(2 * FILTER_ROWS);
  expect(totals.at(-1)?.filter).toBeUndefined();
});
