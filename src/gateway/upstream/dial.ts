import { lookup } from "node:dns/promises";
import { isPublicAddress } from "../../lib/public-address.ts";
import { connect, DEAF, type Endpoint, type OnFault } from "../wire/tcp.ts";
import { type Wire, type WireHandler } from "../wire/wire.ts";

/** How TLS to a server is done. */
export interface UpstreamTls {
  readonly verify: boolean;
  /** Name for SNI and verification; empty: the server's address. */
  readonly serverName: string;
  /** ALPN, most wanted first; empty: none is offered. */
  readonly protocols: readonly string[];
}

export interface DialSettings {
  readonly allowPrivate: boolean;
  readonly tls: UpstreamTls | undefined;
}

/** Opens a connection; `accept` is called once it is usable and says who hears it. Rejects where it is refused or unreachable. */
export async function dial(
  endpoint: Endpoint,
  settings: DialSettings,
  accept: (wire: Wire, protocol: string) => WireHandler,
  onFault: OnFault,
): Promise<void> {
  const resolved = await resolveEndpoint(endpoint, settings.allowPrivate);
  const wire = await connect(resolved, DEAF, onFault);
  wire.data = accept(wire, "");
}

/** Connections to upstreams of which the operator forbade private addresses (`upstreams[].allow_private: false`). */
export class PrivateAddressError extends Error {}

/**
 * The endpoint to connect to. Where private addresses are not allowed, the name is resolved here and the very address
 * that was checked is the one returned; it is refused if any of the name's addresses is not a public one. A Unix
 * socket is no network address, and no check applies to it.
 */
export async function resolveEndpoint(endpoint: Endpoint, allowPrivate: boolean): Promise<Endpoint> {
  if (allowPrivate || "unix" in endpoint) return endpoint;
  const addresses = await lookup(endpoint.address, { all: true });
  const [first] = addresses;
  if (first === undefined || !addresses.every(({ address }) => isPublicAddress(address))) {
    throw new PrivateAddressError(`Cannot connect to "${endpoint.address}": it is not a public address`);
  }
  return { address: first.address, port: endpoint.port };
}
