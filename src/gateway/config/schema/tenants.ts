import { count, ours, milliseconds } from "./kinds.ts";

/** `tenant_max_warm`: warm tenants that a worker remembers. @bound */
export const tenantMaxWarm = count(256, 1, 65_536).meta(
  ours("Maximum warm mappings of one worker. The least recently used is removed first."),
);

/** `tenant_idle_ttl_ms`: milliseconds after its last request for which a warm tenant is remembered. */
export const tenantIdleTtlMs = milliseconds(600_000).describe("Idle time after which a warm mapping is dropped.");
