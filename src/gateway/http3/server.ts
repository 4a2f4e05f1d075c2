import { createPrivateKey } from "node:crypto";
import { isIPv6 } from "node:net";
import { type HandshakeInfo, type Identity, type ListenOptions, type QuicEndpoint, type QuicSession } from "node:quic";
import { type ServerConnection, type ServerHost } from "../server-host.ts";
import { certificateSubject } from "../wire/certificate-subject.ts";
import { type ClientSubject, type KeyPair, type TlsMaterial } from "../wire/tls.ts";
import { loadQuic } from "./engine.ts";
import { prepareSocket } from "./engine-socket.ts";
import { createCounters, type QuicFigures } from "./figures.ts";
import * as codes from "./codes.ts";
import { Http3ServerConnection } from "./server-session.ts";

/** Handshakes under way in one worker; one more is refused, since who sends first packets may have made up its address. */
const MAX_HANDSHAKES = 1024;
/** Bytes of request body that a stream may send at a time, and the least and most that all streams of a connection may. @bound */
const STREAM_WINDOW_BYTES = 262_144;
const CONNECTION_WINDOW_BYTES = 1_048_576;
/** Bytes of control and QPACK streams on their way (RFC 9114 §6.2 asks for 1024 at least). */
const UNI_WINDOW_BYTES = 16_384;
/**
 * Fields of one head that the engine decodes; more than any head may have. One byte of a client can stand for a field of 4 KiB
 * that the dynamic table of QPACK holds, so that this bounds what a head takes before it is refused.
 */
const MAX_FIELDS = 512;
/** Fields of a request that do not count, and one more, by which a head that is too long is known. */
const PSEUDO_FIELDS = 6;
/** RFC 9000 §20.1 */
const CONNECTION_REFUSED = 0x2n;

/** `quic.*` of the configuration. */
export interface QuicSettings {
  readonly maxIdleTimeoutMs: number;
  readonly maxStreamsBidi: number;
  readonly maxStreamsUni: number;
}

export interface Http3Options {
  readonly address: string;
  /** UDP; 0 takes a free one. Other processes may bind the same; the kernel gives each client's packets to one of them. */
  readonly port: number;
  readonly material: TlsMaterial;
  readonly quic: QuicSettings;
  /** Bytes and number of a request's header fields, as the engine is told once for all. */
  readonly maxHeaderBytes: number;
  readonly maxHeaderCount: number;
  /**
   * Who serves a connection from this address, by its client's certificate: undefined where none is asked for. `serverName` is the host
   * name that the client asked for, in small letters, or empty. Answers undefined where there is no place for another connection.
   */
  admit(peerAddress: string, clientSubject: ClientSubject | undefined, serverName: string): Admitted | undefined;
  readonly onFault: (error: unknown) => void;
}

/** A connection that is let in. The host's `closed` is called for each that `entered` was called for. */
export interface Admitted {
  readonly host: ServerHost;
  entered(connection: ServerConnection): void;
}

/** A UDP port that serves HTTP/3. */
export interface Http3Endpoint {
  readonly port: number;
  readonly figures: QuicFigures;
  /** Shows other certificates to those who connect from now on. Throws where one cannot be used. */
  show(material: TlsMaterial): void;
  /** Takes no more connections; those that are open stay. */
  refuse(): void;
  /** Closes at once, with whatever is open. */
  close(): Promise<void>;
}

/** Binds a UDP port and serves HTTP/3 on it. Rejects where the port cannot be bound or a certificate cannot be used. */
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

class Http3Server implements Http3Endpoint {
  readonly #options: Http3Options;
  readonly #counters = createCounters();
  #endpoint: QuicEndpoint | undefined;
  #handshakes = 0;
  #draining = false;
  port = 0;

  constructor(options: Http3Options) {
    this.#options = options;
  }

  bound(endpoint: QuicEndpoint): void {
    this.#endpoint = endpoint;
    const chosen = endpoint.address?.port ?? 0;
    this.port = this.#options.port === 0 ? chosen : this.#options.port;
    endpoint.closed.catch((error: unknown) => {
      if (!this.#draining) this.#options.onFault(error);
    });
    if (endpoint.address === undefined)
      throw new Error(`Cannot listen on ${this.#options.address}: UDP cannot be bound there`);
    prepareSocket(chosen, this.#options);
  }

  get figures(): QuicFigures {
    const stats = this.#endpoint?.stats;
    return {
      ...this.#counters,
      bytesIn: Number(stats?.bytesReceived ?? 0n),
      bytesOut: Number(stats?.bytesSent ?? 0n),
      packetsIn: Number(stats?.packetsReceived ?? 0n),
      packetsOut: Number(stats?.packetsSent ?? 0n),
    };
  }

  show(material: TlsMaterial): void {
    this.#endpoint?.setSNIContexts(identities(material), { replace: true });
  }

  refuse(): void {
    this.#draining = true;
    if (this.#endpoint !== undefined) this.#endpoint.busy = true;
  }

  async close(): Promise<void> {
    this.#draining = true;
    try {
      await this.#endpoint?.destroy();
    } catch (error) {
      this.#options.onFault(error);
    }
  }

  /** A client's first packet has come. */
  onSession(session: QuicSession): void {
    // With a handler here the engine reports a broken connection nowhere else.
    session.onerror = ignore; // oxlint-disable-line unicorn/prefer-add-event-listener -- it is no event target
    if (this.#draining || this.#handshakes >= MAX_HANDSHAKES) {
      this.#counters.connectionsRefused++;
      session.destroy(undefined, { code: CONNECTION_REFUSED, type: "transport" });
      return;
    }
    this.#handshakes++;
    let connection: Http3ServerConnection | undefined;
    let isSecure = false;
    session.onhandshake = (info) => {
      isSecure = true;
      this.#handshakes--;
      connection = this.#enter(session, info);
    };
    session.onstream = (stream) => {
      if (connection !== undefined) connection.onStream(stream);
      else stream.resetStream(codes.REQUEST_CANCELLED);
    };
    const ended = (): void => {
      if (connection !== undefined) this.#leave(session, connection);
      else if (!isSecure) this.#handshakeFailed();
    };
    session.closed.then(ended, ended);
  }

  #handshakeFailed(): void {
    this.#handshakes--;
    this.#counters.handshakeFailures++;
  }

  #enter(session: QuicSession, info: HandshakeInfo): Http3ServerConnection | undefined {
    const { material, quic, onFault } = this.#options;
    const peerAddress = info.remote?.address ?? "";
    const asksForCertificate = material.clientCa !== "" && material.clientCertRequired;
    // The engine ends such a connection by itself, after it has told of the handshake.
    if (asksForCertificate && info.validationErrorReason !== undefined) return undefined;
    const certificate = asksForCertificate ? session.peerCertificate : undefined;
    const subject = certificate === undefined ? "none" : { subject: certificateSubject(certificate.subject) };
    const known = material.clientCa === "" ? undefined : subject;
    const admitted = this.#options.admit(peerAddress, known, (info.servername ?? "").toLowerCase());
    if (admitted === undefined) {
      this.#counters.connectionsRefused++;
      session.destroy(undefined, { code: codes.EXCESSIVE_LOAD, type: "application" });
      return undefined;
    }
    this.#counters.connectionsOpen++;
    this.#counters.connectionsTotal++;
    const { maxIdleTimeoutMs } = quic;
    const exactIdleMs = maxIdleTimeoutMs % 1000 === 0 ? 0 : maxIdleTimeoutMs;
    const counters = this.#counters;
    const { host } = admitted;
    const connection = new Http3ServerConnection(session, { host, peerAddress, counters, exactIdleMs, onFault });
    admitted.entered(connection);
    return connection;
  }

  #leave(session: QuicSession, connection: Http3ServerConnection): void {
    this.#counters.connectionsOpen--;
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
      // See `prepareSocket` for the port that is served.
      address: { address, port: 0, family },
      // Connections are counted by the gateway, over all protocols.
      maxConnectionsPerHost: 0,
      maxConnectionsTotal: 0,
    },
    alpn: ["h3"],
    sni: identities(material),
    // What is sent before the handshake's end can be sent again by anybody (RFC 8470): a payment must not be.
    enableEarlyData: false,
    // The engine cannot ask for a certificate that need not come.
    verifyClient: clientCa !== "" && clientCertRequired,
    rejectUnauthorized: true,
    ...(clientCa === "" ? {} : { ca: [Buffer.from(clientCa)] }),
    transportParams: {
      // The engine counts seconds; see `exactIdleMs` for the rest.
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
      // Fields that the engine drops would be missing from requests: what it drops must be beyond what we refuse.
      maxHeaderPairs: Math.min(Math.max(MAX_FIELDS, options.maxHeaderCount + PSEUDO_FIELDS), 65_535),
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
