/** What a balancer knows of a server. */
export interface Candidate {
  /** Stays the same over reloads and processes: `127.0.0.1:8080` or `unix:/path`. */
  readonly key: string;
  readonly weight: number;
  /** Requests in flight, of all workers. */
  readonly inFlight: number;
  /** Active and passive health allow it. */
  readonly inRotation: boolean;
}

/** Chooses among a fixed list of servers; another list gets another balancer. */
export interface Balancer<T extends Candidate> {
  /** Another one than `avoid` where there is one; undefined where none, but perhaps `avoid`, is in rotation. */
  pick(clientAddress: string, avoid: T | undefined): T | undefined;
}

/** Numbers from 0 to less than 1, as `Math.random` gives them. */
export type Random = () => number;
