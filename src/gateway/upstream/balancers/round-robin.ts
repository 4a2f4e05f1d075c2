import { type Balancer, type Candidate, type Random } from "./balancer.ts";

/** Picks each server in turn, without weights. Workers begin at different ones, to spread first requests. */
export class RoundRobin<T extends Candidate> implements Balancer<T> {
  readonly #servers: readonly T[];
  #turn: number;

  constructor(servers: readonly T[], random: Random) {
    this.#servers = servers;
    this.#turn = Math.floor(random() * servers.length);
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
