/** Why a connection was not made. */
export type EgressFailure = "refused" | "blocked" | "unresolved" | "unreachable" | "too-much";

/** The limits of one page visit: a page beyond them is an attack or a download, and ends in an error. @bound */
export const EGRESS_LIMITS = {
  /** Bytes that a visit may receive, over all its connections. */
  receivedBytes: 64 * 1024 * 1024,
  /** Host names that a visit may look up. */
  hosts: 500,
  /** Failed connections that a visit remembers the reasons of, the last ones. */
  failures: 1_000,
  /** Requests of a visit, as far as they are seen: a tunnel counts as one. */
  requests: 2_000,
  /** Connections of a visit at one time. */
  connections: 128,
  resolveMs: 10_000,
  connectMs: 10_000,
} as const;
