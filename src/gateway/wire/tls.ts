import type * as Tls from "node:tls";
import { type SecureContext, type TlsOptions } from "node:tls";
import { type Socket, type SocketHandler } from "bun";
import { deferAccept } from "./defer-accept.ts";
import { finishAccepting } from "./finish-accepting.ts";
import { certificateSubject } from "./certificate-subject.ts";
import { DEAF, guarded, handlerFor, type Listener, type ListenOptions, type OnError } from "./tcp.ts";
import { limitUnsent } from "./unsent-limit.ts";
import { type Wire, type WireHandler } from "./wire.ts";

/** Loaded with the first use of TLS, because it takes a tenth of the start time (bench start). */
const nodeTls = (): typeof Tls => require("node:tls");

/** A certificate chain and its private key, in PEM. */
export interface KeyPair {
  readonly cert: string;
  readonly key: string;
}

/** The certificates and client authentication of a TLS listener. Plain data, because it is passed between processes. */
export interface TlsMaterial {
  /** For clients that send no name, or for a name that has no certificate. */
  readonly fallback: KeyPair;
  readonly named: readonly { readonly hostnames: readonly string[]; readonly pair: KeyPair }[];
  /** The CAs that sign client certificates, in PEM. Empty: the listener requests no client certificate. */
  readonly clientCa: string;
  readonly clientCertRequired: boolean;
  /**
   * Rules that replace `clientCa` and `clientCertRequired` for clients that ask for one of their names. Absent: no
   * rules.
   */
  readonly hosts?: readonly HostRule[];
}

/** The client authentication of some hosts. */
export interface HostRule extends ClientRule {
  readonly hostnames: readonly string[];
}

/** The client authentication: `clientCa` and `clientCertRequired` as in `TlsMaterial`. */
export type ClientRule = Pick<TlsMaterial, "clientCa" | "clientCertRequired">;

/** The subject of a client's certificate. `none`: the client sent no certificate, or it was not verified. */
export type ClientSubject = { readonly subject: string } | "none";

export interface TlsPeer {
  /** The ALPN protocol; empty without one. */
  readonly protocol: string;
  /** The host name that the client asked for (SNI); empty without one. */
  readonly serverName: string;
  /** OpenSSL's name of the version, such as `TLSv1.3`. */
  readonly version: string;
  readonly resumed: boolean;
  /**
   * The subject of the client's certificate (RFC 4514), which may be empty. `none` without a verified certificate.
   * Undefined if the listener requests no client certificate.
   */
  readonly clientSubject: ClientSubject | undefined;
}

/**
 * The handler of a connection during the handshake. It gets `onClose`, or `onSecure` and is then replaced by another
 * handler.
 */
export interface HandshakeHandler extends WireHandler {
  /**
   * Called when the handshake has succeeded and the client's certificate is acceptable. It must replace the wire's
   * handler.
   */
  onSecure(peer: TlsPeer): void;
}

/**
 * The address, the certificates and the ALPN protocols (RFC 7301) of a TLS listener, and the handlers of its
 * connections.
 */
export interface TlsListenOptions extends Omit<ListenOptions, "accept"> {
  readonly material: TlsMaterial;
  readonly protocols: readonly string[];
  /**
   * Returns the handler of a new connection. Undefined: the connection is closed before any byte is sent, because it
   * gets no permit.
   */
  readonly accept: (wire: Wire) => HandshakeHandler | undefined;
}

/** A TCP port that accepts TLS connections. */
export interface TlsListener extends Listener {
  /**
   * Uses other certificates from now on. Open connections stay, and so does the decision to ask for client
   * certificates.
   */
  show(material: TlsMaterial): void;
}

/**
 * Ciphers for TLS 1.2: those with forward secrecy and authenticated encryption (RFC 9325 §4.2). All ciphers of TLS 1.3
 * have both.
 */
export const CIPHERS = [
  "ECDHE-ECDSA-AES128-GCM-SHA256",
  "ECDHE-RSA-AES128-GCM-SHA256",
  "ECDHE-ECDSA-AES256-GCM-SHA384",
  "ECDHE-RSA-AES256-GCM-SHA384",
  "ECDHE-ECDSA-CHACHA20-POLY1305",
  "ECDHE-RSA-CHACHA20-POLY1305",
].join(":");

function authoritiesOf({ clientCa, clientCertRequired }: ClientRule): TlsOptions {
  return clientCa === "" ? {} : { ca: clientCa, requestCert: true, rejectUnauthorized: clientCertRequired };
}

function optionsFor({ cert, key }: KeyPair, clients: ClientRule): TlsOptions {
  return { cert, key, minVersion: "TLSv1.2", ciphers: CIPHERS, ...authoritiesOf(clients) };
}

/** Throws if a certificate, a key or a CA cannot be used. */
export function checkMaterial(
  material: Omit<TlsMaterial, "fallback"> & { readonly fallback: KeyPair | undefined },
): void {
  for (const pair of [material.fallback, ...material.named.map((named) => named.pair)]) {
    nodeTls().createSecureContext(pair === undefined ? authoritiesOf(material) : optionsFor(pair, material));
  }
  for (const rule of material.hosts ?? []) nodeTls().createSecureContext(authoritiesOf(rule));
}

function isHandshaking(handler: WireHandler): handler is HandshakeHandler {
  return "onSecure" in handler;
}

/** The callbacks for a TLS socket of Bun. The handler of the handshake is called at its end. */
export function tlsHandlerFor(
  asks: { readonly clientCert: boolean; readonly required: boolean },
  onError: OnError,
): SocketHandler<WireHandler> {
  return {
    ...handlerFor(onError),
    handshake(socket, success) {
      // After a failed handshake, Bun sends the alert and closes the connection.
      if (!success || !isHandshaking(socket.data)) return;
      const handler = socket.data;
      guarded(socket, onError, () => {
        if (!isAcceptable(socket, asks)) {
          // The library verifies after the handshake and has no alert for this case. Clients understand a
          // `close_notify`.
          socket.shutdown();
          socket.close();
          return;
        }
        handler.onSecure({
          protocol: typeof socket.alpnProtocol === "string" ? socket.alpnProtocol : "",
          serverName: socket.getServername() ?? "",
          version: socket.getTLSVersion(),
          resumed: socket.isSessionReused(),
          clientSubject: asks.clientCert ? subjectOf(socket) : undefined,
        });
      });
    },
  };
}

/**
 * An untrusted certificate is refused even if none is required. Otherwise its client would count as one without a
 * certificate.
 */
function isAcceptable(socket: Socket<WireHandler>, asks: { clientCert: boolean; required: boolean }): boolean {
  if (!asks.clientCert || socket.authorized) return true;
  return !asks.required && socket.getPeerX509Certificate() === undefined;
}

function subjectOf(socket: Socket<WireHandler>): ClientSubject {
  const certificate = socket.authorized ? socket.getPeerX509Certificate() : undefined;
  return certificate === undefined ? "none" : { subject: certificateSubject(certificate.subject) };
}

/** True for `clientCert` if the listener asks clients for a certificate, and for `required` if they must send one. */
export function clientCertificates({ clientCa, clientCertRequired }: TlsMaterial): {
  clientCert: boolean;
  required: boolean;
} {
  return { clientCert: clientCa !== "", required: clientCa !== "" && clientCertRequired };
}

/**
 * Listens with TLS. Rejects if the address cannot be bound or a certificate cannot be used.
 * Bun.listen supports only one certificate. node:tls supports SNI, new certificates at run time and client
 * certificates, but its streams cost a fifth of a small request (bench front). Therefore node:tls creates the listener,
 * which contains a listener of Bun.listen. That one gets the gateway's handlers in place of its own.
 */
export async function listenTls(options: TlsListenOptions): Promise<TlsListener> {
  const { address, port, reusePort, protocols, accept, onError } = options;
  const server = nodeTls().createServer({
    ...optionsFor(options.material.fallback, options.material),
    ALPNProtocols: [...protocols],
  });
  /** All names that were ever configured. They are few, because operators configure them. */
  const names = new Set<string>();
  const name = (material: TlsMaterial): void => {
    const contexts = contextsOf(material);
    // The server cannot remove a name. A removed name gets the certificate of a name that was never configured.
    for (const hostname of contexts.byName.keys()) names.add(hostname);
    for (const hostname of names) server.addContext(hostname, contextFor(contexts, hostname));
  };
  name(options.material);
  const failed = Promise.withResolvers<never>();
  server.once("error", failed.reject);
  server.listen({ host: address, port, reusePort });
  const listener = bunListenerOf(server) ?? (await failed.promise);
  if (options.deferAccept === true) deferAccept(listener);
  limitUnsent(listener);
  let accepted = 0;
  listener.reload({
    socket: {
      ...tlsHandlerFor(clientCertificates(options.material), onError),
      open(socket) {
        accepted++;
        guarded(socket, onError, () => {
          // If `accept` closes the socket or throws, the socket needs a handler for its events.
          socket.data = DEAF;
          const handler = accept(socket);
          if (handler === undefined) socket.terminate();
          else socket.data = handler;
        });
      },
    },
  });
  return {
    port: listener.port,
    finish: () => finishAccepting(listener, () => accepted),
    stop: () => listener.stop(false),
    show(material) {
      server.setSecureContext(optionsFor(material.fallback, material));
      name(material);
    },
  };
}

interface Contexts {
  readonly fallback: SecureContext;
  readonly byName: ReadonlyMap<string, SecureContext>;
}

/** The certificates as contexts of the TLS library. If a name has two certificates, the first one counts. */
export function contextsOf(material: TlsMaterial): Contexts {
  const byName = new Map<string, SecureContext>();
  for (const { hostnames, pair } of material.named) {
    const context = nodeTls().createSecureContext(optionsFor(pair, material));
    for (const hostname of hostnames) if (!byName.has(hostname)) byName.set(hostname, context);
  }
  return { fallback: nodeTls().createSecureContext(optionsFor(material.fallback, material)), byName };
}

/** The certificate for clients that ask for `hostname` (in lower case). */
export function contextFor({ fallback, byName }: Contexts, hostname: string): SecureContext {
  return ofHost(byName, hostname) ?? fallback;
}

/**
 * The entry of a table for `hostname` (in lower case): the entry of the whole name, or the one with a wildcard in place
 * of its first label.
 */
export function ofHost<T>(byName: ReadonlyMap<string, T>, hostname: string): T | undefined {
  const dot = hostname.indexOf(".");
  return byName.get(hostname) ?? (dot === -1 ? undefined : byName.get(`*${hostname.slice(dot)}`));
}

/**
 * The listener of `Bun.listen` inside a server of node:tls. A test fails if another version of Bun keeps it elsewhere.
 */
function bunListenerOf(server: object): Bun.TCPSocketListener<WireHandler> | undefined {
  const handle: unknown = Reflect.get(server, "_handle");
  if (typeof handle !== "object" || handle === null) return undefined;
  if (!("reload" in handle && "stop" in handle && "port" in handle)) {
    throw new Error("Cannot listen with TLS: this version of Bun keeps its listeners elsewhere");
  }
  // Checked just above. Bun's API has no name for the class itself.
  return handle as Bun.TCPSocketListener<WireHandler>;
}
