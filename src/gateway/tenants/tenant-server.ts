import { ServerMetrics } from "../telemetry/upstream-metrics.ts";
import { zoneShape } from "../telemetry/metrics/layout.ts";
import { type Member } from "../upstream/member.ts";
import { UpstreamServer } from "../upstream/server.ts";
import { type PoolDeps, ServerPool } from "../upstream/server-pool.ts";
import { type WorkerStates } from "../upstream/outlier-detection.ts";
import { Upstream } from "../upstream/upstream.ts";

/**
 * Connections of one worker to one tenant, idle connections, and milliseconds that idle ones are kept: the defaults of
 * `connection_pool`. @bound
 */
export const MAX_TENANT_CONNECTIONS = 64;
const MAX_IDLE_CONNECTIONS = 16;
const CONNECTION_IDLE_MS = 60_000;
/** The limit of the route's `connect_timeout_ms` applies. */
const MAX_CONNECT_MS = 2_147_483_647;
/** The default of `client_share`. */
const CLIENT_PART = 0.8;
const ADDRESS = { allowPrivate: true, tls: undefined, isResolved: true } as const;

/** Tenants come and go: their servers have no rows in the shared memory, and are counted elsewhere. */
let uncounted: ServerMetrics | undefined;

/** The services of a tenant's connection pool. Its requests are not counted. */
export type TenantServerDeps = Omit<PoolDeps, "metrics">;

/** The owner of a tenant's server, which counts its requests. */
export interface TenantServerOwner {
  ended(): void;
  /** The socket, or the server behind it, has failed. */
  failed(): void;
}

/**
 * An upstream with one server: the socket of a tenant, known only to this worker. The first failure of the server takes
 * it out of rotation permanently: the next request starts the tenant again and gets another upstream.
 */
export class TenantUpstream extends Upstream {
  readonly states: TenantStates;

  constructor(path: string, deps: TenantServerDeps, owner: TenantServerOwner) {
    const states = new TenantStates(owner);
    super({ name: "tenant", balancing: "round_robin", scheme: "http" }, (member) => create(member, deps, states));
    this.states = states;
    this.setMembers([{ endpoint: { unix: path }, weight: 1, maxFails: 1, failTimeoutMs: 0, backup: false, slot: 0 }]);
  }
}

function create(member: Member, deps: TenantServerDeps, states: WorkerStates): UpstreamServer {
  uncounted ??= new ServerMetrics(new Float64Array(zoneShape(1).counters), 0);
  const settings = {
    maxConnections: MAX_TENANT_CONNECTIONS,
    maxIdle: MAX_IDLE_CONNECTIONS,
    idleTimeoutMs: CONNECTION_IDLE_MS,
    connectTimeoutMs: MAX_CONNECT_MS,
    clientPart: CLIENT_PART,
    protocol: "http1" as const,
    dial: ADDRESS,
  };
  const pool = new ServerPool(member.endpoint, settings, { ...deps, metrics: uncounted });
  return new UpstreamServer(member, pool, { metrics: uncounted, states });
}

class TenantStates implements WorkerStates {
  readonly #owner: TenantServerOwner;
  #requests = 0;
  #hasFailed = false;

  constructor(owner: TenantServerOwner) {
    this.#owner = owner;
  }

  active() {
    return { up: undefined, reason: 0 };
  }

  isInRotation(): boolean {
    return !this.#hasFailed;
  }

  inFlight(): number {
    return this.#requests;
  }

  began(): void {
    this.#requests++;
  }

  ended(): void {
    this.#requests--;
    this.#owner.ended();
  }

  succeeded(): void {}

  failed(): void {
    this.#hasFailed = true;
    this.#owner.failed();
  }
}
