import { createPrivateKey } from "node:crypto";
import { isIPv6 } from "node:net";
import { type HandshakeInfo, type Identity, type ListenOptions, type QuicEndpoint, type QuicSession } from "node:quic";
import { type ServerConnection, type ServerHost } from "../exchange/server-host.ts";
import { certificateSubject } from "../wire/certificate-subject.ts";
import { type ClientSubject, type KeyPair, type TlsMaterial } from "../wire/tls.ts";
import { within } from "../../lib/time/within.ts";
import { loadQuic } from "./engine.ts";
import { prepareSocket } from "./engine-socket.ts";
import { createCounters, type QuicFigures } from "./figures.ts";
import * as codes from "./codes.ts";
import { AwaitedHeads } from "./request-stream.ts";
import { Http3ServerConnection } from "./server-session.ts";

/**
 * QUIC handshakes in progress in one worker. A further one ends the oldest. @operator A further one ends the oldest,
 * because the source address of a first packet can be forged. A client completes its handshake within a few round trips,
 * and a forged one only waits for its timeout of 10 s: if further ones were refused, 100 packets a second would keep all
 * clients out. The engine's work for each packet grows with their number.
 */
const MAX_HANDSHAKES = 512;
/**
 * Bytes of request body that a stream may send at a time, and the minimum and maximum for all streams of a connection.
 * @bound
 */
const STREAM_WINDOW_BYTES = 262_144;
const CONNECTION_WINDOW_BYTES = 1_048_576;
/** Bytes in flight on control and QPACK streams (RFC 9114 §6.2 requires at least 1024). */
const UNI_WINDOW_BYTES = 16_384;
/**
 * Fields of one head that the engine decodes beside those that a request may have: the pseudo-header fields, of which a
 * valid head has five at most, and one field that shows that a head is too long. One byte of a client can stand for a
 * field of 4 KiB in the dynamic table of QPACK. The limit bounds the memory of a head before it is rejected.
 */
const FURTHER_FIELDS = 6;
/**
 * Milliseconds that a stop waits for the engine to end its connections. The engine ends a handshake only after its timeout of
 * 10 s, so any client could delay a stop by 10 s.
 */
const CLOSE_MS = 500;
/**
 * Milliseconds of silence after which the engine sends a PING; less if half of the idle timeout is less. RFC 9114 §5.1
 * expects the client to send PINGs while it waits for a response. Without PINGs, the idle timeout would end such a connection.
 * @bound
 */
const PING_MS = 5000;
/** RFC 9000 §20.1 */
const CONNECTION_REFUSED = 0x2n;

export interface QuicSettings {
  readonly maxIdleTimeoutMs: number;
  readonly maxStreamsBidi: number;
  readonly maxStreamsUni: number;
}

/** The settings of an HTTP/3 endpoint (RFC 9114), and the functions that it calls. */
export interface Http3Options {
  readonly address: string;
  /**
   * UDP; 0 takes a free port. Several processes can bind the same port; the kernel sends each client's packets to one
   * of them.
   */
  readonly port: number;
  readonly material: TlsMaterial;
  readonly quic: QuicSettings;
  /** The maximum size and number of a request's header fields. The engine gets them once. */
  readonly maxHeaderBytes: number;
  readonly maxHeaderCount: number;
  /**
   * Creates the host of a connection from this address, by its client certificate (undefined if none was requested).
   * Returns undefined if no permit is free.
   */
  admit(peerAddress: string, clientSubject: ClientSubject | undefined, serverName: string): Admitted | undefined;
  readonly onError: (error: unknown) => void;
}

/** An accepted connection. The host's `closed` is called once for each `entered`. */
export interface Admitted {
  readonly host: ServerHost;
  entered(connection: ServerConnection): void;
}

/** A UDP port that serves HTTP/3. */
export type Http3Endpoint = Pick<Http3Server, "port" | "figures" | "show" | "refuse" | "close">;

/** Binds a UDP port and serves HTTP/3 on it. Rejects if the port cannot be bound or a certificate is not valid. */
export async function startHttp3(options: Http3Options): Promise<Http3Endpoint> {
  const quic = await loadQuic();
  const server = new Http3Server(options);
  const endpoint = await quic.listen((session) => server.onSession(session), listenOptions(options));
  try {
    server.bound(endpoint);
  } catch (error) {
    await server.close();
    throw error;
  }
  return server;
}

class Http3Server {
  readonly #options: Http3Options;
  readonly #counters = createCounters();
  #endpoint: QuicEndpoint | undefined;
  /** The sessions whose handshake is in progress, the oldest first. */
  readonly #handshakes = new Set<QuicSession>();
  readonly #connections = new Set<Http3ServerConnection>();
  readonly #heads = new AwaitedHeads();
  #draining = false;
  port = 0;

  constructor(options: Http3Options) {
    this.#options = options;
  }

  bound(endpoint: QuicEndpoint): void {
    this.#endpoint = endpoint;
    const chosen = endpoint.address?.port;
    endpoint.closed.catch((error: unknown) => {
      if (!this.#draining) this.#options.onError(error);
    });
    if (chosen === undefined) throw new Error(`Cannot listen on ${this.#options.address}: UDP cannot be bound there`);
    this.port = this.#options.port === 0 ? chosen : this.#options.port;
    prepareSocket(chosen, this.#options);
  }

  get figures(): QuicFigures {
    const stats = this.#endpoint?.stats;
    return {
      ...this.#counters,
      connectionsOpen: this.#connections.size,
      bytesIn: Number(stats?.bytesReceived ?? 0n),
      bytesOut: Number(stats?.bytesSent ?? 0n),
      packetsIn: Number(stats?.packetsReceived ?? 0n),
      packetsOut: Number(stats?.packetsSent ?? 0n),
    };
  }

  /** Uses other certificates for new connections. Throws if one is not valid. */
  show(material: TlsMaterial): void {
    this.#endpoint?.setSNIContexts(identities(material), { replace: true });
  }

  /** Accepts no more connections. Open ones stay. */
  refuse(): void {
    this.#draining = true;
    if (this.#endpoint !== undefined) this.#endpoint.busy = true;
  }

  /** Closes at once, with all open connections. */
  async close(): Promise<void> {
    this.#draining = true;
    // The engine by itself tells clients nothing: they would wait for their own timeouts.
    for (const connection of this.#connections) connection.cutOff();
    const destroyed = this.#endpoint?.destroy() ?? Promise.resolve();
    try {
      await within(CLOSE_MS, destroyed, () => {});
    } catch (error) {
      this.#options.onError(error);
    }
  }

  /** The first packet of a client has arrived. */
  onSession(session: QuicSession): void {
    // With a handler here, the engine reports a broken connection nowhere else.
    session.onerror = ignore; // oxlint-disable-line unicorn/prefer-add-event-listener -- it is not an event target
    const [oldest] = this.#handshakes;
    if (oldest !== undefined && this.#handshakes.size >= MAX_HANDSHAKES) {
      this.#handshakes.delete(oldest);
      this.#refuse(oldest);
    }
    this.#handshakes.add(session);
    let connection: Http3ServerConnection | undefined;
    session.onhandshake = (info) => {
      // A session that was refused meanwhile has ended.
      if (!this.#handshakes.delete(session)) return;
      connection = this.#enter(session, info);
    };
    session.onstream = (stream) => {
      if (connection !== undefined) connection.onStream(stream);
      else stream.resetStream(codes.REQUEST_CANCELLED);
    };
    const ended = (): void => {
      if (connection !== undefined) this.#leave(session, connection);
      else if (this.#handshakes.delete(session)) this.#counters.handshakeFailures++;
    };
    session.closed.then(ended, ended);
  }

  #refuse(session: QuicSession): void {
    this.#counters.connectionsRefused++;
    session.destroy(undefined, { code: CONNECTION_REFUSED, type: "transport" });
  }

  #enter(session: QuicSession, info: HandshakeInfo): Http3ServerConnection | undefined {
    const { address: localAddress, port: localPort, material, quic, onError } = this.#options;
    const peerAddress = info.remote?.address ?? "";
    const asksForCertificate = material.clientCa !== "" && material.clientCertRequired;
    // The engine itself ends such a connection after it has reported the handshake.
    if (asksForCertificate && info.validationErrorReason !== undefined) {
      this.#counters.handshakeFailures++;
      return undefined;
    }
    const certificate = asksForCertificate ? session.peerCertificate : undefined;
    const subject = certificate === undefined ? "none" : { subject: certificateSubject(certificate.subject) };
    const known = material.clientCa === "" ? undefined : subject;
    const admitted = this.#options.admit(peerAddress, known, (info.servername ?? "").toLowerCase());
    if (admitted === undefined) {
      this.#counters.connectionsRefused++;
      session.destroy(undefined, { code: codes.EXCESSIVE_LOAD, type: "application" });
      return undefined;
    }
    this.#counters.connectionsTotal++;
    const counters = this.#counters;
    const { host } = admitted;
    const transport = {
      remoteAddress: peerAddress,
      remotePort: info.remote?.port ?? 0,
      localAddress,
      localPort,
      getTLSVersion: () => "TLSv1.3",
      getServername: () => info.servername,
    };
    const connection = new Http3ServerConnection(session, {
      host,
      peerAddress,
      transport,
      counters,
      maxIdleMs: quic.maxIdleTimeoutMs,
      onError,
      heads: this.#heads,
    });
    this.#connections.add(connection);
    admitted.entered(connection);
    return connection;
  }

  #leave(session: QuicSession, connection: Http3ServerConnection): void {
    this.#connections.delete(connection);
    this.#counters.packetsLost += Number(session.stats.pktLost);
    connection.onEnd();
  }
}

function ignore(): void {}

function listenOptions(options: Http3Options): ListenOptions {
  const { address, material, quic } = options;
  const family = isIPv6(address) ? "ipv6" : "ipv4";
  const { clientCa, clientCertRequired } = material;
  return {
    endpoint: {
      // `prepareSocket` changes this to the port that is served.
      address: { address, port: 0, family },
      // The gateway counts connections over all protocols.
      maxConnectionsPerHost: 0,
      maxConnectionsTotal: 0,
    },
    alpn: ["h3"],
    sni: identities(material),
    // An attacker can replay early data (RFC 8470).
    enableEarlyData: false,
    keepAlive: Math.min(PING_MS, Math.ceil(quic.maxIdleTimeoutMs / 2)),
    // The engine cannot request an optional certificate.
    verifyClient: clientCa !== "" && clientCertRequired,
    rejectUnauthorized: true,
    ...(clientCa === "" ? {} : { ca: [Buffer.from(clientCa)] }),
    transportParams: {
      // The engine counts in seconds; see `maxIdleMs` for the rest.
      maxIdleTimeout: Math.ceil(quic.maxIdleTimeoutMs / 1000),
      initialMaxStreamsBidi: quic.maxStreamsBidi,
      initialMaxStreamsUni: quic.maxStreamsUni,
      initialMaxStreamDataBidiRemote: STREAM_WINDOW_BYTES,
      initialMaxStreamDataUni: UNI_WINDOW_BYTES,
      initialMaxData: CONNECTION_WINDOW_BYTES,
    },
    maxStreamWindow: STREAM_WINDOW_BYTES,
    maxWindow: CONNECTION_WINDOW_BYTES,
    application: {
      // Fields that the engine drops would be missing from requests, so its limit must be above the gateway's.
      maxHeaderPairs: Math.min(options.maxHeaderCount + FURTHER_FIELDS, 65_535),
      maxHeaderLength: 4_294_967_295,
      maxFieldSectionSize: options.maxHeaderBytes,
      enableDatagrams: false,
    },
  };
}

function identities({ fallback, named }: TlsMaterial): Record<string, Identity> {
  const found: Record<string, Identity> = {};
  for (const { hostnames, pair } of named) for (const name of hostnames) found[name] = identityOf(pair);
  found["*"] = identityOf(fallback);
  return found;
}

function identityOf({ cert, key }: KeyPair): Identity {
  return { keys: [createPrivateKey(key)], certs: [Buffer.from(cert)] };
}
