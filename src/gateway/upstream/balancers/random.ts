import { type Balancer, type Candidate, type Random } from "./balancer.ts";

/** Picks the less loaded of two random servers. A server's chance to be drawn is proportional to its weight. */
export class RandomOfTwo<T extends Candidate> implements Balancer<T> {
  readonly #servers: readonly T[];
  readonly #random: Random;

  constructor(servers: readonly T[], random: Random) {
    this.#servers = servers;
    this.#random = random;
  }

  pick(_clientAddress: string, avoid: T | undefined): T | undefined {
    const first = this.#draw(avoid, undefined);
    if (first === undefined) return undefined;
    const second = this.#draw(avoid, first);
    if (second === undefined) return first;
    return (second.inFlight + 1) / second.weight < (first.inFlight + 1) / first.weight ? second : first;
  }

  /** Draws a server in rotation other than these two; undefined if no server is left. */
  #draw(avoid: T | undefined, other: T | undefined): T | undefined {
    let total = 0;
    for (const server of this.#servers) if (mayBe(server, avoid, other)) total += server.weight;
    let left = this.#random() * total;
    let last: T | undefined;
    for (const server of this.#servers) {
      if (!mayBe(server, avoid, other)) continue;
      last = server;
      left -= server.weight;
      if (left < 0) break;
    }
    return last;
  }
}

function mayBe<T extends Candidate>(server: T, avoid: T | undefined, other: T | undefined): boolean {
  return server !== avoid && server !== other && server.inRotation;
}
