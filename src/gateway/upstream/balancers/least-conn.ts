import { type Balancer, type Candidate, type Random } from "./balancer.ts";
import { SmoothTurns } from "./smooth-turns.ts";

/**
 * Picks the server with the fewest requests in flight relative to its weight, over all workers. Servers with an equal
 * load take weighted turns: if requests come one at a time, the loads are always equal.
 */
export class LeastConn<T extends Candidate> implements Balancer<T> {
  readonly #servers: readonly T[];
  /** The load of each server relative to its weight, read once per pick, because reading it sums over all workers. */
  readonly #loads: Float64Array;
  readonly #turns: SmoothTurns;
  readonly #first: number;

  constructor(servers: readonly T[], random: Random) {
    this.#servers = servers;
    this.#loads = new Float64Array(servers.length);
    this.#turns = new SmoothTurns(servers.length);
    this.#first = Math.floor(random() * servers.length);
  }

  pick(_clientAddress: string, avoid: T | undefined): T | undefined {
    const count = this.#servers.length;
    let least = Number.POSITIVE_INFINITY;
    for (let at = 0; at < count; at++) {
      const server = this.#servers[at];
      const isOut = server === undefined || server === avoid || !server.inRotation;
      const load = isOut ? Number.POSITIVE_INFINITY : server.inFlight / server.weight;
      this.#loads[at] = load;
      if (load < least) least = load;
    }
    if (least === Number.POSITIVE_INFINITY) return undefined;
    // Workers begin at different servers, so that equally loaded servers are not tried in the same order by all.
    for (let step = 0; step < count; step++) {
      const at = (this.#first + step) % count;
      if (this.#loads[at] === least) this.#turns.gain(at, this.#servers[at]?.weight ?? 0);
    }
    return this.#servers[this.#turns.taken()];
  }
}
