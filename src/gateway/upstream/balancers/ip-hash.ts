import { Rendezvous } from "../../../lib/rendezvous.ts";
import { canonicalAddress } from "../../exchange/client-address.ts";
import { type Balancer, type Candidate } from "./balancer.ts";

/**
 * Picks the same server for the same client address, in every worker and over reloads. While a server is out of
 * rotation, only its clients move to other servers, and they return with it.
 */
export class IpHash<T extends Candidate> implements Balancer<T> {
  readonly #choices: Rendezvous<T>;

  constructor(servers: readonly T[]) {
    this.#choices = new Rendezvous(servers);
  }

  pick(clientAddress: string, avoid: T | undefined): T | undefined {
    return this.#choices.choose(canonicalAddress(clientAddress), isAllowed, avoid);
  }
}

function isAllowed(server: Candidate, avoid: Candidate | undefined): boolean {
  return server !== avoid && server.inRotation;
}
