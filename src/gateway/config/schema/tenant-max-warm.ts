import { count, ours } from "./kinds.ts";

/** `tenant_max_warm`: warm tenants that a worker remembers. @bound */
export const tenantMaxWarm = count(256, 1, 65_536).meta(
  ours("Maximum warm mappings of one worker. The least recently used is removed first."),
);
