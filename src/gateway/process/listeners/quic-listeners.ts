import { isDeepStrictEqual } from "node:util";
import { udpSocket } from "bun";
import { messageOf } from "../../../lib/caught.ts";
import { within } from "../../../lib/time/within.ts";
import { type Fields } from "../../../lib/http/fields.ts";
import { type Config } from "../../config/config.ts";
import { quicEndpointsOf } from "../../config/quic-endpoints.ts";
import { type Exchange } from "../../exchange/exchange.ts";
import { altSvc } from "../../http3/alt-svc.ts";
import { type QuicFigures } from "../../http3/figures.ts";
import type * as Http3 from "../../http3/server.ts";
import { type ServerConnection, type ServerHost } from "../../exchange/server-host.ts";
import { type QuicMetrics } from "../../telemetry/quic-metrics.ts";
import { type Issued, type ReadTls, shownTls } from "../../acme/issued.ts";
import { type TlsMaterial } from "../../wire/tls.ts";
import { readTlsMaterial } from "./certificates.ts";
import { type ListenerShared, reservedHost, withClient } from "./connection-hosts.ts";
import { type ConnectionIdentity, TlsIdentities } from "./tls-identities.ts";
import { bindError, type BoundListener } from "./listener-plan.ts";

/** Loaded with the first endpoint (bench start). */
const http3 = (): typeof Http3 => require("../../http3/server.ts");

/** Milliseconds between two reads of the endpoints' counters. The figures in other workers are at most this old. */
const TELL_MS = 1000;
/** Ports that the kernel chooses for TCP until one is free for UDP too. Then the start fails. */
const MAX_PORT_TRIES = 10;

/** An HTTP/3 endpoint as the configuration describes it. */
export interface QuicPlan
  extends Http3.QuicSettings,
    Pick<Http3.Http3Options, "address" | "port" | "maxHeaderBytes" | "maxHeaderCount"> {
  readonly tcpPorts: readonly number[];
  /** All listeners with TLS announce it. */
  readonly isForTls: boolean;
}

/** The endpoints of a configuration. `bound` has its TCP listeners in the order of the configuration. */
export function quicPlansOf({ server, quic, limits, isReleased }: Config, bound: readonly BoundListener[]): QuicPlan[] {
  if (isReleased === true) return [];
  const common = {
    maxIdleTimeoutMs: quic.max_idle_timeout_ms,
    maxStreamsBidi: quic.max_streams_bidi,
    maxStreamsUni: quic.max_streams_uni,
    maxHeaderBytes: limits.max_header_bytes,
    maxHeaderCount: limits.max_header_count,
  };
  return quicEndpointsOf({ server, quic }).map(({ address, port, isForTls, listeners }) => {
    const tcpPorts = listeners.map((i) => bound[i]?.port ?? server.listeners[i]?.port ?? 0);
    return { address, port: port === 0 ? (tcpPorts[0] ?? 0) : port, tcpPorts, isForTls, ...common };
  });
}

/**
 * The certificates for HTTP/3 if `quic.cert_path` is set and HTTP/3 is served; else undefined, and HTTP/3 shows those
 * of the TLS listeners.
 */
export function readQuicMaterial(config: Pick<Config, "quic" | "server" | "tls">): ReadTls | undefined {
  const { quic, tls } = config;
  if (quic.cert_path === "" || !servesQuic(config)) return undefined;
  const server = {
    ...config.server,
    // A listener's own certificate takes precedence over `quic.cert_path`.
    listeners: config.server.listeners.map((listener) =>
      listener.tls === undefined || listener.tls.cert_path !== undefined
        ? listener
        : { ...listener, tls: { ...listener.tls, cert_path: quic.cert_path, key_path: quic.key_path } },
    ),
  };
  return readTlsMaterial({ server, tls: { ...tls, cert_path: quic.cert_path, key_path: quic.key_path } });
}

/** The certificates of each endpoint, in the order of `quicPlansOf`. */
export function quicMaterialsOf(
  { server, quic, tls }: Config,
  read: ReadTls | undefined,
  issued: Issued,
): readonly (TlsMaterial | undefined)[] {
  const section = shownTls(tls.acme, read, issued);
  return quicEndpointsOf({ server, quic }).map(({ listeners: [first = -1] }) => {
    const listener = read?.listeners[first];
    return listener === undefined ? section : shownTls(tls.acme, listener, issued);
  });
}

function servesQuic({ quic, server }: Pick<Config, "quic" | "server">): boolean {
  return quic.enabled || server.listeners.some((listener) => listener.quic_enabled);
}

/** One UDP port that serves HTTP/3, and its connections. */
class QuicListener {
  readonly plan: QuicPlan;
  material: TlsMaterial;
  readonly #shared: ListenerShared;
  #identities: TlsIdentities;
  readonly #open = new Set<ServerConnection>();
  #endpoint: Http3.Http3Endpoint | undefined;
  #draining = false;
  #emptied: (() => void) | undefined;

  constructor(plan: QuicPlan, material: TlsMaterial, shared: ListenerShared) {
    this.plan = plan;
    this.material = material;
    this.#identities = new TlsIdentities(material, "alike");
    this.#shared = shared;
  }

  get port(): number {
    return this.#endpoint?.port ?? this.plan.port;
  }

  get connections(): number {
    return this.#open.size;
  }

  get figures(): QuicFigures | undefined {
    return this.#endpoint?.figures;
  }

  async bind(isOurs: boolean): Promise<void> {
    const { plan, material } = this;
    const { limiter, counts, onError } = this.#shared;
    const host: ServerHost = {
      ...this.#shared,
      scheme: "https",
      draining: () => this.#draining || this.#shared.draining(),
      closed: (connection) => this.#closed(connection),
    };
    try {
      if (!isOurs) await probe(plan);
      this.#endpoint = await http3().startHttp3({
        ...plan,
        material,
        quic: plan,
        admit: (peerAddress, clientSubject, serverName) => {
          const permit = limiter.admit(peerAddress, "quic");
          if (permit?.isReserved === false) counts.add("connections", 1, "quic");
          else counts.add("connectionsRefused", 1, "quic");
          if (permit === undefined) return undefined;
          const identity = { serverName, isVerified: typeof clientSubject === "object" };
          const named = { ...host, handle: (exchange: Exchange) => this.#handle(exchange, identity) };
          const own = permit.isReserved ? reservedHost(named, this.#shared, permit) : named;
          const entered = (connection: ServerConnection): void => {
            limiter.enter(permit, connection);
            this.#open.add(connection);
            counts.add("connectionsOpen", 1, "quic");
            counts.add("connectionProtocols", 1, "http3");
          };
          return { host: withClient(own, clientSubject), entered };
        },
        onError,
      });
    } catch (error) {
      throw bindError(plan, error);
    }
  }

  show(material: TlsMaterial): void {
    const identities = new TlsIdentities(material, "alike");
    this.#endpoint?.show(material);
    this.material = material;
    this.#identities = identities;
  }

  #handle(exchange: Exchange, identity: ConnectionIdentity): void {
    if (this.#identities.allows(exchange.head.authority, identity)) this.#shared.handle(exchange);
    else this.#shared.handleMisdirected(exchange);
  }

  /** Accepts no more connections, lets exchanges in flight end within `graceMs` milliseconds, then closes the rest. */
  async close(graceMs: number): Promise<void> {
    this.#draining = true;
    if (graceMs > 0 && this.#open.size > 0) {
      this.#endpoint?.refuse();
      for (const connection of this.#open) connection.drain();
      const { promise, resolve } = Promise.withResolvers<void>();
      this.#emptied = resolve;
      await within(graceMs, promise);
    }
    await this.#endpoint?.close();
  }

  #closed(connection: ServerConnection): void {
    if (!this.#open.delete(connection)) return;
    this.#shared.limiter.leave(connection);
    this.#shared.counts.add("connectionsOpen", -1, "quic");
    if (this.#open.size === 0) this.#emptied?.();
  }
}

/** Rejects if another socket has the port already, even one that shares it. */
async function probe({ address, port }: QuicPlan): Promise<void> {
  if (port === 0) return;
  const socket = await udpSocket({ hostname: address, port });
  socket.close();
}

/** True if no client certificate is requested: with other certificates, the engine forgets to request them. */
function asksNobody({ clientCa }: TlsMaterial): boolean {
  return clientCa === "";
}

/** Rejects if another socket has one of the configuration's UDP ports. `bound` as in `quicPlansOf`. */
export async function probeQuic(config: Config, bound: readonly BoundListener[]): Promise<void> {
  for (const plan of quicPlansOf(config, bound)) {
    await probe(plan).catch((error: unknown) => {
      throw bindError(plan, error);
    });
  }
}

/**
 * Calls `bind`, and again while the kernel chose a TCP port for HTTP/3 whose UDP port is in use. Rejects if a configured UDP
 * port is in use.
 */
export async function bindBesideQuic(
  config: Config,
  bind: () => Promise<readonly BoundListener[]> | readonly BoundListener[],
): Promise<readonly BoundListener[]> {
  const isChosen = quicEndpointsOf(config).some(({ port }) => port === 0);
  for (let tries = isChosen ? MAX_PORT_TRIES : 1; ; tries--) {
    const bound = await bind();
    try {
      await probeQuic(config, bound);
      return bound;
    } catch (error) {
      if (tries === 1) throw error;
    }
  }
}

/** All HTTP/3 endpoints of a gateway. */
export class QuicListeners {
  readonly #shared: ListenerShared;
  readonly #metrics: QuicMetrics;
  readonly #reusePort: boolean;
  readonly #onChange: () => void;
  #telling: ReturnType<typeof setInterval> | undefined;
  #bound: readonly QuicListener[] = [];
  /** Endpoints that a reload removed, and that still have connections. */
  readonly #leaving = new Set<QuicListener>();

  /** `reusePort`: other processes bind the same ports. `onChange` is called when an endpoint was bound or closed. */
  // oxlint-disable-next-line eslint/max-params -- the last one is for the workers of a supervisor
  constructor(shared: ListenerShared, metrics: QuicMetrics, reusePort: boolean, onChange: () => void = () => {}) {
    this.#shared = shared;
    this.#metrics = metrics;
    this.#reusePort = reusePort;
    this.#onChange = onChange;
  }

  get connections(): number {
    return [...this.#bound, ...this.#leaving].reduce((sum, listener) => sum + listener.connections, 0);
  }

  /** Reports the endpoints' counters to telemetry. */
  tell(): void {
    for (const listener of this.#bound) this.#tellOf(listener);
  }

  #tellOf(listener: QuicListener): void {
    const { figures } = listener;
    if (figures !== undefined) this.#metrics.tell(listener, figures);
  }

  /** The fields by which the TCP listener at `port` announces HTTP/3; empty without an endpoint for it. */
  announcement({ port, scheme }: BoundListener): Fields {
    const own = this.#bound.find(({ plan }) => plan.tcpPorts.includes(port));
    const found = own ?? this.#bound.find(({ plan }) => plan.isForTls && scheme === "https");
    return found === undefined ? "" : altSvc(found.port);
  }

  /**
   * Serves by these plans from now on. `materials` are their certificates, in the same order. Unchanged endpoints stay
   * bound. Removed ones end their connections within `graceMs` milliseconds. Rejects if an endpoint cannot be bound or
   * a certificate cannot be used; then nothing has changed.
   */
  async serve(
    plans: readonly QuicPlan[],
    materials: readonly (TlsMaterial | undefined)[],
    graceMs: number,
  ): Promise<void> {
    const before = this.#bound;
    const shown: (() => void)[] = [];
    const added: QuicListener[] = [];
    const next: QuicListener[] = [];
    try {
      for (const [i, plan] of plans.entries()) {
        const material = materials[i];
        if (material === undefined) throw new Error("Cannot serve HTTP/3: there is no certificate");
        const kept = before.find((listener) => isDeepStrictEqual(listener.plan, plan));
        const isSame = isDeepStrictEqual(material, kept?.material);
        if (kept !== undefined && (isSame || (asksNobody(material) && asksNobody(kept.material)))) {
          next.push(kept);
          if (!isSame) shown.push(() => kept.show(material));
        } else next.push(await this.#bind(plan, material, added));
      }
      for (const show of shown) show();
    } catch (error) {
      await Promise.all(added.map((listener) => listener.close(0)));
      throw error;
    }
    // The last count of the endpoints that are removed.
    this.tell();
    this.#bound = next;
    if (next.length > 0) this.#telling ??= setInterval(() => this.tell(), TELL_MS).unref();
    for (const listener of before) if (!next.includes(listener)) void this.#leave(listener, graceMs);
    if (added.length > 0) this.#onChange();
  }

  async #leave(listener: QuicListener, graceMs: number): Promise<void> {
    this.#leaving.add(listener);
    await listener.close(graceMs);
    this.#leaving.delete(listener);
    this.#onChange();
  }

  async close(graceMs: number): Promise<void> {
    clearInterval(this.#telling);
    await Promise.all([...this.#bound, ...this.#leaving].map((listener) => listener.close(graceMs)));
  }

  async #bind(plan: QuicPlan, material: TlsMaterial, added: QuicListener[]): Promise<QuicListener> {
    const listener = new QuicListener(plan, material, this.#shared);
    added.push(listener);
    const own = [...this.#bound, ...this.#leaving];
    await listener.bind(this.#reusePort || own.some(({ port }) => port === plan.port));
    return listener;
  }
}

/** Checks the certificates of HTTP/3. Throws an error that names the section if they cannot be used. */
export function checkQuicMaterial(config: Pick<Config, "quic" | "server" | "tls">): void {
  try {
    if (readQuicMaterial(config) === undefined && servesQuic(config)) readTlsMaterial(config);
  } catch (error) {
    throw new Error(`Cannot serve HTTP/3: ${messageOf(error)}`, { cause: error });
  }
}
