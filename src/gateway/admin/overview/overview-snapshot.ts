/** How often each duration came: one number for each bound, and a last one for what is longer. */
export interface Durations {
  readonly counts: readonly number[];
}

/** One worker that runs. */
export interface OverviewWorker {
  readonly row: number;
  readonly pid: number;
  readonly started_at_ms: number;
  readonly requests_in_flight: number;
  readonly connections: number;
}

/** What was counted of one route. */
export interface OverviewRoute {
  /** The route's host, if it has one, and its path prefix; empty: those that found no place of their own. */
  readonly route: string;
  readonly requests: number;
  readonly client_errors: number;
  readonly server_errors: number;
  readonly request_bytes: number;
  readonly response_bytes: number;
  readonly durations?: Durations;
}

/** What caches made of requests. */
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
  /** `unchecked`: no probes ask it. */
  readonly health: "healthy" | "unhealthy" | "unchecked";
  /** It gets requests. */
  readonly in_rotation: boolean;
  readonly drained: boolean;
  readonly backup: boolean;
  readonly weight: number;
  /** Why it is unhealthy or out of rotation, in words; empty if it is neither. */
  readonly reason: string;
  /** Failures of requests in a row. */
  readonly failures: number;
  readonly requests_in_flight: number;
  readonly connections: number;
  /** When a request or a probe failed last, in Unix milliseconds. */
  readonly last_failure_ms?: number;
}

export interface OverviewUpstream {
  readonly name: string;
  readonly servers: readonly ServerFigures[];
}

/** What was counted of one filter on one route. */
export interface OverviewFilter {
  /** Empty, as its route: all filters that found no place of their own. */
  readonly filter: string;
  readonly route: string;
  readonly invocations: readonly { readonly phase: string; readonly outcome: string; readonly count: number }[];
  readonly fuel: number;
  readonly seconds: number;
  /** By `filters.bounds_ms`. */
  readonly durations: Durations;
}

/** Filters and tenants of all workers: what there is now, and how often tenants were found since the start. */
export interface WasmState {
  readonly park_active: number;
  readonly park_capacity: number;
  readonly pool_instances: number;
  /** Instances that a parked request has for itself. */
  readonly pool_pinned: number;
  readonly control_configured: boolean;
  /** In every worker. */
  readonly control_ready: boolean;
  /** A tenant that is warm in two workers counts twice. */
  readonly tenants_active: number;
  readonly tenant_hits: number;
  readonly tenant_misses: number;
  readonly tenant_evictions: number;
}

/** One look at the whole gateway. All counters count since the start, so that whoever reads twice has rates. */
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

/** Payments and settlement records, counted since the start but for `open`, `records_waiting` and `breakers_open`. */
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
