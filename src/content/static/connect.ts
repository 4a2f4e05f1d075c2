import { connect as connectTcp, isIP, type Socket } from "node:net";
import { connect as connectTls, createSecureContext, type SecureContext } from "node:tls";
import { systemTrust } from "../../lib/net/system-trust.ts";
import { egressError } from "../egress/guard.ts";
import { EGRESS_LIMITS } from "../egress/limits.ts";
import { openTunnel, type ProxyRoute } from "../egress/tunnel.ts";
import { loadError } from "./load-errors.ts";
import { bareHost, portOf } from "../../lib/http/url-host.ts";

export interface ConnectTarget {
  /** The addresses that the egress guard permitted for the host. Only these are connected to. */
  readonly addresses: readonly string[];
  readonly port: number;
  /** The host name to verify and to send in SNI; undefined without TLS. */
  readonly tlsHost: string | undefined;
  readonly trust: SecureContext;
}

export interface Opening {
  /** Fails with `page-failed`. */
  readonly socket: Promise<Socket>;
  abort(): void;
}

/** Milliseconds after which the next address is tried as well, if one has not responded (RFC 8305 §5). @bound */
const NEXT_ADDRESS_MS = 250;
/** Maximum number of addresses of a host that are tried. */
const MAX_ADDRESSES = 8;

let ofSystem: SecureContext | undefined;

/** Trusts the authorities that the system trusts. */
function systemContext(): SecureContext {
  ofSystem ??= contextOf(systemTrust());
  return ofSystem;
}

/** Trusts only these authorities (PEM). @internal */
export function contextOf(authorities: readonly string[]): SecureContext {
  return createSecureContext({ ca: [...authorities], minVersion: "TLSv1.2" });
}

/**
 * Opens a connection for requests to the URL's origin, to the first of these addresses that responds, or through the
 * caller's proxy.
 */
export function openFor(
  url: URL,
  addresses: readonly string[],
  {
    trust = systemContext(),
    route,
  }: { readonly trust?: SecureContext | undefined; readonly route?: ProxyRoute | undefined } = {},
): Opening {
  const tlsHost = url.protocol === "https:" ? bareHost(url.hostname) : undefined;
  const target = { addresses, port: portOf(url), tlsHost, trust };
  return route === undefined ? open(target) : openThrough(route, target);
}

function openThrough(route: ProxyRoute, target: ConnectTarget): Opening {
  const aborting = new AbortController();
  return { socket: socketThrough(route, target, aborting.signal), abort: () => aborting.abort() };
}

async function socketThrough(route: ProxyRoute, target: ConnectTarget, signal: AbortSignal): Promise<Socket> {
  const tunnel = await openTunnel(route, target, signal);
  if (typeof tunnel === "string") throw egressError(tunnel);
  if (target.tlsHost === undefined) return tunnel;
  const { promise, resolve, reject } = Promise.withResolvers<Socket>();
  const socket = connectTls({ ...tlsOptions(target.tlsHost, target.trust), socket: tunnel });
  const late = setTimeout(() => socket.destroy(), EGRESS_LIMITS.connectMs);
  const abort = (): void => void socket.destroy();
  signal.addEventListener("abort", abort, { once: true });
  socket.once("secureConnect", () => resolve(socket));
  socket.once("error", (error: Error) => reject(openError(error, target)));
  socket.once("close", () => reject(egressError("proxy")));
  return await promise.finally(() => {
    clearTimeout(late);
    signal.removeEventListener("abort", abort);
  });
}

/** Opens a connection to the first of the addresses that responds. */
function open(target: ConnectTarget): Opening {
  const { promise, resolve, reject } = Promise.withResolvers<Socket>();
  const addresses = target.addresses.slice(0, MAX_ADDRESSES);
  const attempts = new Set<Socket>();
  let next = 0;
  let last: Error = egressError("unreachable");
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = setTimeout(() => finish(undefined, egressError("unreachable")), EGRESS_LIMITS.connectMs);

  function finish(winner: Socket | undefined, error: Error): void {
    clearTimeout(timer);
    clearTimeout(late);
    next = addresses.length;
    for (const attempt of attempts) if (attempt !== winner) attempt.destroy();
    attempts.clear();
    if (winner === undefined) reject(error);
    else resolve(winner);
  }

  function tryNext(): void {
    clearTimeout(timer);
    const address = addresses[next];
    if (address === undefined) {
      if (attempts.size === 0) finish(undefined, last);
      return;
    }
    next += 1;
    const { socket, ready } = start(address, target);
    attempts.add(socket);
    socket.once(ready, () => {
      if (!attempts.has(socket)) return;
      socket.removeListener("error", failed);
      finish(socket, last);
    });
    // Stays until the socket is handed over, because an unhandled error would end the process.
    function failed(error: Error): void {
      socket.destroy();
      if (!attempts.delete(socket)) return;
      last = openError(error, target);
      tryNext();
    }
    socket.on("error", failed);
    socket.once("close", () => failed(new Error("closed")));
    timer = setTimeout(tryNext, NEXT_ADDRESS_MS);
  }

  tryNext();
  return { socket: promise, abort: () => finish(undefined, egressError("unreachable")) };
}

function start(address: string, target: ConnectTarget): { socket: Socket; ready: "connect" | "secureConnect" } {
  const { port, tlsHost, trust } = target;
  if (tlsHost === undefined) return { socket: connectTcp({ host: address, port }), ready: "connect" };
  return { socket: connectTls({ host: address, port, ...tlsOptions(tlsHost, trust) }), ready: "secureConnect" };
}

function tlsOptions(tlsHost: string, trust: SecureContext) {
  return {
    // RFC 6066 §3: an IP address is not sent in SNI. The certificate must then be for the address.
    ...(isIP(tlsHost) === 0 ? { servername: tlsHost } : {}),
    secureContext: trust,
    // Set explicitly, because an environment variable could change the default.
    rejectUnauthorized: true,
    ALPNProtocols: ["http/1.1"],
  };
}

/** Names of certificate errors, as in OpenSSL and Node. */
const CERTIFICATE_ERROR = /CERT|SIGNATURE|ISSUER|CHAIN|ALTNAME/;

function openError(error: Error, { tlsHost }: ConnectTarget): Error {
  const code = "code" in error && typeof error.code === "string" ? error.code : "";
  if (tlsHost === undefined || /^(?:ECONNREFUSED|EHOSTUNREACH|ENETUNREACH|ETIMEDOUT)$/.test(code)) {
    return egressError("unreachable");
  }
  if (CERTIFICATE_ERROR.test(code)) return loadError(`its certificate is not valid (${code})`);
  return loadError(code === "" ? "TLS with its server fails" : `TLS with its server fails (${code})`);
}
