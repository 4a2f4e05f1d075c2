/** The reason why a connection was not made. */
export type EgressFailure = "refused" | "blocked" | "unresolved" | "unreachable" | "too-much" | ProxyFailure;

/** The reason why a caller's proxy made no connection. */
type ProxyFailure = "proxy" | "proxy-login" | "proxy-refused" | "proxy-unresolved";

/** The limits of one page visit. A page beyond them is an attack or a download, and ends in an error. @operator @bound */
export const EGRESS_LIMITS = {
  /** Bytes that a visit may receive, over all its connections. */
  receivedBytes: 64 * 1024 * 1024,
  /** Host names that a visit may look up. */
  hosts: 500,
  /** The last failed connections whose reasons a visit remembers. */
  failures: 1_000,
  /** Requests of a visit. The proxy cannot see requests in a tunnel, so a tunnel counts as one. */
  requests: 2_000,
  /** Connections of a visit at one time. */
  connections: 128,
  resolveMs: 10_000,
  connectMs: 10_000,
} as const;

/** The limits of one visit that others may replace. */
export type EgressAmounts = Readonly<Record<"receivedBytes" | "hosts" | "requests", number>>;
