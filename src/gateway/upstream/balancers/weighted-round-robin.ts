import { type Balancer, type Candidate, type Random } from "./balancer.ts";
import { SmoothTurns } from "./smooth-turns.ts";

/**
 * Turns that a worker can be ahead of another at the start. Otherwise the heaviest server would get the first request
 * of every worker.
 */
const MAX_HEAD_START = 32;

/** Picks servers in weighted turns that are spread out evenly. */
export class WeightedRoundRobin<T extends Candidate> implements Balancer<T> {
  readonly #servers: readonly T[];
  readonly #turns: SmoothTurns;

  constructor(servers: readonly T[], random: Random) {
    this.#servers = servers;
    this.#turns = new SmoothTurns(servers.length);
    for (let turn = Math.floor(random() * MAX_HEAD_START); turn > 0; turn--) this.pick("", undefined);
  }

  pick(_clientAddress: string, avoid: T | undefined): T | undefined {
    for (let at = 0; at < this.#servers.length; at++) {
      const server = this.#servers[at];
      if (server !== undefined && server !== avoid && server.inRotation) this.#turns.gain(at, server.weight);
    }
    return this.#servers[this.#turns.taken()];
  }
}
