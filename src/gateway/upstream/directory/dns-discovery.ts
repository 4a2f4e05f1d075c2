import { Resolver } from "node:dns/promises";
import { isIP } from "node:net";
import { codeOf } from "../../../lib/caught.ts";
import { hostsFileAddresses } from "../../../lib/net/hosts-file.ts";
import { Deadline } from "../../../lib/time/timer-wheel.ts";
import { type UpstreamConfig } from "../../config/config.ts";
import { backOffMs, type DiscoveredUpstream, type Discovery, type DiscoveryDeps, FoundServers } from "./discovery.ts";

type DnsConfig = NonNullable<UpstreamConfig["dns_discovery"]>;

/** Milliseconds that a response may take, over all name servers and retries. @bound */
const LOOK_UP_MS = 5000;
/** The least milliseconds between two lookups. A response may have a time to live of 0. @bound */
const LEAST_MS = 1000;
const SERVER_WEIGHT = 1;

/** The addresses of one family in a response. */
interface Records {
  readonly addresses: readonly string[];
  /** The time to live, in seconds; 0 without addresses. */
  readonly ttl: number;
}

const NO_RECORDS: Records = { addresses: [], ttl: 0 };
/** Codes of resolvers for "no such record" (RFC 1035 §4.1.1, RFC 2308): a valid response, not a failure. */
const NONE = new Set(["ENOTFOUND", "ENODATA"]);

/**
 * Discovers servers from the A and AAAA records of a name. The name is looked up again after the shortest time to live,
 * and at the latest after `interval_s`. If the hosts file has the name and no name servers are configured, no query is
 * sent. Search domains are not used.
 */
export class DnsDiscovery extends Deadline implements Discovery {
  readonly servers: FoundServers;
  readonly #config: DnsConfig;
  readonly #deps: DiscoveryDeps;
  /** The resolver of the look-up that is under way, if any. */
  #resolver: Resolver | undefined;
  /** The last good responses. If the query for a family fails, the family keeps its last addresses. */
  readonly #known = { v4: NO_RECORDS, v6: NO_RECORDS };
  #failures = 0;
  #closed = false;

  constructor(upstream: DiscoveredUpstream, config: DnsConfig, deps: DiscoveryDeps) {
    super();
    this.#config = config;
    this.#deps = deps;
    this.servers = new FoundServers(upstream, `DNS for ${JSON.stringify(config.hostname)}`, deps);
    this.#lookUp();
  }

  close(): void {
    this.#closed = true;
    this.#deps.wheel.remove(this);
    this.#resolver?.cancel();
  }

  /** The next look-up is due, or the one that is under way has reached its timeout. */
  override onDeadline(): void {
    if (this.#resolver === undefined) this.#lookUp();
    else this.#resolver.cancel();
  }

  #lookUp(): void {
    const { hostname } = this.#config;
    if (isIP(hostname) !== 0) {
      this.#use([hostname]);
      return;
    }
    if (this.#config.nameservers.length === 0 && this.#useHostsFile(hostname)) return;
    // Each look-up has a new resolver, because a resolver would return its cached records until their time to live
    // ends.
    const resolver = new Resolver();
    this.#resolver = resolver;
    this.#deps.wheel.set(this, LOOK_UP_MS);
    this.#responses(resolver).catch(this.#deps.onError);
  }

  #useHostsFile(hostname: string): boolean {
    const addresses = hostsFileAddresses(hostname);
    if (addresses.length === 0) return false;
    const ttl = this.#config.interval_s;
    const ofFamily = (family: number): Records => ({ addresses: addresses.filter((one) => isIP(one) === family), ttl });
    this.#heard(ofFamily(4), ofFamily(6));
    return true;
  }

  async #responses(resolver: Resolver): Promise<void> {
    const { hostname, nameservers } = this.#config;
    if (nameservers.length > 0) resolver.setServers(nameservers);
    const [v4, v6] = await Promise.all([
      recordsOf(resolver.resolve4(hostname, { ttl: true })),
      recordsOf(resolver.resolve6(hostname, { ttl: true })),
    ]);
    if (this.#closed) return;
    this.#resolver = undefined;
    this.#heard(v4, v6);
  }

  #heard(v4: Records | string, v6: Records | string): void {
    const failure = failureOf(v4, v6);
    if (failure !== "") {
      this.servers.failed(failure);
      this.#again(backOffMs(++this.#failures, this.#config.interval_s * 1000, this.#deps.random));
      return;
    }
    this.#failures = 0;
    if (typeof v4 !== "string") this.#known.v4 = v4;
    if (typeof v6 !== "string") this.#known.v6 = v6;
    const known = [this.#known.v4, this.#known.v6].filter(({ addresses }) => addresses.length > 0);
    this.#use(known.flatMap(({ addresses }) => addresses));
    const ttlMs = Math.min(...known.map(({ ttl }) => ttl)) * 1000;
    this.#again(Math.min(Math.max(ttlMs, LEAST_MS), this.#config.interval_s * 1000));
  }

  #use(addresses: readonly string[]): void {
    const { port } = this.#config;
    this.servers.replace(addresses.map((address) => ({ endpoint: { address, port }, weight: SERVER_WEIGHT })));
  }

  #again(ms: number): void {
    this.#deps.wheel.set(this, ms);
  }
}

/** The reason why both responses cannot be used; empty if one of them can. */
function failureOf(v4: Records | string, v6: Records | string): string {
  const found = [v4, v6].some((records) => typeof records !== "string" && records.addresses.length > 0);
  if (found) return "";
  const failure = [v4, v6].find((records) => typeof records === "string");
  return failure ?? "there are no addresses of that name";
}

/** The records, or the reason why the query failed. */
async function recordsOf(response: Promise<readonly { address: string; ttl: number }[]>): Promise<Records | string> {
  try {
    const records = await response;
    return {
      addresses: records.map(({ address }) => address),
      ttl: Math.min(...records.map(({ ttl }) => ttl)),
    };
  } catch (error) {
    const code = codeOf(error) ?? "";
    if (NONE.has(code)) return NO_RECORDS;
    return code === "ECANCELLED" || code === "ETIMEOUT" ? "it takes too long" : code;
  }
}
