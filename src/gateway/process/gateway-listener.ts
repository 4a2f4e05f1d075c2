import { type Fields } from "../../lib/fields.ts";
import { Roster } from "../../lib/roster.ts";
import { type Exchange } from "../exchange.ts";
import { Http2ServerConnection } from "../http2/server-connection.ts";
import { type ClientPlace, type ServerConnection, type ServerHost } from "../server-host.ts";
import { type ConnectionMetrics, type Transport } from "../telemetry/connection-metrics.ts";
import { DEAF, listen, type Listener, type OnFault } from "../wire/tcp.ts";
import {
  type ClientSubject,
  type KeyPair,
  listenTls,
  type TlsListener,
  type TlsMaterial,
  type TlsPeer,
} from "../wire/tls.ts";
import { createTlsUpgrade, type TlsUpgrade } from "../wire/tls-upgrade.ts";
import { type ClientHello } from "../wire/client-hello.ts";
import { type Wire, type WireHandler } from "../wire/wire.ts";
import { Handshake } from "./handshake.ts";
import { Hello } from "./hello.ts";
import { type ClientPlaces, type Place } from "./client-places.ts";
import { bindError, type BoundListener, type ListenerPlan, placeOf } from "./listener-plan.ts";
import { type Entrance, type Phase } from "./phase.ts";
import { becomeHttp1, becomeHttp2, type Codec, FirstBytes, type Successor } from "./protocol.ts";
import { Proxied, type Unwrapped } from "./proxied.ts";
import { RefusedConnection } from "./refused-connection.ts";

/**
 * Milliseconds from the end of accepting until idle connections are closed: a client whose next request is on its way
 * gets its answer, which tells it that the connection closes.
 */
const QUIET_MS = 500;

/** What all listeners of a gateway share. */
export interface ListenerShared extends Omit<ServerHost, "scheme" | "closed" | "peerAddress"> {
  readonly places: ClientPlaces;
  readonly connections: ConnectionMetrics;
  /** Serves the gateway's own paths alone: the connection is over the limits. */
  readonly handleReserved: (exchange: Exchange) => void;
  readonly onFault: OnFault;
  /** What answers a challenge of TLS-ALPN-01 for a host name; undefined: there is no such challenge. */
  readonly challengePair: (hostname: string) => KeyPair | undefined;
}

/** RFC 8737 §4: nothing is said by this protocol, the handshake is all. */
const CHALLENGE_PROTOCOL = "acme-tls/1";

/** One port that clients connect to, and the connections that came by it. */
export class GatewayListener {
  readonly plan: ListenerPlan;
  readonly #shared: ListenerShared;
  readonly #transport: Transport;
  readonly #host: ServerHost;
  readonly #entrance: Entrance;
  /** What follows on connections of which there is nothing more to say: one for all of them. */
  readonly #plain: Successor;
  readonly #open = new Roster<ServerConnection>();
  #material: TlsMaterial | undefined;
  #bound: Listener | TlsListener | undefined;
  #upgrade: TlsUpgrade | undefined;
  #draining = false;
  #finished: Promise<void> | undefined;
  /** What its answers say of HTTP/3. */
  #announced: Fields = "";
  #emptied: (() => void) | undefined;

  private constructor(plan: ListenerPlan, shared: ListenerShared) {
    this.plan = plan;
    this.#shared = shared;
    this.#transport = plan.useTls ? "tls" : "tcp";
    const closed = (connection: ServerConnection): void => this.#closed(connection);
    this.#entrance = { wheel: shared.wheel, closed };
    this.#host = {
      ...shared,
      scheme: plan.useTls ? "https" : "http",
      peerAddress: undefined,
      draining: () => this.#draining || shared.draining(),
      gathers: true,
      handle: (exchange) => {
        exchange.addedFields = this.#announced;
        shared.handle(exchange);
      },
      closed,
    };
    this.#plain = this.#createSuccessor(this.#host);
  }

  /** Binds and serves. Rejects, with nothing bound, where that cannot be. `material` is what listeners with TLS show. */
  static async bind(
    plan: ListenerPlan,
    material: TlsMaterial | undefined,
    shared: ListenerShared,
  ): Promise<GatewayListener> {
    const listener = new GatewayListener(plan, shared);
    try {
      await listener.#bind(material);
    } catch (error) {
      throw bindError(plan, error);
    }
    return listener;
  }

  get place(): BoundListener {
    return { ...placeOf(this.plan), port: this.#bound?.port ?? this.plan.port };
  }

  get connections(): number {
    return this.#open.size;
  }

  /** True where this very socket can serve by `plan` and `material`: all but certificates is fixed when it is bound. */
  serves(plan: ListenerPlan, material: TlsMaterial | undefined): boolean {
    const { place } = this;
    const isSame =
      plan.address === place.address &&
      plan.port === place.port &&
      plan.useTls === this.plan.useTls &&
      plan.h2cOnly === this.plan.h2cOnly &&
      plan.proxyProtocol === this.plan.proxyProtocol &&
      plan.deferAccept === this.plan.deferAccept &&
      plan.readsHello === this.plan.readsHello;
    return isSame && (!plan.useTls || asksAlike(material, this.#material));
  }

  /** Has its answers carry these fields. */
  announce(fields: Fields): void {
    this.#announced = fields;
  }

  /** Shows other certificates to those who connect from now on. Throws where one cannot be used. */
  show(material: TlsMaterial): void {
    if (!this.plan.useTls) return;
    if (this.#upgrade !== undefined) this.#upgrade = this.#createUpgrade(material);
    else if (this.#bound !== undefined && "show" in this.#bound) this.#bound.show(material);
    this.#material = material;
  }

  /** Takes no more connections, lets what is in flight end within `graceMs`, then cuts what is left. */
  async close(graceMs: number): Promise<void> {
    this.#draining = true;
    if (graceMs > 0) {
      const began = performance.now();
      await (this.#finished ??= this.#bound?.finish());
      await this.#empty(Math.min(graceMs, began + QUIET_MS - performance.now()));
      for (const connection of this.#open.all()) connection.drain();
      await this.#empty(began + graceMs - performance.now());
    } else this.#bound?.stop();
    for (const connection of this.#open.all()) connection.cutOff();
  }

  /** Waits until there is no connection, `ms` at most. */
  async #empty(ms: number): Promise<void> {
    if (this.#open.size === 0 || ms <= 0) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#emptied = resolve;
    const timer = setTimeout(resolve, ms);
    await promise;
    clearTimeout(timer);
  }

  async #bind(material: TlsMaterial | undefined): Promise<void> {
    const { address, port, useTls, proxyProtocol, readsHello, deferAccept } = this.plan;
    const { onFault } = this.#shared;
    const bound = { address, port, reusePort: true, deferAccept, onFault };
    this.#material = material;
    if (!useTls) {
      this.#bound = listen({ ...bound, accept: (wire) => this.#accept(wire) });
      return;
    }
    if (material === undefined) throw new Error("Cannot listen with TLS: there is no certificate");
    if (proxyProtocol || readsHello) {
      this.#upgrade = this.#createUpgrade(material);
      this.#bound = listen({ ...bound, accept: (wire) => this.#accept(wire) });
      return;
    }
    this.#bound = await listenTls({
      ...bound,
      material,
      protocols: this.#protocols(),
      accept: (wire) => {
        const place = this.#admit(wire);
        return place && this.#entered(this.#beginHandshake(wire, undefined), place);
      },
    });
  }

  #protocols(): readonly string[] {
    return this.plan.h2cOnly ? ["h2"] : ["h2", "http/1.1"];
  }

  #createUpgrade(material: TlsMaterial): TlsUpgrade {
    return createTlsUpgrade(material, this.#protocols(), this.#shared.onFault);
  }

  #accept(wire: Wire): WireHandler {
    const place = this.#admit(wire);
    if (place !== undefined) {
      if (this.plan.proxyProtocol) return this.#beginProxied(wire, place);
      if (this.plan.readsHello) return this.#beginHello(wire, place, undefined);
      return this.#beginFirstBytes(wire, this.#hostFor(place), place);
    }
    if (!this.plan.useTls) return new RefusedConnection(wire, this.#shared.wheel);
    // What comes behind its PROXY header is TLS, in which nothing can be said yet.
    wire.terminate();
    return DEAF;
  }

  #admit(wire: Wire): Place | undefined {
    const { places, connections } = this.#shared;
    // Behind a proxy the address is known when its header has come.
    const place = places.admit(this.plan.proxyProtocol ? "" : (wire.remoteAddress ?? ""), this.#transport);
    if (place?.isReserved === false) connections.accepted(this.#transport);
    else connections.refused(this.#transport);
    return place;
  }

  #beginProxied(wire: Wire, place: Place): WireHandler {
    const ms = this.#shared.settings().headerMs;
    const { useTls } = this.plan;
    const whole = (proxied: Proxied, header: Unwrapped): void => this.#unwrap(proxied, place, header);
    return this.#entered(new Proxied(wire, this.#entrance, { ms, useTls, whole }), place);
  }

  /** What came behind a PROXY header is the beginning of a connection as any other. */
  #unwrap(proxied: Proxied, place: Place, { address, rest }: Unwrapped): void {
    const { wire } = proxied;
    const wasReserved = place.isReserved;
    const isIn = this.#shared.places.identify(place, address ?? "");
    if (place.isReserved !== wasReserved || !isIn) this.#shared.connections.refused(this.#transport);
    if (!isIn) {
      proxied.refuse();
      return;
    }
    if (this.#upgrade !== undefined && !this.plan.readsHello) {
      this.#beginTls(this.#upgrade, proxied, { bytes: rest, place, address });
      return;
    }
    const next = this.plan.readsHello
      ? this.#beginHello(wire, place, address)
      : this.#beginFirstBytes(wire, this.#hostFor(place, address), place);
    wire.data = next;
    proxied.leave();
    if (rest.length > 0) next.onData(rest);
  }

  /** Waits for what the client asks for: the certificate that answers a challenge is for its directory alone. */
  #beginHello(wire: Wire, place: Place, address: string | undefined): WireHandler {
    const ms = this.#shared.settings().headerMs;
    const whole = (phase: Hello, hello: ClientHello | undefined, bytes: Buffer): void => {
      const upgrade = this.#challengeUpgrade(hello) ?? this.#upgrade;
      if (upgrade === undefined) phase.cutOff();
      else this.#beginTls(upgrade, phase, { bytes, place, address });
    };
    return this.#entered(new Hello(wire, this.#entrance, { ms, whole }), place);
  }

  #challengeUpgrade(hello: ClientHello | undefined): TlsUpgrade | undefined {
    if (hello?.protocols.includes(CHALLENGE_PROTOCOL) !== true) return undefined;
    const pair = this.#shared.challengePair(hello.serverName);
    if (pair === undefined) return undefined;
    const material = { fallback: pair, named: [], clientCa: "", clientCertRequired: false };
    return createTlsUpgrade(material, [CHALLENGE_PROTOCOL], this.#shared.onFault);
  }

  /** A handshake takes the place of `phase`, which has read its first bytes. */
  #beginTls(
    upgrade: TlsUpgrade,
    phase: Phase,
    { bytes, place, address }: { bytes: Buffer; place: Place; address: string | undefined },
  ): void {
    upgrade.begin(phase.wire, bytes, (inner) => {
      const handshake = this.#entered(this.#beginHandshake(inner, address), place);
      phase.leave();
      return handshake;
    });
  }

  #beginHandshake(wire: Wire, address: string | undefined): Handshake {
    const ms = this.#shared.settings().headerMs;
    const { connections } = this.#shared;
    const handshake: Handshake = new Handshake(wire, this.#entrance, ms, {
      secured: (peer) => {
        connections.handshake(peer.version, peer.resumed);
        this.#secured(handshake, address, peer);
      },
      failed: () => connections.handshakeFailed(),
    });
    return handshake;
  }

  #secured(handshake: Handshake, address: string | undefined, peer: TlsPeer): void {
    if (peer.protocol === CHALLENGE_PROTOCOL) {
      handshake.wire.shutdown();
      handshake.wire.close();
      return;
    }
    const successor = this.#successor(this.#hostFor(handshake.place, address, peer.clientSubject));
    // RFC 9113 §3.3: HTTP/2 over TLS is agreed on by ALPN alone.
    if (peer.protocol === "h2") becomeHttp2(handshake, successor);
    else becomeHttp1(handshake, successor);
  }

  #beginFirstBytes(wire: Wire, host: ServerHost, place: Place): WireHandler {
    return this.#entered(new FirstBytes(wire, this.#entrance, this.#successor(host)), place);
  }

  #successor(host: ServerHost): Successor {
    return host === this.#host ? this.#plain : this.#createSuccessor(host);
  }

  #createSuccessor(host: ServerHost): Successor {
    return {
      host,
      h2Only: this.plan.h2cOnly,
      become: (phase, connection) => {
        phase.wire.data = this.#succeeded(phase, connection);
        this.#shared.connections.speaks(connection instanceof Http2ServerConnection ? "http2" : "http1");
      },
    };
  }

  /** The host of one connection, where there is something to say of it that its wire does not know. */
  #hostFor(place: ClientPlace | undefined, peerAddress?: string, clientSubject?: ClientSubject): ServerHost {
    const isReserved = place?.isReserved === true;
    if (peerAddress === undefined && clientSubject === undefined && !isReserved) return this.#host;
    const host = isReserved ? reservedHost(this.#host, this.#shared, place) : this.#host;
    return { ...withClient(host, clientSubject), peerAddress };
  }

  /** A phase or codec that takes over enters before the one before it leaves, so that there is no moment without any. */
  #entered<T extends Codec>(connection: T, place: Place): T {
    this.#shared.places.enter(place, connection);
    this.#opened(connection);
    return connection;
  }

  #succeeded(phase: Phase, connection: Codec): Codec {
    this.#shared.places.succeed(phase, connection);
    this.#opened(connection);
    return connection;
  }

  #opened(connection: Codec): void {
    this.#open.add(connection);
    this.#shared.connections.entered(this.#transport);
  }

  #closed(connection: ServerConnection): void {
    if (!this.#open.delete(connection)) return;
    this.#shared.places.leave(connection);
    this.#shared.connections.left(this.#transport);
    if (this.#open.size === 0) this.#emptied?.();
  }
}

/** Client certificates are asked for in the same way: what a socket that listens cannot change. */
function asksAlike(a: TlsMaterial | undefined, b: TlsMaterial | undefined): boolean {
  return (a?.clientCa === "") === (b?.clientCa === "") && a?.clientCertRequired === b?.clientCertRequired;
}

/** The host of a connection that is over the limits: it answers one request, and that only for a path of the gateway's own. */
export function reservedHost(host: ServerHost, shared: ListenerShared, place: ClientPlace): ServerHost {
  return {
    ...host,
    draining: () => true,
    handle(exchange) {
      place.holder?.drain();
      shared.handleReserved(exchange);
    },
  };
}

/** The host of connections by clients whose certificate has this subject. */
export function withClient(host: ServerHost, clientSubject: ClientSubject | undefined): ServerHost {
  if (clientSubject === undefined) return host;
  const fields = clientFields(clientSubject);
  return {
    ...host,
    handle(exchange: Exchange) {
      exchange.head.fields += fields;
      host.handle(exchange);
    },
  };
}

/** What an upstream is told of the client's certificate; clients cannot send these fields themselves. */
function clientFields(client: ClientSubject): string {
  if (client === "none") return "X-Client-Cert-Verified: NONE\r\n";
  return `X-Client-Cert-Verified: SUCCESS\r\nX-Client-Cert-Subject: ${client.subject}\r\n`;
}
