import { isDeepStrictEqual } from "node:util";
import { type Fields } from "../../../lib/http/fields.ts";
import { MemberList } from "../../../lib/member-list.ts";
import { within } from "../../../lib/time/within.ts";
import { type Exchange } from "../../exchange/exchange.ts";
import { type ConnectionPermit, type ServerConnection, type ServerHost } from "../../exchange/server-host.ts";
import { type Transport } from "../../telemetry/metrics/metrics.ts";
import { DEAF, listen, type Listener } from "../../wire/tcp.ts";
import { listenTls, type TlsListener, type TlsMaterial, type TlsPeer } from "../../wire/tls.ts";
import { type TlsUpgrade } from "../../wire/tls-upgrade.ts";
import { type ClientHello } from "../../wire/client-hello.ts";
import { type Wire, type WireHandler } from "../../wire/wire.ts";
import { type ListenerShared, reservedHost, withClient } from "./connection-hosts.ts";
import { Handshake } from "./handshake.ts";
import { Hello } from "./hello.ts";
import { type Permit } from "../connections/connection-limiter.ts";
import { bindError, type BoundListener, type ListenerPlan, endpointOf } from "./listener-plan.ts";
import { type Entrance, type Phase } from "../connections/phase.ts";
import { becomeHttp1, becomeHttp2, type Codec, FirstBytes, prepareHttp2, type Successor } from "./protocol.ts";
import { Proxied, type Unwrapped } from "./proxied.ts";
import { RefusedConnection } from "../connections/refused-connection.ts";
import { type ConnectionIdentity, NO_IDENTITY, TlsIdentities } from "./tls-identities.ts";
import { CHALLENGE_PROTOCOL, TlsUpgrades } from "./tls-upgrades.ts";

/**
 * Milliseconds from the end of accepting until idle connections are closed: a client whose next request is on its way
 * gets its response, which tells it that the connection closes.
 */
const QUIET_MS = 500;

/** The client of a TLS connection, as far as it is known before the handshake. */
interface Origin {
  /** Undefined: the address that the wire reports. */
  readonly address: string | undefined;
  /** The host name that selected the connection's rules, in lower case; undefined with one rule for all. */
  readonly asked?: string | undefined;
}

const NOWHERE: Origin = { address: undefined };

/** One port that clients connect to, and its connections. */
export class GatewayListener {
  readonly plan: ListenerPlan;
  readonly #shared: ListenerShared;
  readonly #transport: Transport;
  readonly #host: ServerHost;
  readonly #entrance: Entrance;
  /** The successor for connections with the listener's own host: one for all of them. */
  readonly #plain: Successor;
  readonly #open = new MemberList<ServerConnection>();
  #material: TlsMaterial | undefined;
  /** Undefined: every connection may carry every request. */
  #identities: TlsIdentities | undefined;
  #bound: Listener | TlsListener | undefined;
  /** Undefined if the TLS listener does all handshakes. */
  #upgrades: TlsUpgrades | undefined;
  #draining = false;
  #finished: Promise<void> | undefined;
  /** The fields of its responses that announce HTTP/3. */
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
      handle: (exchange) => this.#handle(exchange, NO_IDENTITY),
      closed,
    };
    this.#plain = this.#createSuccessor(this.#host);
  }

  /** Binds and serves. `material`: certificates of a TLS listener. Rejects if it fails; then nothing is bound. */
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

  get endpoint(): BoundListener {
    return { ...endpointOf(this.plan), port: this.#bound?.port ?? this.plan.port };
  }

  get connections(): number {
    return this.#open.size;
  }

  /** True if this socket can serve by `plan` and `material`. All but certificates is fixed at its binding. */
  serves(plan: ListenerPlan, material: TlsMaterial | undefined): boolean {
    const { endpoint } = this;
    const isSame =
      plan.address === endpoint.address &&
      plan.port === endpoint.port &&
      plan.useTls === this.plan.useTls &&
      plan.h2cOnly === this.plan.h2cOnly &&
      plan.proxyProtocol === this.plan.proxyProtocol &&
      plan.deferAccept === this.plan.deferAccept &&
      plan.readsHello === this.plan.readsHello;
    // If the gateway begins the handshake itself, it can request client certificates in any way.
    const begins = plan.readsHello || plan.proxyProtocol;
    return isSame && (!plan.useTls || begins || asksAlike(material, this.#material));
  }

  announce(fields: Fields): void {
    this.#announced = fields;
  }

  /**
   * Shows other certificates to new connections, and applies their rules to all requests. Undefined: a listener without
   * TLS has no rules any more. Throws if a certificate cannot be used.
   */
  show(material: TlsMaterial | undefined): void {
    if (isDeepStrictEqual(material, this.#material)) return;
    if (material === undefined) {
      if (this.plan.useTls) return;
      this.#material = undefined;
      this.#identities = undefined;
      return;
    }
    const identities = this.#identitiesOf(material);
    if (this.#upgrades !== undefined) this.#upgrades = this.#upgradesOf(material, identities);
    else if (this.#bound !== undefined && "show" in this.#bound) this.#bound.show(material);
    this.#material = material;
    this.#identities = identities;
  }

  #identitiesOf(material: TlsMaterial): TlsIdentities {
    return new TlsIdentities(material, this.plan.useTls ? "by name" : "none");
  }

  #handle(exchange: Exchange, identity: ConnectionIdentity): void {
    const identities = this.#identities;
    const { authority } = exchange.head;
    if (identities?.allows(authority, identity) === false) {
      this.#shared.handleMisdirected(exchange);
      return;
    }
    // HTTP/3 has only the rule that is common to all hosts: the QUIC engine has one rule for each endpoint.
    if (identities === undefined || identities.isCommon(authority)) exchange.addedFields = this.#announced;
    this.#shared.handle(exchange);
  }

  /** Accepts no more connections, lets exchanges in flight end within `graceMs` milliseconds, then closes the rest. */
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

  /** Waits until there is no connection, for `ms` milliseconds at most. */
  async #empty(ms: number): Promise<void> {
    if (this.#open.size === 0 || ms <= 0) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#emptied = resolve;
    await within(ms, promise);
  }

  async #bind(material: TlsMaterial | undefined): Promise<void> {
    const { address, port, useTls, proxyProtocol, readsHello, deferAccept } = this.plan;
    const { onError } = this.#shared;
    const bound = { address, port, reusePort: true, deferAccept, onError };
    this.#material = material;
    if (material !== undefined) this.#identities = this.#identitiesOf(material);
    if (useTls || this.plan.h2cOnly) prepareHttp2();
    if (!useTls) {
      this.#bound = listen({ ...bound, accept: (wire) => this.#accept(wire) });
      return;
    }
    const identities = this.#identities;
    if (material === undefined || identities === undefined)
      throw new Error("Cannot listen with TLS: there is no certificate");
    if (proxyProtocol || readsHello) {
      this.#upgrades = this.#upgradesOf(material, identities);
      this.#bound = listen({ ...bound, accept: (wire) => this.#accept(wire) });
      return;
    }
    this.#bound = await listenTls({
      ...bound,
      material,
      protocols: this.#protocols(),
      accept: (wire) => {
        const permit = this.#admit(wire);
        return permit && this.#entered(this.#beginHandshake(wire, NOWHERE), permit);
      },
    });
  }

  #protocols(): readonly string[] {
    return this.plan.h2cOnly ? ["h2"] : ["h2", "http/1.1"];
  }

  #upgradesOf(material: TlsMaterial, identities: TlsIdentities): TlsUpgrades {
    const { challengePair, onError } = this.#shared;
    return new TlsUpgrades(material, identities, { protocols: this.#protocols(), challengePair, onError });
  }

  #accept(wire: Wire): WireHandler {
    const permit = this.#admit(wire);
    if (permit !== undefined) {
      if (this.plan.proxyProtocol) return this.#beginProxied(wire, permit);
      if (this.plan.readsHello) return this.#beginHello(wire, permit, undefined);
      return this.#beginFirstBytes(wire, this.#hostFor(permit), permit);
    }
    if (!this.plan.useTls) return new RefusedConnection(wire, this.#shared.wheel);
    // The bytes after its PROXY header are TLS, so a refusal in plain text is not possible.
    wire.terminate();
    return DEAF;
  }

  #admit(wire: Wire): Permit | undefined {
    const { limiter, counts } = this.#shared;
    // Behind a proxy, the address is known when the PROXY header has arrived.
    const permit = limiter.admit(this.plan.proxyProtocol ? "" : (wire.remoteAddress ?? ""), this.#transport);
    if (permit?.isReserved === false) counts.add("connections", 1, this.#transport);
    else counts.add("connectionsRefused", 1, this.#transport);
    return permit;
  }

  #beginProxied(wire: Wire, permit: Permit): WireHandler {
    const ms = this.#shared.settings().headerMs;
    const { useTls } = this.plan;
    const whole = (proxied: Proxied, header: Unwrapped): void => this.#unwrap(proxied, permit, header);
    return this.#entered(new Proxied(wire, this.#entrance, { ms, useTls, whole }), permit);
  }

  /** The bytes after a PROXY header begin a connection like any other. */
  #unwrap(proxied: Proxied, permit: Permit, { address, rest }: Unwrapped): void {
    const { wire } = proxied;
    const wasReserved = permit.isReserved;
    const isIn = this.#shared.limiter.identify(permit, address ?? "");
    if (permit.isReserved !== wasReserved || !isIn) this.#shared.counts.add("connectionsRefused", 1, this.#transport);
    if (!isIn) {
      proxied.refuse();
      return;
    }
    if (this.plan.useTls && !this.plan.readsHello) {
      const upgrade = this.#upgrades?.ofName("");
      if (upgrade === undefined) proxied.refuse();
      else this.#beginTls(upgrade, proxied, { bytes: rest, permit, address });
      return;
    }
    const next = this.plan.readsHello
      ? this.#beginHello(wire, permit, address)
      : this.#beginFirstBytes(wire, this.#hostFor(permit, address), permit);
    wire.data = next;
    proxied.leave();
    if (rest.length > 0) next.onData(rest);
  }

  #beginHello(wire: Wire, permit: Permit, address: string | undefined): WireHandler {
    const ms = this.#shared.settings().headerMs;
    const whole = (phase: Hello, hello: ClientHello | undefined, bytes: Buffer): void => {
      const upgrade = this.#upgrades?.ofHello(hello);
      if (upgrade === undefined) phase.cutOff();
      else this.#beginTls(upgrade, phase, { bytes, permit, address, asked: hello?.serverName ?? "" });
    };
    return this.#entered(new Hello(wire, this.#entrance, { ms, whole }), permit);
  }

  /** Replaces `phase`, which has read the first bytes, with a handshake. */
  #beginTls(
    upgrade: TlsUpgrade,
    phase: Phase,
    { bytes, permit, ...from }: { bytes: Buffer; permit: Permit } & Origin,
  ): void {
    upgrade.begin(phase.wire, bytes, (inner) => {
      const handshake = this.#entered(this.#beginHandshake(inner, from), permit);
      phase.leave();
      return handshake;
    });
  }

  #beginHandshake(wire: Wire, from: Origin): Handshake {
    const ms = this.#shared.settings().headerMs;
    const { counts } = this.#shared;
    const handshake: Handshake = new Handshake(wire, this.#entrance, ms, {
      secured: (peer) => {
        counts.add(
          "tlsHandshakes",
          1,
          peer.version === "TLSv1.2" ? "TLSv1.2" : "TLSv1.3",
          peer.resumed ? "true" : "false",
        );
        this.#secured(handshake, from, peer);
      },
      failed: () => counts.add("tlsFailures", 1),
    });
    return handshake;
  }

  #secured(handshake: Handshake, { address, asked }: Origin, peer: TlsPeer): void {
    // The name that the gateway read selected the rules for the client's certificate: the TLS library must have read
    // the same name.
    const isOther = asked !== undefined && asked !== peer.serverName.toLowerCase();
    if (peer.protocol === CHALLENGE_PROTOCOL || isOther) {
      handshake.wire.shutdown();
      handshake.wire.close();
      return;
    }
    const successor = this.#successor(this.#hostFor(handshake.permit, address, peer));
    // RFC 9113 §3.3: over TLS, only ALPN selects HTTP/2.
    if (peer.protocol === "h2") becomeHttp2(handshake, successor);
    else becomeHttp1(handshake, successor);
  }

  #beginFirstBytes(wire: Wire, host: ServerHost, permit: Permit): WireHandler {
    return this.#entered(new FirstBytes(wire, this.#entrance, this.#successor(host)), permit);
  }

  #successor(host: ServerHost): Successor {
    return host === this.#host ? this.#plain : this.#createSuccessor(host);
  }

  #createSuccessor(host: ServerHost): Successor {
    return {
      host,
      h2Only: this.plan.h2cOnly,
      become: (phase, connection, protocol) => {
        phase.wire.data = this.#succeeded(phase, connection);
        this.#shared.counts.add("connectionProtocols", 1, protocol);
      },
    };
  }

  /** A connection's host: the listener's, unless it has a reserved permit, an identity or an unknown address. */
  #hostFor(permit: ConnectionPermit | undefined, peerAddress?: string, peer?: TlsPeer): ServerHost {
    const isReserved = permit?.isReserved === true;
    const identity = this.#identityOf(peer);
    if (peerAddress === undefined && identity === undefined && !isReserved) return this.#host;
    const base =
      identity === undefined
        ? this.#host
        : { ...this.#host, handle: (exchange: Exchange) => this.#handle(exchange, identity) };
    const host = isReserved ? reservedHost(base, this.#shared, permit) : base;
    return { ...withClient(host, peer?.clientSubject), peerAddress };
  }

  /** Undefined if no request is judged by it. */
  #identityOf(peer: TlsPeer | undefined): ConnectionIdentity | undefined {
    if (peer === undefined || this.#identities === undefined) return undefined;
    const { serverName, clientSubject } = peer;
    if (this.#identities.isUniform && clientSubject === undefined) return undefined;
    return { serverName: serverName.toLowerCase(), isVerified: typeof clientSubject === "object" };
  }

  /** A phase or codec enters before the one that it replaces leaves, so that the connection always counts. */
  #entered<T extends Codec>(connection: T, permit: Permit): T {
    this.#shared.limiter.enter(permit, connection);
    this.#opened(connection);
    return connection;
  }

  #succeeded(phase: Phase, connection: Codec): Codec {
    this.#shared.limiter.succeed(phase, connection);
    this.#opened(connection);
    return connection;
  }

  #opened(connection: Codec): void {
    this.#open.add(connection);
    this.#shared.counts.add("connectionsOpen", 1, this.#transport);
  }

  #closed(connection: ServerConnection): void {
    if (!this.#open.delete(connection)) return;
    this.#shared.limiter.leave(connection);
    this.#shared.counts.add("connectionsOpen", -1, this.#transport);
    if (this.#open.size === 0) this.#emptied?.();
  }
}

/** True if both request client certificates in the same way: a listening socket cannot change that. */
function asksAlike(a: TlsMaterial | undefined, b: TlsMaterial | undefined): boolean {
  return (a?.clientCa === "") === (b?.clientCa === "") && a?.clientCertRequired === b?.clientCertRequired;
}
