import { type Balancer, type Candidate, type Random } from "./balancer.ts";

/** The one with the fewest requests in flight for its weight, of all workers; those that are equal take turns. */
export class LeastConnections<T extends Candidate> implements Balancer<T> {
  readonly #servers: readonly T[];
  #turn: number;

  constructor(servers: readonly T[], random: Random) {
    this.#servers = servers;
    this.#turn = Math.floor(random() * servers.length);
  }

  pick(_clientAddress: string, avoid: T | undefined): T | undefined {
    const count = this.#servers.length;
    let best: T | undefined;
    let bestLoad = Number.POSITIVE_INFINITY;
    let bestAt = this.#turn;
    for (let step = 1; step <= count; step++) {
      const at = (this.#turn + step) % count;
      const server = this.#servers[at];
      if (server === undefined || server === avoid || !server.inRotation) continue;
      // With the request that is to come: a server of weight 2 gets the second of three before one of weight 1 does.
      const load = (server.inFlight + 1) / server.weight;
      if (load >= bestLoad) continue;
      best = server;
      bestLoad = load;
      bestAt = at;
    }
    this.#turn = bestAt;
    return best;
  }
}
