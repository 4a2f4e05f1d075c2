import type * as Tls from "node:tls";
import { type SecureContext } from "node:tls";
import { isIP } from "node:net";
import { type Socket, type SocketHandler } from "bun";
import { systemTrust } from "../../lib/net/system-trust.ts";
import { openSocket } from "./connect-tcp.ts";
import { type Connecting, DEAF, guarded, handlerFor, type OnError } from "./tcp.ts";
import { CIPHERS, type KeyPair } from "./tls.ts";
import { TlsRecords } from "./tls-records.ts";
import { TlsSessions } from "./tls-sessions.ts";
import { type Wire, type WireHandler } from "./wire.ts";
import { type X509Certificate } from "node:crypto";

/** Loaded with the first use of TLS, because it takes a tenth of the start time (bench start). */
const nodeTls = (): typeof Tls => require("node:tls");

export interface TlsClientOptions {
  /** True: the server's certificate must be trusted, and be valid for the name. */
  readonly verify: boolean;
  /** The name for SNI and verification. Empty: the address of the connection. */
  readonly serverName: string;
  /**
   * Host names, IP addresses and URIs. The server's certificate must have one of them as a subjectAltName. Absent or
   * empty: it must be valid for `serverName`.
   */
  readonly names?: readonly string[];
  /** Protocols for ALPN, the preferred one first. Empty: no ALPN. */
  readonly protocols: readonly string[];
  /** The trusted authorities: see `trustOf`. */
  readonly trust: SecureContext;
}

/**
 * A handshake that did not lead to a trusted connection. `code` is OpenSSL's name for an error of the certificate, or
 * one of these codes. `ERR_TLS_CERT_ALTNAME_INVALID`: the certificate is for another name. `EPROTO`: the server does
 * not speak a supported TLS. `EOF`, `ECONNRESET`: the server closed or reset the connection. `ABORTED`: the attempt was
 * aborted.
 */
export class TlsError extends Error {
  readonly code: string;

  constructor(code: string) {
    super(`Cannot begin TLS: ${code}`);
    this.code = code;
  }
}

let ofSystem: SecureContext | undefined;

/**
 * The trust in `authorities` (PEM), or in the system's authorities if it is empty. `shown` is the certificate for
 * servers that ask for one. Throws if a certificate or key cannot be read.
 */
export function trustOf(authorities: string, shown?: KeyPair): SecureContext {
  if (shown !== undefined) return contextOf(authorities === "" ? systemTrust() : [authorities], shown);
  if (authorities !== "") return contextOf([authorities]);
  // Reading hundreds of certificates takes milliseconds, so the result is kept.
  ofSystem ??= contextOf(systemTrust());
  return ofSystem;
}

function contextOf(ca: readonly string[], shown?: KeyPair): SecureContext {
  return nodeTls().createSecureContext({ ca: [...ca], minVersion: "TLSv1.2", ciphers: CIPHERS, ...shown });
}

/** Sessions are kept for each trust, so that a session verified with one trust is never resumed with another. */
const sessionsOf = new WeakMap<SecureContext, TlsSessions>();

/**
 * Opens a TLS connection. `accept` is called in the event that ends the handshake, with the ALPN protocol. If the peer
 * closes the connection without a `close_notify`, the handler gets `onClose` and not `onEnd`. So incomplete data never
 * looks complete (RFC 8446 §6.1, RFC 9112 §9.8).
 */
export function connectTls(
  endpoint: { readonly address: string; readonly port: number },
  options: TlsClientOptions,
  accept: (wire: Wire, protocol: string) => WireHandler,
  onError: OnError,
): Connecting {
  const handshake = new Handshake(endpoint, options, accept, onError);
  const opening = openSocket(endpoint, handlerFor(onError), (socket) => handshake.begin(socket));
  opening.done.catch((error: unknown) => handshake.fail(error));
  return {
    done: handshake.result.promise,
    abort() {
      handshake.fail(new TlsError("ABORTED"));
      opening.abort();
    },
  };
}

/** A TLS handshake, and the state that its connection needs afterwards. */
class Handshake {
  readonly result = Promise.withResolvers<void>();
  readonly #options: TlsClientOptions;
  readonly #name: string;
  readonly #accept: (wire: Wire, protocol: string) => WireHandler;
  readonly #onError: OnError;
  readonly #records = new TlsRecords();
  readonly #sessions: TlsSessions;
  readonly #sessionKey: string;
  #socket: Socket<WireHandler> | undefined;
  #isOver = false;
  /** The last session from the server, and the time at which the server showed its certificate (ms). */
  #session: Buffer | undefined;
  #verifiedAt: number | undefined;

  constructor(
    { address, port }: { readonly address: string; readonly port: number },
    options: TlsClientOptions,
    accept: (wire: Wire, protocol: string) => WireHandler,
    onError: OnError,
  ) {
    this.#options = options;
    this.#accept = accept;
    this.#onError = onError;
    this.#name = options.serverName === "" ? address : options.serverName;
    this.#sessions = sessionsOf.get(options.trust) ?? new TlsSessions();
    sessionsOf.set(options.trust, this.#sessions);
    this.#sessionKey = `${address} ${port} ${this.#name} ${options.verify} ${options.protocols.join()} ${options.names?.join() ?? ""}`;
  }

  /** Begins the handshake on a socket that has not carried any bytes. */
  begin(socket: Socket<WireHandler>): void {
    if (this.#isOver) {
      socket.terminate();
      return;
    }
    const { verify, protocols, trust, names = [] } = this.#options;
    const tls: object = {
      secureContext: nativeOf(trust),
      // Otherwise Bun would close the connection before the names are compared.
      rejectUnauthorized: verify && names.length === 0,
      // SNI has no addresses (RFC 6066 §3). Without a name, Bun verifies against the address.
      serverName: isIP(this.#name) === 0 ? this.#name : "",
      ALPNProtocols: protocols.map((protocol) => String.fromCharCode(protocol.length) + protocol).join(""),
    };
    // The socket below still gets events with the encrypted bytes.
    socket.data = this.#records;
    try {
      const [, secured] = socket.upgradeTLS<WireHandler>({ data: DEAF, tls, socket: this.#handlers() });
      if (this.#isOver) secured.terminate();
      this.#socket = secured;
    } catch (error) {
      socket.terminate();
      this.fail(error);
    }
  }

  fail(error: unknown): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#socket?.terminate();
    this.result.reject(error);
  }

  #handlers(): SocketHandler<WireHandler> {
    const base = handlerFor(this.#onError);
    const records = this.#records;
    return {
      ...base,
      open: (socket) => {
        const session = this.#sessions.get(this.#sessionKey);
        if (session !== undefined) setSession(socket, session);
      },
      data(socket, chunk) {
        records.content += chunk.length;
        void base.data?.(socket, chunk);
      },
      end(socket) {
        if (records.sentCloseNotify) void base.end?.(socket);
        else socket.terminate();
      },
      handshake: (socket, success, error) => this.#finished(socket, success, error),
      close: (socket, error) => {
        if (this.#isOver) void base.close?.(socket);
        else this.#refused(codeOf(error));
      },
      session: (_: unknown, session: Buffer) => this.#keep(session),
    } as SocketHandler<WireHandler>; // The types do not have `session`.
  }

  #finished(socket: Socket<WireHandler>, success: boolean, error: unknown): void {
    if (this.#isOver) return;
    // If the certificate is for another name, Bun reports a failure even if `verify` is false.
    const isDone = success || CERTIFICATE_ERRORS.has(codeOf(error));
    if (!isDone || (this.#options.verify && !this.#isTrusted(socket, success, error))) {
      const code = socket.authorized ? OTHER_NAME : codeOf(error);
      // Bun reports a FIN with this code. A reset closes the socket without this event.
      this.#refused(code === "ECONNRESET" ? "EOF" : code);
      return;
    }
    this.#isOver = true;
    this.#records.isTls13 = socket.getTLSVersion() === "TLSv1.3";
    this.#verifiedAt = socket.isSessionReused() ? this.#sessions.beganAt(this.#sessionKey) : this.#sessions.clock();
    if (this.#session !== undefined) this.#keep(this.#session);
    const protocol = typeof socket.alpnProtocol === "string" ? socket.alpnProtocol : "";
    guarded(socket, this.#onError, () => {
      socket.data = this.#accept(socket, protocol);
    });
    this.result.resolve();
  }

  /**
   * True if the certificate is trusted and valid for a name. Bun checks the chain and the dates before the name. So if
   * the name is the only error, everything else is valid.
   */
  #isTrusted(socket: Socket<WireHandler>, success: boolean, error: unknown): boolean {
    const isOfServerName = success && socket.authorized;
    const { names = [] } = this.#options;
    if (names.length === 0) return isOfServerName;
    if (!isOfServerName && codeOf(error) !== OTHER_NAME) return false;
    const certificate = socket.getPeerX509Certificate();
    return certificate !== undefined && names.some((name) => hasAltName(certificate, name));
  }

  #refused(code: string): void {
    this.#sessions.delete(this.#sessionKey);
    this.fail(new TlsError(code));
  }

  #keep(session: Buffer): void {
    this.#session = session;
    if (this.#verifiedAt !== undefined) this.#sessions.set(this.#sessionKey, session, this.#verifiedAt);
  }
}

/** Sets the session to resume. Bun's sockets have this method for its node:tls, but not in their types. */
function setSession(socket: Socket<WireHandler>, session: Buffer): void {
  const method: unknown = Reflect.get(socket, "setSession");
  if (typeof method === "function") Reflect.apply(method, socket, [session]);
}

/** The certificate is valid, but for another name. */
const OTHER_NAME = "ERR_TLS_CERT_ALTNAME_INVALID";

/** Errors of a certificate in a handshake that otherwise succeeds. Any other failure is an error of the handshake. */
const CERTIFICATE_ERRORS: ReadonlySet<string> = new Set([
  "CERT_CHAIN_TOO_LONG",
  "CERT_HAS_EXPIRED",
  "CERT_NOT_YET_VALID",
  "CERT_REJECTED",
  "CERT_REVOKED",
  "CERT_SIGNATURE_FAILURE",
  "CERT_UNTRUSTED",
  "DEPTH_ZERO_SELF_SIGNED_CERT",
  OTHER_NAME,
  "HOSTNAME_MISMATCH",
  "INVALID_CA",
  "INVALID_PURPOSE",
  "PATH_LENGTH_EXCEEDED",
  "SELF_SIGNED_CERT_IN_CHAIN",
  "UNABLE_TO_GET_ISSUER_CERT",
  "UNABLE_TO_GET_ISSUER_CERT_LOCALLY",
  "UNABLE_TO_VERIFY_LEAF_SIGNATURE",
]);

function codeOf(error: unknown): string {
  const code: unknown = typeof error === "object" && error !== null ? Reflect.get(error, "code") : undefined;
  return typeof code === "string" && code !== "" ? code : "EOF";
}

/**
 * True if the certificate has `name` as a subjectAltName: a host name, an IP address or a URI. A wildcard matches one
 * label (RFC 9525 §6.3).
 */
function hasAltName(certificate: X509Certificate, name: string): boolean {
  if (isIP(name) !== 0) return certificate.checkIP(name) !== undefined;
  // The whole URI is compared. In this list, names with a comma are quoted, so that one name cannot look like two.
  if (name.includes(":")) return certificate.subjectAltName?.split(", ").includes(`URI:${name}`) === true;
  return certificate.checkHost(name, { subject: "never" }) !== undefined;
}

/** The object that node:tls passes to Bun in place of its own class. */
export function nativeOf(context: SecureContext): object {
  const native: unknown = Reflect.get(context, "context");
  if (typeof native !== "object" || native === null) {
    throw new Error("Cannot begin TLS: this version of Bun keeps its certificates elsewhere");
  }
  return native;
}
