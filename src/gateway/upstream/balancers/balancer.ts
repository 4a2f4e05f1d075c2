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

export type Balancing = "round_robin" | "least_conn" | "ip_hash" | "random" | "weighted_round_robin";

/** The balancer of that name for these servers. */
export function createBalancer<T extends Candidate>(_policy: Balancing, servers: readonly T[]): Balancer<T> {
  return new RoundRobin(servers);
}

class RoundRobin<T extends Candidate> implements Balancer<T> {
  readonly #servers: readonly T[];
  #turn = 0;

  constructor(servers: readonly T[]) {
    this.#servers = servers;
  }

  pick(_clientAddress: string, avoid: T | undefined): T | undefined {
    const count = this.#servers.length;
    for (let step = 0; step < count; step++) {
      this.#turn = (this.#turn + 1) % count;
      const server = this.#servers[this.#turn];
      if (server !== undefined && server !== avoid && server.inRotation) return server;
    }
    return undefined;
  }
}
