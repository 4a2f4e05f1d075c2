import { type Balancer, type Candidate, type Random } from "./balancer.ts";

/**
 * Picks each server in turn, whatever its weight. Workers begin at different servers, so that their first requests do
 * not all go to the same one.
 */
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
