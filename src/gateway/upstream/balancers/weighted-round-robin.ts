import { type Balancer, type Candidate } from "./balancer.ts";

/**
 * Turns by weight, smoothly: each server gains its weight at every turn, the one that has most is taken and pays what all have
 * gained. So 5, 1 and 1 are taken as a a b a c a a, and not as a a a a a b c.
 */
export class WeightedRoundRobin<T extends Candidate> implements Balancer<T> {
  readonly #servers: readonly T[];
  readonly #credit: number[];

  constructor(servers: readonly T[]) {
    this.#servers = servers;
    this.#credit = servers.map(() => 0);
  }

  pick(_clientAddress: string, avoid: T | undefined): T | undefined {
    let total = 0;
    let best = -1;
    for (let at = 0; at < this.#servers.length; at++) {
      const server = this.#servers[at];
      if (server === undefined || server === avoid || !server.inRotation) continue;
      total += server.weight;
      const credit = this.#creditOf(at) + server.weight;
      this.#credit[at] = credit;
      if (best === -1 || credit > this.#creditOf(best)) best = at;
    }
    if (best === -1) return undefined;
    this.#credit[best] = this.#creditOf(best) - total;
    return this.#servers[best];
  }

  #creditOf(at: number): number {
    return this.#credit[at] ?? 0;
  }
}
