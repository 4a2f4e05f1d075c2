import { type SharedZone } from "../../../lib/memory/shared-zone.ts";
import { type FilterTable } from "../../telemetry/filter-metrics.ts";
import { COLUMN, FILTER_BOUNDS } from "../../telemetry/metrics/layout.ts";
import { type MetricName } from "../../telemetry/metrics/metrics.ts";
import { type WasmState } from "../shapes/common.ts";
import { type OverviewSnapshot } from "../shapes/overview.ts";

const BOUNDS_MS = FILTER_BOUNDS.map((seconds) => Math.round(seconds * 1e6) / 1000);

/** Reads the counts of each filter in all workers. */
export function readFilters(counts: FilterTable): OverviewSnapshot["filters"] {
  return {
    bounds_ms: BOUNDS_MS,
    entries: counts.read().map(({ filter = "", route = "", invocations, fuel, seconds, durations }) => ({
      filter,
      route,
      invocations,
      fuel,
      seconds,
      durations: { counts: durations },
    })),
  };
}

/** Reads the state of filters and tenants in all workers together. The control is ready if it is in every worker that has one. */
export function readWasm(zone: SharedZone): WasmState {
  const rows = Array.from({ length: zone.shape.rows }, (_, row) => zone.counters(row));
  const sum = (metric: MetricName): number => rows.reduce((total, row) => total + (row[COLUMN[metric]] ?? 0), 0);
  const configured = sum("controlConfigured");
  return {
    park_active: sum("parkActive"),
    park_capacity: sum("parkCapacity"),
    pool_instances: sum("poolInstances"),
    pool_pinned: sum("poolPinned"),
    control_configured: configured > 0,
    control_ready: configured > 0 && sum("controlReady") >= configured,
    tenants_active: sum("tenantsActive"),
    tenant_hits: sum("tenantHits"),
    tenant_misses: sum("tenantMisses"),
    tenant_evictions: sum("tenantEvictions"),
  };
}
