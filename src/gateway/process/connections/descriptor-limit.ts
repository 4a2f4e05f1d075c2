import { readFileSync } from "node:fs";
import { MAX_TENANT_CONNECTIONS } from "../../tenants/tenant-server.ts";
import { type Config } from "../../config/config.ts";

/**
 * Descriptors that a process needs apart from its clients' connections and their upstreams: for listeners, logs and the
 * engine. @bound
 */
const OTHERS = 64;
/** Refused connections that may stay open. They are over the limits, so one more closes at once. */
const MAX_LINGERING = 256;
/** The part of the descriptors that refused connections may use. @bound */
const LINGERING_PART = 1 / 8;

/**
 * Served files that may be open at once, and their part of the descriptors. Clients choose how many files they download
 * slowly. @bound
 */
const MAX_FILES = 1024;
const FILES_PART = 1 / 8;

/** Files that this process may open, at the system's maximum; Infinity if it does not report it. @internal */
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

/** The settings that decide what else needs descriptors. */
interface Sharers extends Pick<Config, "upstreams"> {
  readonly server: Pick<Config["server"], "static_root">;
  readonly routes?: readonly Pick<Config["routes"][number], "tenant">[];
  readonly tenant_max_warm?: number;
}

/** Served files that one process may have open. */
export function fileRoom(limit = descriptorLimit()): number {
  return Math.min(MAX_FILES, Math.floor(limit * FILES_PART));
}

/** Connections to upstreams that one process can have; Infinity if discovery finds their servers. */
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
 * Clients that one process can have, beside all connections to its upstreams. If those need more than half of the
 * descriptors, clients get half. A process without a free descriptor can neither accept a client nor refuse it, and its
 * event loop spins.
 */
export function clientRoom(sharers: Sharers, limit = descriptorLimit()): number {
  const { upstreams, server } = sharers;
  const files = server.static_root === "" ? 0 : fileRoom(limit);
  const left = limit - OTHERS - lingeringRoom(limit) - files;
  const taken = upstreamRoom(upstreams) + tenantRoom(sharers);
  return Math.max(1, Math.floor(taken < left / 2 ? left - taken : left / 2));
}

/** A warning if the system gives a process too few descriptors for the configured connections; else empty. */
export function descriptorWarning(config: Config, limit = descriptorLimit()): string {
  const { max_connections: wanted } = config.server;
  const room = clientRoom(config, limit);
  if (room >= wanted) return "";
  return (
    `warning: server.max_connections is ${wanted}, but this system allows a process only ${limit} open files: ` +
    `each worker accepts ${room} ${room === 1 ? "client" : "clients"} and refuses others. Raise the hard limit: ` +
    "ulimit -n in a shell, LimitNOFILE in a systemd unit, --ulimit nofile for a container"
  );
}
