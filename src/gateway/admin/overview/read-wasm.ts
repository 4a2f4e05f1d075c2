import { type SharedZone } from "../../../lib/shared-zone.ts";
import { wasmFigures } from "../../telemetry/filter-metrics.ts";
import { type WasmState } from "./overview-snapshot.ts";

/** Reads what all workers together have of filters and tenants. */
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
