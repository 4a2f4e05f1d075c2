import { lookup } from "node:dns/promises";
import { isPublicAddress } from "../../lib/public-address.ts";
import { type Endpoint } from "../wire/tcp.ts";

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
