/** What was counted of one name. Times are Unix milliseconds, bytes are of bodies, before framing. */
export interface UsageCounts {
  readonly requests: number;
  readonly request_bytes: number;
  readonly response_bytes: number;
  /** Responses of 4xx, and of 5xx. */
  readonly client_errors: number;
  readonly server_errors: number;
  readonly last_seen_ms: number;
}

/** What was paid in one token of one network. */
export interface UsageAmount {
  readonly network: string;
  readonly asset: string;
  /** Atomic units, decimal. */
  readonly amount: string;
}

export interface SoldCounts extends UsageCounts {
  /** Payments that were settled. */
  readonly payments: number;
  readonly amounts: readonly UsageAmount[];
}

export interface ConsumerUsage extends SoldCounts {
  readonly name: string;
  /** Requests without a name: `name` is empty. */
  readonly anonymous?: true;
  /** All that found no place of their own: `name` is empty. */
  readonly other?: true;
}

export interface RouteUsageEntry extends SoldCounts {
  /** The route's host, where it has one, and its path prefix. */
  readonly route: string;
  readonly other?: true;
}

export interface UpstreamUsageEntry extends UsageCounts {
  readonly upstream: string;
  readonly other?: true;
}

/** The body of `GET /v1/usage`. */
export interface UsageBody {
  /** Since when this was counted: the last reset. */
  readonly since_ms: number;
  readonly consumers: readonly ConsumerUsage[];
  readonly routes: readonly RouteUsageEntry[];
  readonly upstreams: readonly UpstreamUsageEntry[];
}

/** What was counted until a moment. */
export interface UsageReading {
  readonly body: UsageBody;
  /** The same by consumer and route as CSV (RFC 4180), with a header line. */
  csv(): string;
}

/** The usage of the whole server, and of every gateway that shares its database. Rejects with an Error whose message says why. */
export interface UsageReport {
  read(): Promise<UsageReading>;
  /** Counting begins anew with what comes after this reading: no request is in two readings, and none is in no reading. */
  readAndReset(): Promise<UsageReading>;
}
