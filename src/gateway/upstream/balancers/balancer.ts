export interface Candidate {
  /** Identifies the server over reloads and processes: `127.0.0.1:8080` or `unix:/path`. */
  readonly key: string;
  readonly weight: number;
  /** Requests in flight, over all workers. */
  readonly inFlight: number;
  /** Active and passive health checks allow requests to it. */
  readonly inRotation: boolean;
}

/** Chooses among a fixed list of servers. Another list needs another balancer. */
export interface Balancer<T extends Candidate> {
  /** Picks a server in rotation other than `avoid`; undefined if there is no other. */
  pick(clientAddress: string, avoid: T | undefined): T | undefined;
}

/** Returns numbers from 0 to less than 1, like `Math.random`. */
export type Random = () => number;
