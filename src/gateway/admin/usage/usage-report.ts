/** The counts of one name. Times are Unix milliseconds; bytes are of bodies, before framing. */
export interface UsageCounts {
  readonly requests: number;
  readonly request_bytes: number;
  readonly response_bytes: number;
  /** Responses with a 4xx status, and with a 5xx status. */
  readonly client_errors: number;
  readonly server_errors: number;
  readonly last_seen_ms: number;
}

/** The amount paid in one token on one network. */
export interface UsageAmount {
  readonly network: string;
  readonly asset: string;
  /** Atomic units, decimal. */
  readonly amount: string;
}

/** The counts of one name, with its settled payments and the amount in each token. */
export interface SoldCounts extends UsageCounts {
  /** Settled payments. */
  readonly payments: number;
  readonly amounts: readonly UsageAmount[];
}

/** The usage of one consumer: the name of an authenticated client. */
export interface ConsumerUsage extends SoldCounts {
  readonly name: string;
  /** Requests without a name: `name` is empty. */
  readonly anonymous?: true;
  /** All names without counters of their own: `name` is empty. */
  readonly other?: true;
}

/** The usage of one route. `other`: of all routes without counters of their own. */
export interface RouteUsageEntry extends SoldCounts {
  /** The route's host, if it has one, and its path prefix. */
  readonly route: string;
  readonly other?: true;
}

/** The usage of one upstream. `other`: of all upstreams without counters of their own. */
export interface UpstreamUsageEntry extends UsageCounts {
  readonly upstream: string;
  readonly other?: true;
}

/** The body of `GET /v1/usage`. */
export interface UsageBody {
  /** The time of the last reset: counting began then. */
  readonly since_ms: number;
  /** The lists with an entry `other`: they have had no room for further names. */
  readonly full: readonly ("consumers" | "routes" | "upstreams")[];
  readonly consumers: readonly ConsumerUsage[];
  readonly routes: readonly RouteUsageEntry[];
  readonly upstreams: readonly UpstreamUsageEntry[];
}

/** The counts up to one moment. */
export interface UsageReading {
  readonly body: UsageBody;
  /** The same by consumer and route, as CSV (RFC 4180) with a header line. */
  csv(): string;
}

/**
 * The usage of the whole server, and of every gateway that shares its database. Rejects with an Error whose message
 * gives the reason.
 */
export interface UsageReport {
  read(): Promise<UsageReading>;
  /** Reads the counts and resets them. Every request is in exactly one reading. */
  readAndReset(): Promise<UsageReading>;
}
