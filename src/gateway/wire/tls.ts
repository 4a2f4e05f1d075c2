import type * as Tls from "node:tls";
import { type SecureContext, type TlsOptions } from "node:tls";
import { type Socket, type SocketHandler } from "bun";
import { deferAccept } from "./defer-accept.ts";
import { finishAccepting } from "./finish-accepting.ts";
import { certificateSubject } from "./certificate-subject.ts";
import { DEAF, guarded, handlerFor, type Listener, type OnFault } from "./tcp.ts";
import { type Wire, type WireHandler } from "./wire.ts";

/** Loaded where TLS is spoken first: it takes as long as a tenth of a start (bench start). */
const nodeTls = (): typeof Tls => require("node:tls");

/** A certificate chain and its private key, in PEM. */
export interface KeyPair {
  readonly cert: string;
  readonly key: string;
}

/** Everything that a TLS listener shows and asks for; plain data, since it crosses process boundaries. */
export interface TlsMaterial {
  /** For clients that ask for no name, or for one that no certificate is for. */
  readonly fallback: KeyPair;
  readonly named: readonly { readonly hostnames: readonly string[]; readonly pair: KeyPair }[];
  /** The CAs that sign client certificates, in PEM; empty: none is asked for. */
  readonly clientCa: string;
  readonly clientCertRequired: boolean;
  /** What takes the place of the last two for clients that ask for one of these names. Left out: none. */
  readonly hosts?: readonly HostRule[];
}

/** How clients of some hosts show who they are. */
export interface HostRule extends ClientRule {
  readonly hostnames: readonly string[];
}

/** How clients show who they are: `clientCa` and `clientCertRequired` as in `TlsMaterial`. */
export type ClientRule = Pick<TlsMaterial, "clientCa" | "clientCertRequired">;

/** Whom a client's certificate names; `none`: no certificate was verified, or sent. */
export type ClientSubject = { readonly subject: string } | "none";

/** What a handshake has brought out. */
export interface TlsPeer {
  /** The application protocol agreed on; empty where none was. */
  readonly protocol: string;
  /** The host name that the client asked for; empty where it asked for none. */
  readonly serverName: string;
  /** As OpenSSL calls it: `TLSv1.3`. */
  readonly version: string;
  /** A session of before was taken up again. */
  readonly resumed: boolean;
  /** The subject of the client's certificate (RFC 4514; it may be empty), `none` where none was verified; undefined where none is asked for. */
  readonly clientSubject: ClientSubject | undefined;
}

/** Who hears of a connection whose handshake is under way: `onClose` or `onSecure` comes, and after that another handler hears. */
export interface HandshakeHandler extends WireHandler {
  /** The client's certificate is as it must be. Replaces the wire's handler. */
  onSecure(peer: TlsPeer): void;
}

export interface TlsListenOptions {
  readonly address: string;
  readonly port: number;
  readonly reusePort: boolean;
  /** As in `ListenOptions`. */
  readonly deferAccept?: boolean;
  readonly material: TlsMaterial;
  readonly protocols: readonly string[];
  /** Undefined: no room for it; it is closed before anything was said. */
  readonly accept: (wire: Wire) => HandshakeHandler | undefined;
  readonly onFault: OnFault;
}

export interface TlsListener extends Listener {
  /** Shows other certificates from now on; connections that are open stay. Whether client certificates are asked for stays too. */
  show(material: TlsMaterial): void;
}

/** Versions 1.2 and 1.3; of 1.2 what has forward secrecy and authenticated encryption (RFC 9325 §4.2). Those of 1.3 all have. */
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

/** Throws where a certificate, a key or a CA cannot be used. */
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

/** What Bun calls for a TLS socket; whoever waits for the handshake hears of its end. */
export function tlsHandlerFor(
  asks: { readonly clientCert: boolean; readonly required: boolean },
  onFault: OnFault,
): SocketHandler<WireHandler> {
  return {
    ...handlerFor(onFault),
    handshake(socket, success) {
      // One that failed has its alert sent and is closed by Bun.
      if (!success || !isHandshaking(socket.data)) return;
      const handler = socket.data;
      guarded(socket, onFault, () => {
        if (!isAcceptable(socket, asks)) {
          // The library verifies after the handshake, and has no alert for it: the goodbye of TLS is one that clients understand.
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

/** A certificate that nobody trusts is refused, required or not: its client means to be someone, and would be taken for anybody. */
function isAcceptable(socket: Socket<WireHandler>, asks: { clientCert: boolean; required: boolean }): boolean {
  if (!asks.clientCert || socket.authorized) return true;
  return !asks.required && socket.getPeerX509Certificate() === undefined;
}

function subjectOf(socket: Socket<WireHandler>): ClientSubject {
  const certificate = socket.authorized ? socket.getPeerX509Certificate() : undefined;
  return certificate === undefined ? "none" : { subject: certificateSubject(certificate.subject) };
}

/** Whether and how a client's certificate is asked for. */
export function clientCertificates({ clientCa, clientCertRequired }: TlsMaterial): {
  clientCert: boolean;
  required: boolean;
} {
  return { clientCert: clientCa !== "", required: clientCa !== "" && clientCertRequired };
}

/**
 * Binds a TLS listener. Rejects where the address cannot be bound or a certificate cannot be used.
 *
 * Bun.listen knows one certificate; node:tls knows SNI, new certificates at run time and client certificates, but its
 * streams cost a fifth of a small request (bench front). So node:tls makes the listener, which is one of Bun.listen, and
 * that gets our handlers in the place of its own.
 */
export async function listenTls(options: TlsListenOptions): Promise<TlsListener> {
  const { address, port, reusePort, protocols, accept, onFault } = options;
  const server = nodeTls().createServer({
    ...optionsFor(options.material.fallback, options.material),
    ALPNProtocols: [...protocols],
  });
  /** All that were ever named; operators name them, so they are few. */
  const names = new Set<string>();
  const name = (material: TlsMaterial): void => {
    const contexts = contextsOf(material);
    // A name cannot be taken away, so those that are no more show what they would if they had never been there.
    for (const hostname of contexts.byName.keys()) names.add(hostname);
    for (const hostname of names) server.addContext(hostname, contextFor(contexts, hostname));
  };
  name(options.material);
  const failed = Promise.withResolvers<never>();
  server.once("error", failed.reject);
  server.listen({ host: address, port, reusePort });
  const listener = bunListenerOf(server) ?? (await failed.promise);
  if (options.deferAccept === true) deferAccept(listener);
  let accepted = 0;
  listener.reload({
    socket: {
      ...tlsHandlerFor(clientCertificates(options.material), onFault),
      open(socket) {
        accepted++;
        guarded(socket, onFault, () => {
          // What closes within `accept`, or because it threw, needs somebody to tell.
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

/** The certificates as the TLS library takes them; of two for one name the first counts. */
export function contextsOf(material: TlsMaterial): Contexts {
  const byName = new Map<string, SecureContext>();
  for (const { hostnames, pair } of material.named) {
    const context = nodeTls().createSecureContext(optionsFor(pair, material));
    for (const hostname of hostnames) if (!byName.has(hostname)) byName.set(hostname, context);
  }
  return { fallback: nodeTls().createSecureContext(optionsFor(material.fallback, material)), byName };
}

/** The one that a client sees which asks for `hostname`, in small letters. */
export function contextFor({ fallback, byName }: Contexts, hostname: string): SecureContext {
  return ofHost(byName, hostname) ?? fallback;
}

/** What a table has for `hostname`, in small letters: by the whole name, or else by a wildcard in the place of its first label. */
export function ofHost<T>(byName: ReadonlyMap<string, T>, hostname: string): T | undefined {
  const dot = hostname.indexOf(".");
  return byName.get(hostname) ?? (dot === -1 ? undefined : byName.get(`*${hostname.slice(dot)}`));
}

/** The listener of `Bun.listen` that a server of node:tls is made of; a test fails where another Bun has it elsewhere. */
function bunListenerOf(server: object): Bun.TCPSocketListener<WireHandler> | undefined {
  const handle: unknown = Reflect.get(server, "_handle");
  if (typeof handle !== "object" || handle === null) return undefined;
  if (!("reload" in handle && "stop" in handle && "port" in handle)) {
    throw new Error("Cannot listen with TLS: this version of Bun keeps its listeners elsewhere");
  }
  // Looked at just above; the class itself has no name in Bun's API.
  return handle as Bun.TCPSocketListener<WireHandler>;
}
