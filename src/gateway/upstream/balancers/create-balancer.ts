import { type UpstreamConfig } from "../../config/config.ts";
import { AddressHash } from "./address-hash.ts";
import { type Balancer, type Candidate, type Random } from "./balancer.ts";
import { LeastConnections } from "./least-connections.ts";
import { LeastLoadedOfTwo } from "./least-loaded-of-two.ts";
import { RoundRobin } from "./round-robin.ts";
import { WeightedRoundRobin } from "./weighted-round-robin.ts";

export type Balancing = UpstreamConfig["load_balancer"];

const CREATE: Readonly<Record<Balancing, <T extends Candidate>(servers: readonly T[], random: Random) => Balancer<T>>> =
  {
    round_robin: (servers, random) => new RoundRobin(servers, random),
    least_conn: (servers, random) => new LeastConnections(servers, random),
    ip_hash: (servers) => new AddressHash(servers),
    random: (servers, random) => new LeastLoadedOfTwo(servers, random),
    weighted_round_robin: (servers, random) => new WeightedRoundRobin(servers, random),
  };

/** Creates the balancer of this name for these servers. */
export function createBalancer<T extends Candidate>(
  balancing: Balancing,
  servers: readonly T[],
  random: Random = Math.random,
): Balancer<T> {
  return CREATE[balancing](servers, random);
}
