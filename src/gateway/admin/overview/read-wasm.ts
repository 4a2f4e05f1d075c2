import { type SharedZone } from "../../../lib/memory/shared-zone.ts";
import { type FilterCounts, wasmFigures } from "../../telemetry/filter-metrics.ts";
import { FILTER_BOUNDS } from "../../telemetry/metrics/layout.ts";
import { type WasmState } from "../shapes/common.ts";
import { type OverviewSnapshot } from "../shapes/overview.ts";

const BOUNDS_MS = FILTER_BOUNDS.map((seconds) => Math.round(seconds * 1e6) / 1000);

/** Reads the counts of each filter in all workers. */
export function readFilters(counts: FilterCounts): OverviewSnapshot["filters"] {
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

/** Reads the state of filters and tenants in all workers together. */
export function readWasm(zone: SharedZone): WasmState {
  const figures = wasmFigures(zone);
  return {
    park_active: figures.parkActive,
    park_capacity: figures.parkCapacity,
    pool_instances: figures.poolInstances,
    pool_pinned: figures.poolPinned,
    control_configured: figures.controlConfigured,
    control_ready: figures.controlReady,
    tenants_active: figures.tenantsActive,
    tenant_hits: figures.tenantHits,
    tenant_misses: figures.tenantMisses,
    tenant_evictions: figures.tenantEvictions,
  };
}
