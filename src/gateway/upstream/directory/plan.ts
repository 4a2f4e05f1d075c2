import { type Config, type UpstreamConfig, type UpstreamServerConfig } from "../../config/config.ts";
import { type DialSettings } from "../dial.ts";
import { type Member, serverKey } from "../member.ts";
import { CatalogDiscovery } from "./catalog-discovery.ts";
import { type DiscoveredUpstream, type Discovery, type DiscoveryDeps } from "./discovery.ts";
import { DnsDiscovery } from "./dns-discovery.ts";

/** The source from which a server is known. */
export type Source = "config" | "dns" | "catalog";

/** A server of an upstream, before it has a slot in the shared memory. */
export interface Listed extends Omit<Member, "slot"> {
  readonly source: Source;
  readonly key: string;
}

/** The settings of discovered servers: the defaults of `servers[]`. */
const DISCOVERED = { maxFails: 3, failTimeoutMs: 30_000, backup: false } as const;

export interface PlannedUpstream {
  readonly config: UpstreamConfig;
  /** The settings with which probes connect to its servers; undefined without probes. */
  readonly dial: DialSettings | undefined;
  readonly dns: Discovery | undefined;
  readonly catalog: Discovery | undefined;
}

export interface PlanDeps extends DiscoveryDeps {
  /** Returns how connections to an upstream's servers are opened. Throws if a file that they need cannot be used. */
  readonly dialSettings: (upstream: UpstreamConfig) => DialSettings;
  readonly changed: (upstream: string) => void;
}

/** The upstreams of one configuration, and their discoveries. */
export class Plan {
  readonly upstreams: ReadonlyMap<string, PlannedUpstream>;
  readonly #discoveries = new Map<string, Discovery>();
  readonly #previous: ReadonlyMap<string, Discovery>;
  readonly #deps: PlanDeps;

  /** Takes discoveries with equal settings from `previous`. Throws, and begins nothing, on a bad upstream. */
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

  /** Settles when every discovery has had its first response, good or bad. */
  async firstResponses(): Promise<void> {
    await Promise.all([...this.#discoveries.values()].map(({ servers }) => servers.first));
  }

  /** Closes the discoveries that `kept` does not use. */
  close(kept?: Plan): void {
    const stays = kept === undefined ? new Map<string, Discovery>() : kept.#discoveries;
    for (const [key, discovery] of this.#discoveries) if (stays.get(key) !== discovery) discovery.close();
  }
}

/** The servers of an upstream that are known now, each once. Those of the configuration come first. */
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

type ServerTarget = { readonly unix: string } | { readonly address: string; readonly port: number };

/** The target of a checked server. Throws without socket and address, which the loader refuses. @internal */
export function serverTarget({ unix, address, port }: UpstreamServerConfig): ServerTarget {
  if (unix !== undefined) return { unix };
  if (address === undefined || port === undefined) throw new Error("Cannot reach a server: it has no address and port");
  return { address, port };
}
