/** The counts of each duration: one number for each bound, and a last one for longer durations. */
export interface Durations {
  readonly counts: readonly number[];
}

/** One running worker. */
export interface OverviewWorker {
  readonly row: number;
  readonly pid: number;
  readonly started_at_ms: number;
  readonly requests_in_flight: number;
  readonly connections: number;
}

/** The counts of one route. */
export interface OverviewRoute {
  /** The route's host, if it has one, and its path prefix. Empty: all routes without counters of their own. */
  readonly route: string;
  readonly requests: number;
  readonly client_errors: number;
  readonly server_errors: number;
  readonly request_bytes: number;
  readonly response_bytes: number;
  readonly durations?: Durations;
}

/** The results of requests to caches. */
export interface CacheFigures {
  readonly hits: number;
  readonly misses: number;
  readonly stale: number;
  readonly revalidated: number;
  readonly bypassed: number;
}

/** One server of an upstream. */
export interface ServerFigures {
  readonly server: string;
  readonly source: "configured" | "dns" | "catalog";
  /** `unchecked`: no health checks probe it. */
  readonly health: "healthy" | "unhealthy" | "unchecked";
  /** The server receives requests. */
  readonly in_rotation: boolean;
  readonly drained: boolean;
  readonly backup: boolean;
  readonly weight: number;
  /** Why the server is unhealthy or out of rotation, in words; empty otherwise. */
  readonly reason: string;
  /** Consecutive failed requests. */
  readonly failures: number;
  readonly requests_in_flight: number;
  readonly connections: number;
  /** The time of the last failed request or probe in Unix milliseconds. */
  readonly last_failure_ms?: number;
}

/** One upstream, with the current state of each of its servers. */
export interface OverviewUpstream {
  readonly name: string;
  readonly servers: readonly ServerFigures[];
}

/** The counts of one filter on one route. */
export interface OverviewFilter {
  /** Empty, like the route: all filters without counters of their own. */
  readonly filter: string;
  readonly route: string;
  readonly invocations: readonly { readonly phase: string; readonly outcome: string; readonly count: number }[];
  readonly fuel: number;
  readonly seconds: number;
  /** In the order of `filters.bounds_ms`. */
  readonly durations: Durations;
}

/** Filters and tenants of all workers: the current numbers, and how often tenants were found since the start. */
export interface WasmState {
  readonly park_active: number;
  readonly park_capacity: number;
  readonly pool_instances: number;
  /** Instances that are reserved for one parked request each. */
  readonly pool_pinned: number;
  readonly control_configured: boolean;
  /** True if it is ready in every worker. */
  readonly control_ready: boolean;
  /** A tenant that is warm in two workers counts twice. */
  readonly tenants_active: number;
  readonly tenant_hits: number;
  readonly tenant_misses: number;
  readonly tenant_evictions: number;
}

/** One snapshot of the whole gateway. All counters count since the start, so that two snapshots give rates. */
export interface OverviewSnapshot {
  readonly time_ms: number;
  readonly started_at_ms: number;
  readonly workers: readonly OverviewWorker[];
  readonly requests: number;
  readonly responses: Readonly<Record<"1xx" | "2xx" | "3xx" | "4xx" | "5xx", number>>;
  readonly request_bytes: number;
  readonly response_bytes: number;
  readonly connections_open: number;
  readonly requests_in_flight: number;
  readonly durations: Durations & { readonly bounds_ms: readonly number[] };
  readonly routes: readonly OverviewRoute[];
  readonly caches: CacheFigures & {
    readonly entries: number;
    readonly bytes: number;
    readonly routes?: readonly (CacheFigures & { readonly route: string })[];
  };
  readonly upstreams: readonly OverviewUpstream[];
  readonly payments: PaymentFigures;
  readonly wasm: WasmState;
  readonly filters: { readonly bounds_ms: readonly number[]; readonly entries: readonly OverviewFilter[] };
  readonly log_lines_dropped: number;
  readonly worker_restarts: number;
  readonly reloads: number;
  readonly reload_failures: number;
}

/**
 * Payments and settlement records, counted since the start. `open`, `records_waiting` and `breakers_open` are current
 * numbers.
 */
export interface PaymentFigures {
  readonly open: number;
  readonly settled: number;
  readonly delivered: number;
  readonly released: number;
  readonly failed: number;
  readonly unknown: number;
  readonly records_waiting: number;
  readonly breakers_open: number;
}
