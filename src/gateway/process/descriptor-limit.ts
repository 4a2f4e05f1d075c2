import { readFileSync } from "node:fs";
import { MAX_TENANT_CONNECTIONS } from "../tenants/tenant-server.ts";
import { type Config } from "../config/config.ts";

/** Descriptors that a process has beside its clients' connections and what they need: listeners, logs, the engine's own. @bound */
const OTHERS = 64;
/** Refused connections that may linger at once: they are over what is let in, and must not be without a bound. */
const MAX_LINGERING = 256;
/** And of the descriptors that there are, this part. @bound */
const LINGERING_PART = 1 / 8;

/** Served files that may be open at once: clients choose how many they download slowly. @bound */
const MAX_FILES = 1024;
const FILES_PART = 1 / 8;

/** Files that this process may have open; Infinity where the system does not say. Bun has raised it as far as it may. @internal */
export function descriptorLimit(): number {
  try {
    const limits = readFileSync("/proc/self/limits", "latin1");
    const soft = /^Max open files\s+(\d+|unlimited)/m.exec(limits)?.[1];
    return soft === undefined || soft === "unlimited" ? Number.POSITIVE_INFINITY : Number(soft);
  } catch {
    return Number.POSITIVE_INFINITY;
  }
}

/** Refused connections that may linger in one process. */
export function lingeringRoom(limit = descriptorLimit()): number {
  return Math.min(MAX_LINGERING, Math.floor(limit * LINGERING_PART));
}

/** What says who else needs descriptors. */
interface Sharers extends Pick<Config, "upstreams"> {
  readonly server: Pick<Config["server"], "static_root">;
  readonly routes?: readonly Pick<Config["routes"][number], "tenant">[];
  readonly tenant_max_warm?: number;
}

/** Served files that one process may have open. */
export function fileRoom(limit = descriptorLimit()): number {
  return Math.min(MAX_FILES, Math.floor(limit * FILES_PART));
}

/** Connections to upstreams that one process can have; Infinity where their servers are looked for. */
function upstreamRoom(upstreams: Config["upstreams"]): number {
  let most = 0;
  for (const { servers, connection_pool: pool, dns_discovery: dns, catalog_discovery: catalog } of upstreams) {
    if (dns !== undefined || catalog !== undefined) return Number.POSITIVE_INFINITY;
    most += servers.length * pool.max_connections;
  }
  return most;
}

/** Connections to tenants that one process can have. */
function tenantRoom({ routes = [], tenant_max_warm: most = 0 }: Sharers): number {
  return routes.some(({ tenant }) => tenant !== undefined) ? most * MAX_TENANT_CONNECTIONS : 0;
}

/**
 * Clients that one process can have beside all connections that its upstreams may take, or beside one each where those are more.
 * Without a descriptor left a process can neither take a client nor refuse him, and its event loop turns without end.
 */
export function clientRoom(sharers: Sharers, limit = descriptorLimit()): number {
  const { upstreams, server } = sharers;
  const files = server.static_root === "" ? 0 : fileRoom(limit);
  const left = limit - OTHERS - lingeringRoom(limit) - files;
  const taken = upstreamRoom(upstreams) + tenantRoom(sharers);
  return Math.max(1, Math.floor(taken < left / 2 ? left - taken : left / 2));
}

/**
 * What to tell an operator whose system gives a process fewer descriptors than the connections that the configuration lets in
 * may need; empty where it gives enough.
 */
export function descriptorWarning(config: Config, limit = descriptorLimit()): string {
  const { max_connections: wanted } = config.server;
  const room = clientRoom(config, limit);
  if (room >= wanted) return "";
  return (
    `warning: server.max_connections is ${wanted}, and this system allows a process ${limit} open files: ` +
    `a worker refuses clients beyond ${room} (ulimit -n, LimitNOFILE)`
  );
}
