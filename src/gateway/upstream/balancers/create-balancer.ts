import { type UpstreamConfig } from "../../config/config.ts";
import { IpHash } from "./ip-hash.ts";
import { type Balancer, type Candidate, type Random } from "./balancer.ts";
import { LeastConn } from "./least-conn.ts";
import { RandomOfTwo } from "./random.ts";
import { RoundRobin } from "./round-robin.ts";
import { WeightedRoundRobin } from "./weighted-round-robin.ts";

export type Balancing = UpstreamConfig["load_balancer"];

const CREATE: Readonly<Record<Balancing, <T extends Candidate>(servers: readonly T[], random: Random) => Balancer<T>>> =
  {
    round_robin: (servers, random) => new RoundRobin(servers, random),
    least_conn: (servers, random) => new LeastConn(servers, random),
    ip_hash: (servers) => new IpHash(servers),
    random: (servers, random) => new RandomOfTwo(servers, random),
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
