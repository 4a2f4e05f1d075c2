import type * as Tls from "node:tls";
import { type SecureContext } from "node:tls";
import { isIP } from "node:net";
import { type Socket, type SocketHandler } from "bun";
import { systemTrust } from "../../lib/system-trust.ts";
import { openSocket } from "./connect-tcp.ts";
import { type Connecting, DEAF, guarded, handlerFor, type OnFault } from "./tcp.ts";
import { hasAltName } from "./alt-names.ts";
import { CIPHERS, type KeyPair } from "./tls.ts";
import { nativeOf } from "./tls-context.ts";
import { TlsRecords } from "./tls-records.ts";
import { TlsSessions } from "./tls-sessions.ts";
import { type Wire, type WireHandler } from "./wire.ts";

/** Loaded where TLS is spoken first: it takes as long as a tenth of a start (bench start). */
const nodeTls = (): typeof Tls => require("node:tls");

/** How TLS to a server is done. */
export interface TlsClientOptions {
  /** Whether the server's certificate must be one that the system trusts, for the name that was asked for. */
  readonly verify: boolean;
  /** Name for SNI and verification; empty: the address connected to. */
  readonly serverName: string;
  /**
   * Names of which the server's certificate must have one as a subjectAltName, in the place of `serverName`; empty, or left out: that one. Host
   * names, IP addresses and URIs.
   */
  readonly names?: readonly string[];
  /** ALPN, most wanted first; empty: none is offered. */
  readonly protocols: readonly string[];
  /** Whom it trusts: see `trustOf`. */
  readonly trust: SecureContext;
}

/**
 * A handshake that did not come to a trusted connection. `code`: OpenSSL's name of what is wrong with the certificate,
 * `ERR_TLS_CERT_ALTNAME_INVALID` where it is for another name, `EPROTO` where what came is not TLS as we speak it,
 * `EOF` or `ECONNRESET` where the server closed or reset the connection, `ABORTED` where it was given up.
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
 * Trust in `authorities` (PEM), or in those that the system trusts where it is empty; `shown` is what servers get that ask for a
 * client certificate. Throws where something cannot be read.
 */
export function trustOf(authorities: string, shown?: KeyPair): SecureContext {
  if (shown !== undefined) return contextOf(authorities === "" ? systemTrust() : [authorities], shown);
  if (authorities !== "") return contextOf([authorities]);
  // Reading some hundred certificates takes milliseconds: once is enough.
  ofSystem ??= contextOf(systemTrust());
  return ofSystem;
}

function contextOf(ca: readonly string[], shown?: KeyPair): SecureContext {
  return nodeTls().createSecureContext({ ca: [...ca], minVersion: "TLSv1.2", ciphers: CIPHERS, ...shown });
}

/** By trust, so that nothing is taken up under one that another has verified. */
const sessionsOf = new WeakMap<SecureContext, TlsSessions>();

/**
 * Opens a TLS connection; `accept` is called within the event that ends the handshake, with the protocol agreed on by ALPN.
 * One that is cut off without TLS's goodbye closes and does not end, so that nothing looks complete that may not be (RFC
 * 8446 §6.1, RFC 9112 §9.8).
 */
export function connectTls(
  endpoint: { readonly address: string; readonly port: number },
  options: TlsClientOptions,
  accept: (wire: Wire, protocol: string) => WireHandler,
  onFault: OnFault,
): Connecting {
  const handshake = new Handshake(endpoint, options, accept, onFault);
  const opening = openSocket(endpoint, handlerFor(onFault), (socket) => handshake.begin(socket));
  opening.done.catch((error: unknown) => handshake.fail(error));
  return {
    done: handshake.result.promise,
    abort() {
      handshake.fail(new TlsError("ABORTED"));
      opening.abort();
    },
  };
}

/** A connection on its way to TLS, and what must be known of it afterwards. */
class Handshake {
  readonly result = Promise.withResolvers<void>();
  readonly #options: TlsClientOptions;
  readonly #name: string;
  readonly #accept: (wire: Wire, protocol: string) => WireHandler;
  readonly #onFault: OnFault;
  readonly #records = new TlsRecords();
  readonly #sessions: TlsSessions;
  readonly #sessionKey: string;
  #socket: Socket<WireHandler> | undefined;
  #isOver = false;
  /** The session that the server gave last, and when it showed its certificate. */
  #session: Buffer | undefined;
  #verifiedAt: number | undefined;

  constructor(
    { address, port }: { readonly address: string; readonly port: number },
    options: TlsClientOptions,
    accept: (wire: Wire, protocol: string) => WireHandler,
    onFault: OnFault,
  ) {
    this.#options = options;
    this.#accept = accept;
    this.#onFault = onFault;
    this.#name = options.serverName === "" ? address : options.serverName;
    this.#sessions = sessionsOf.get(options.trust) ?? new TlsSessions();
    sessionsOf.set(options.trust, this.#sessions);
    this.#sessionKey = `${address} ${port} ${this.#name} ${options.verify} ${options.protocols.join()} ${options.names?.join() ?? ""}`;
  }

  /** Begins it on a socket that has carried nothing. */
  begin(socket: Socket<WireHandler>): void {
    if (this.#isOver) {
      socket.terminate();
      return;
    }
    const { verify, protocols, trust, names = [] } = this.#options;
    const tls: object = {
      secureContext: nativeOf(trust),
      // Bun would close the connection before the names are compared.
      rejectUnauthorized: verify && names.length === 0,
      // RFC 6066 §3: an address is no name to ask for. Without one, Bun verifies against the address.
      serverName: isIP(this.#name) === 0 ? this.#name : "",
      ALPNProtocols: protocols.map((protocol) => String.fromCharCode(protocol.length) + protocol).join(""),
    };
    // The socket underneath goes on telling the encrypted bytes.
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
    const base = handlerFor(this.#onFault);
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
        if (records.saidGoodbye) void base.end?.(socket);
        else socket.terminate();
      },
      handshake: (socket, success, error) => this.#finished(socket, success, error),
      close: (socket, error) => {
        if (this.#isOver) void base.close?.(socket);
        else this.#refused(codeOf(error));
      },
      session: (_: unknown, session: Buffer) => this.#keep(session),
    } as SocketHandler<WireHandler>; // Its types do not know `session`.
  }

  #finished(socket: Socket<WireHandler>, success: boolean, error: unknown): void {
    if (this.#isOver) return;
    // Where the name is not the certificate's, Bun calls even a handshake that nobody verifies a failure.
    const isDone = success || CERTIFICATE_FAULTS.has(codeOf(error));
    if (!isDone || (this.#options.verify && !this.#isTrusted(socket, success, error))) {
      const code = socket.authorized ? OTHER_NAME : codeOf(error);
      // Bun's name for a FIN; a reset closes the socket without this event.
      this.#refused(code === "ECONNRESET" ? "EOF" : code);
      return;
    }
    this.#isOver = true;
    this.#records.isTls13 = socket.getTLSVersion() === "TLSv1.3";
    this.#verifiedAt = socket.isSessionReused() ? this.#sessions.beganAt(this.#sessionKey) : Date.now();
    if (this.#session !== undefined) this.#keep(this.#session);
    const protocol = typeof socket.alpnProtocol === "string" ? socket.alpnProtocol : "";
    guarded(socket, this.#onFault, () => {
      socket.data = this.#accept(socket, protocol);
    });
    this.result.resolve();
  }

  /** Bun looks at the chain and the dates before the name: where the name alone is wrong, all else is right. */
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

/** Bun's sockets have it for its node:tls; their types do not tell. */
function setSession(socket: Socket<WireHandler>, session: Buffer): void {
  const method: unknown = Reflect.get(socket, "setSession");
  if (typeof method === "function") Reflect.apply(method, socket, [session]);
}

/** The certificate is as it must be, but for another name. */
const OTHER_NAME = "ERR_TLS_CERT_ALTNAME_INVALID";

/** What can be wrong with a certificate while the handshake itself holds; any other failure is one of the handshake. */
const CERTIFICATE_FAULTS: ReadonlySet<string> = new Set([
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
