import { expect, test } from "bun:test";
import { closeSync } from "node:fs";
import { SupervisorTelemetry, Telemetry } from "../../telemetry/telemetry.ts";
import { readWasm } from "./read-wasm.ts";

test("gauges are summed over workers, without those of a dead worker", () => {
  const supervisor = new SupervisorTelemetry(2);
  const { zone } = supervisor;
  const [first, second] = [1, 2].map((row) => new Telemetry({ zone, row }).counts);
  for (const worker of [first, second]) {
    worker?.add("poolInstances", 3);
    worker?.add("poolPinned", 1);
    worker?.add("parkActive", 1);
    worker?.set("parkCapacity", 64);
    worker?.set("tenantsActive", 2);
    worker?.add("tenantMisses", 1);
    worker?.set("controlConfigured", 1);
    worker?.set("controlReady", 1);
  }
  second?.set("controlReady", 0);
  const figures = { park_active: 2, park_capacity: 128, pool_instances: 6, pool_pinned: 2, tenants_active: 4 };
  expect(readWasm(zone)).toMatchObject({
    ...figures,
    tenant_misses: 2,
    control_configured: true,
    control_ready: false,
  });
  supervisor.workerDied(2);
  expect(readWasm(zone)).toMatchObject({ park_active: 1, pool_instances: 3, tenant_misses: 2, control_ready: true });
  closeSync(zone.fd ?? -1);
});
