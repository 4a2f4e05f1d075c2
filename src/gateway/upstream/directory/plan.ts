import { type Config, type UpstreamConfig } from "../../config/config.ts";
import { serverTarget } from "../../config/server-target.ts";
import { type Endpoint } from "../../wire/tcp.ts";
import { type DialSettings } from "../dial.ts";
import { serverKey } from "../member.ts";
import { CatalogDiscovery } from "./catalog-discovery.ts";
import { type DiscoveredUpstream, type Discovery, type DiscoveryDeps } from "./discovery.ts";
import { DnsDiscovery } from "./dns-discovery.ts";

/** Where a server was learned from. */
export type Source = "config" | "dns" | "catalog";

/** A server of an upstream before it has a place in the shared memory. */
export interface Listed {
  readonly source: Source;
  readonly key: string;
  readonly endpoint: Endpoint;
  readonly weight: number;
  readonly maxFails: number;
  readonly failTimeoutMs: number;
  readonly backup: boolean;
}

/** What discovered servers have where nothing is said: as `servers[]` by default. */
const DISCOVERED = { maxFails: 3, failTimeoutMs: 30_000, backup: false } as const;

/** An upstream of a configuration, and what looks for servers of it. */
export interface PlannedUpstream {
  readonly config: UpstreamConfig;
  /** How its servers are connected to for probes; undefined where there are none. */
  readonly dial: DialSettings | undefined;
  readonly dns: Discovery | undefined;
  readonly catalog: Discovery | undefined;
}

/** Whose plan it is. */
export interface PlanDeps extends DiscoveryDeps {
  /** How connections to an upstream's servers are opened. Throws where its files cannot be used. */
  readonly dialSettings: (upstream: UpstreamConfig) => DialSettings;
  /** An upstream has other servers from now on. */
  readonly changed: (upstream: string) => void;
}

/** The upstreams of one configuration, and what looks for their servers. */
export class Plan {
  readonly upstreams: ReadonlyMap<string, PlannedUpstream>;
  /** By what they were asked for. */
  readonly #discoveries = new Map<string, Discovery>();
  readonly #previous: ReadonlyMap<string, Discovery>;
  readonly #deps: PlanDeps;

  /** What `previous` looks for in the same way is taken over from it. Throws, with nothing begun, where an upstream cannot be planned. */
  constructor(config: Config, previous: Plan | undefined, deps: PlanDeps) {
    this.#previous = previous === undefined ? new Map() : previous.#discoveries;
    this.#deps = deps;
    try {
      this.upstreams = new Map(config.upstreams.map((upstream) => [upstream.name, this.#planned(upstream)]));
    } catch (error) {
      this.close(previous);
      throw error;
    }
  }

  #planned(config: UpstreamConfig): PlannedUpstream {
    const { name, allow_private: allowPrivate, dns_discovery: dns, catalog_discovery: catalog } = config;
    const upstream = { name, allowPrivate };
    return {
      config,
      dial: config.health_check === undefined ? undefined : this.#deps.dialSettings(config),
      dns: dns && this.#shared(upstream, dns, () => new DnsDiscovery(upstream, dns, this.#deps)),
      catalog: catalog && this.#shared(upstream, catalog, () => new CatalogDiscovery(upstream, catalog, this.#deps)),
    };
  }

  #shared(upstream: DiscoveredUpstream, settings: object, create: () => Discovery): Discovery {
    const key = JSON.stringify([upstream, settings]);
    const discovery = this.#previous.get(key) ?? create();
    discovery.servers.onChange = () => this.#deps.changed(upstream.name);
    this.#discoveries.set(key, discovery);
    return discovery;
  }

  /** Settles when every discovery had its first response, good or bad. */
  async responded(): Promise<void> {
    await Promise.all([...this.#discoveries.values()].map(({ servers }) => servers.first));
  }

  /** Ends what `kept` does not use. */
  close(kept?: Plan): void {
    const stays = kept === undefined ? new Map<string, Discovery>() : kept.#discoveries;
    for (const [key, discovery] of this.#discoveries) if (stays.get(key) !== discovery) discovery.close();
  }
}

/** The servers of an upstream as they are known now: those of the configuration first, each once. */
export function serversOf({ config, dns, catalog }: PlannedUpstream): Listed[] {
  const named = config.servers.map((server): Listed => {
    const endpoint = serverTarget(server);
    const { weight, max_fails: maxFails, fail_timeout_ms: failTimeoutMs, backup } = server;
    return { source: "config", key: serverKey(endpoint), endpoint, weight, maxFails, failTimeoutMs, backup };
  });
  const byKey = new Map<string, Listed>();
  for (const server of [...named, ...discovered(dns, "dns"), ...discovered(catalog, "catalog")]) {
    if (!byKey.has(server.key)) byKey.set(server.key, server);
  }
  return [...byKey.values()];
}

function discovered(discovery: Discovery | undefined, source: Source): Listed[] {
  const list = discovery?.servers.list ?? [];
  return list.map(({ endpoint, weight }) => ({ source, key: serverKey(endpoint), endpoint, weight, ...DISCOVERED }));
}
