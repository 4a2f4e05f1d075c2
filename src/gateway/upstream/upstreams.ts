import { type SecureContext } from "node:tls";
import { isDeepStrictEqual } from "node:util";
import { BEARER_TOKEN } from "../../lib/http/authorization.ts";
import { type BufferPool } from "../../lib/memory/buffer-pool.ts";
import { type Fields } from "../../lib/http/fields.ts";
import { type TimerWheel } from "../../lib/time/timer-wheel.ts";
import { type Environment, readSecret } from "../../payments/facilitator/secrets.ts";
import { type Config, type RouteConfig, type UpstreamConfig } from "../config/config.ts";
import { type Telemetry } from "../telemetry/telemetry.ts";
import { type CountedServer } from "../telemetry/upstream-metrics.ts";
import { trustOf } from "../wire/tls-connect.ts";
import { readAuthorities, readPair } from "../wire/read-certificates.ts";
import { tlsFailureLog } from "./tls-failures.ts";
import { type DialSettings } from "./dial.ts";
import { reasonName } from "./probe-reason.ts";
import { type Membership } from "./member.ts";
import { UpstreamServer } from "./server.ts";
import { ServerPool } from "./server-pool.ts";
import { type ServerStates } from "./outlier-detection.ts";
import { SlowStart } from "./slow-start.ts";
import { Upstream } from "./upstream.ts";

export interface UpstreamDeps {
  readonly wheel: TimerWheel;
  readonly buffers: BufferPool;
  readonly telemetry: Telemetry;
  readonly states: ServerStates;
  /** The servers of every upstream of the configuration. */
  readonly members: Membership;
  readonly onError: (error: unknown) => void;
  readonly log: (message: string) => void;
}

/** The protocols offered by ALPN. */
const ALPN = { http1: [], h2: ["h2"], h2c: [], auto: ["h2", "http/1.1"] } as const;

/** The upstream of a route without one. It has no servers. */
const NO_UPSTREAM = new Upstream({ name: "", balancing: "round_robin", scheme: "http" }, () => {
  throw new Error("Cannot make a server: this upstream never has one");
});

/** Provides `upstreams`. Those that have not changed stay, with their connections. */
export function provideUpstreams(
  parts: UpstreamDeps & { readonly config: Config },
  previous: Upstreams | undefined,
): Upstreams {
  return new Upstreams(parts.config, parts, previous);
}

/** The upstreams of a configuration, ready for use. */
export class Upstreams {
  readonly #byName: ReadonlyMap<string, Made>;

  /** Upstreams that have not changed since `previous` stay, with their connections. */
  constructor(config: Config, deps: UpstreamDeps, previous: Upstreams | undefined) {
    this.#byName = new Map(
      config.upstreams.map((upstream) => {
        const before = previous === undefined ? undefined : previous.#byName.get(upstream.name);
        const stays = before !== undefined && isDeepStrictEqual(before.config, upstream);
        return [upstream.name, stays ? before : { config: upstream, upstream: createUpstream(upstream, deps) }];
      }),
    );
    this.setMembers(deps.members);
  }

  /** The upstream of a route. It has no servers if the route names none. */
  of({ upstream }: Pick<RouteConfig, "upstream">): Upstream {
    return upstream === undefined ? NO_UPSTREAM : this.get(upstream);
  }

  /** The upstream of that name. Throws if it does not exist, which a checked configuration excludes. */
  get(name: string): Upstream {
    const made = this.#byName.get(name);
    if (made === undefined) throw new Error(`Cannot serve: there is no upstream "${name}"`);
    return made.upstream;
  }

  /** Undefined if there is no upstream of that name. */
  find(name: string): Upstream | undefined {
    return this.#byName.get(name)?.upstream;
  }

  /** Replaces the servers of the upstreams that are named. */
  setMembers(members: Membership): void {
    for (const [name, list] of Object.entries(members)) this.#byName.get(name)?.upstream.setMembers(list);
  }

  get servers(): CountedServer[] {
    return [...this.#byName].flatMap(([upstream, made]) =>
      made.upstream.servers.map(({ key, member, inRotation, active }) => ({
        upstream,
        key,
        slot: member.slot,
        inRotation,
        healthy: active.up,
        probeFailure: reasonName(active.reason),
      })),
    );
  }

  /** Closes the upstreams that `others` does not take over. */
  close(others: Upstreams | undefined): void {
    const kept = others === undefined ? undefined : others.#byName;
    for (const [name, made] of this.#byName) if (kept?.get(name) !== made) made.upstream.close();
  }
}

interface Made {
  readonly config: UpstreamConfig;
  readonly upstream: Upstream;
}

/**
 * The field line with the token of `token_env`; empty without a token. Throws if the variable is not set, or its value is
 * not a token of RFC 6750 §2.1. The error does not contain the value.
 */
export function credentialOf({ token_env: name }: UpstreamConfig, environment: Environment): Fields {
  if (name === "") return "";
  const token = readSecret(environment, name, "token_env");
  if (BEARER_TOKEN.test(token)) return `Authorization: Bearer ${token}\r\n`;
  throw new Error(`Cannot use token_env: the value of ${name} has characters that a token cannot have`);
}

/** Settings for connections to the upstream's servers. Throws if a TLS file is unusable, or the token not set. */
export function dialSettingsOf(config: UpstreamConfig): DialSettings {
  const { allow_private: allowPrivate, tls, protocol } = config;
  const credential = credentialOf(config, process.env);
  if (!tls) return { allowPrivate, tls: undefined, credential };
  const { tls_verify: verify, tls_sni: serverName, tls_subject_alt_names: names } = config;
  const trust = readTrust(config);
  return { allowPrivate, tls: { verify, serverName, names, protocols: ALPN[protocol], trust }, credential };
}

export type UpstreamFiles = Pick<UpstreamConfig, "tls_ca_path" | "tls_cert_path" | "tls_key_path">;

/** The authorities and the client certificate for an upstream's servers. Throws if a file cannot be used. */
export function readTrust({
  tls_ca_path: ca,
  tls_cert_path: cert_path,
  tls_key_path: key_path,
}: UpstreamFiles): SecureContext {
  const authorities = ca === "" ? "" : readAuthorities(ca, "upstream CAs");
  const shown = cert_path === "" ? undefined : readPair({ cert_path, key_path });
  return trustOf(authorities, shown);
}

function createUpstream(config: UpstreamConfig, deps: UpstreamDeps): Upstream {
  const { connection_pool: pool, protocol, slow_start_ms: slowStartMs } = config;
  const { wheel, buffers, telemetry, states, onError, log } = deps;
  const dial = dialSettingsOf(config);
  const settings = {
    maxConnections: pool.max_connections,
    maxIdle: pool.max_idle,
    idleTimeoutMs: pool.idle_timeout_ms,
    connectTimeoutMs: pool.connect_timeout_ms,
    clientPart: pool.client_share / 100,
    protocol: protocol === "h2c" ? ("h2" as const) : protocol,
    dial,
  };
  return new Upstream(
    {
      name: config.name,
      balancing: config.load_balancer,
      scheme: config.tls ? "https" : "http",
      credential: dial.credential,
      isEmpty:
        config.servers.length === 0 && config.dns_discovery === undefined && config.catalog_discovery === undefined,
    },
    (member, isNew) => {
      const metrics = telemetry.serverMetrics(member.slot, config.name);
      return new UpstreamServer(
        member,
        new ServerPool(member.endpoint, settings, {
          wheel,
          buffers,
          metrics,
          onError,
          onTlsFailure: tlsFailureLog({ upstream: config.name, endpoint: member.endpoint }, log),
        }),
        { metrics, states, slowStart: new SlowStart(slowStartMs, () => wheel.now(), isNew) },
      );
    },
  );
}
