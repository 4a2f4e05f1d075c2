import { milliseconds } from "./kinds.ts";

/** `tenant_idle_ttl_ms`: milliseconds after its last request for which a warm tenant is remembered. */
export const tenantIdleTtlMs = milliseconds(600_000).describe("Idle time after which a warm mapping is dropped.");
