import { createSecureContext, type SecureContext } from "node:tls";
import { isIP } from "node:net";
import { type Socket } from "bun";
import { systemTrust } from "../../lib/system-trust.ts";
import { type Connecting, DEAF, guarded, handlerFor, type OnFault } from "./tcp.ts";
import { CIPHERS } from "./tls.ts";
import { nativeOf } from "./tls-context.ts";
import { type Wire, type WireHandler } from "./wire.ts";

/** How TLS to a server is done. */
export interface TlsClientOptions {
  /** Whether the server's certificate must be one that the system trusts, for the name that was asked for. */
  readonly verify: boolean;
  /** Name for SNI and verification; empty: the address connected to. */
  readonly serverName: string;
  /** ALPN, most wanted first; empty: none is offered. */
  readonly protocols: readonly string[];
  /** Whom it trusts: see `trustOf`. */
  readonly trust: SecureContext;
}

/** A handshake that did not come to a trusted connection; `code` is OpenSSL's or Bun's name of the reason. */
export class TlsError extends Error {
  readonly code: string;

  constructor(code: string) {
    super(`Cannot begin TLS: ${code}`);
    this.code = code;
  }
}

let ofSystem: SecureContext | undefined;

/** Trust in `authorities` (PEM), or in those that the system trusts where it is empty. Throws where they cannot be read. */
export function trustOf(authorities: string): SecureContext {
  if (authorities !== "") return contextOf([authorities]);
  // Reading some hundred certificates takes milliseconds: once is enough.
  ofSystem ??= contextOf(systemTrust());
  return ofSystem;
}

function contextOf(ca: readonly string[]): SecureContext {
  return createSecureContext({ ca: [...ca], minVersion: "TLSv1.2", ciphers: CIPHERS });
}

/** Opens a TLS connection; `accept` is called within the event that ends the handshake, with the protocol agreed on by ALPN. */
export function connectTls(
  { address, port }: { readonly address: string; readonly port: number },
  options: TlsClientOptions,
  accept: (wire: Wire, protocol: string) => WireHandler,
  onFault: OnFault,
): Connecting {
  const result = Promise.withResolvers<void>();
  let open: Socket<WireHandler> | undefined;
  let isOver = false;
  const fail = (error: unknown): void => {
    isOver = true;
    open?.terminate();
    result.reject(error);
  };
  const secured = (socket: Socket<WireHandler>): void => {
    const protocol = typeof socket.alpnProtocol === "string" ? socket.alpnProtocol : "";
    isOver = true;
    guarded(socket, onFault, () => {
      socket.data = accept(socket, protocol);
    });
    result.resolve();
  };
  const base = handlerFor(onFault);
  Bun.connect<WireHandler>({
    hostname: address,
    port,
    allowHalfOpen: true,
    data: DEAF,
    tls: tlsOptions(address, options),
    socket: {
      ...base,
      open(socket) {
        open = socket;
        if (isOver) socket.terminate();
      },
      handshake(socket, success, error) {
        if (isOver) return;
        // Only the certificate is looked away from: a handshake that failed has agreed on no cipher.
        const isTrusted = success && socket.authorized;
        if (isTrusted || (!options.verify && hasCipher(socket))) secured(socket);
        else fail(new TlsError(codeOf(error)));
      },
      close(socket) {
        if (isOver) void base.close?.(socket);
        else fail(new TlsError("closed by the server"));
      },
    },
  }).catch(fail);
  return { done: result.promise, abort: () => (isOver ? undefined : fail(new TlsError("given up"))) };
}

function tlsOptions(address: string, { verify, serverName, protocols, trust }: TlsClientOptions): object {
  const name = serverName === "" ? address : serverName;
  return {
    secureContext: nativeOf(trust),
    rejectUnauthorized: verify,
    // RFC 6066 §3: an address is no name to ask for. Without one, Bun verifies against the address.
    serverName: isIP(name) === 0 ? name : "",
    ALPNProtocols: protocols.map((protocol) => String.fromCharCode(protocol.length) + protocol).join(""),
  };
}

/** The handshake has come to its end, whoever the other side is. Bun's types have an object without keys. */
function hasCipher(socket: Socket<WireHandler>): boolean {
  return typeof Reflect.get(socket.getCipher(), "name") === "string";
}

function codeOf(error: unknown): string {
  const code: unknown = typeof error === "object" && error !== null ? Reflect.get(error, "code") : undefined;
  return typeof code === "string" && code !== "" ? code : "the handshake failed";
}
