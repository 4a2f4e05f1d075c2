import { realpathSync } from "node:fs";
import { type Fields } from "../../lib/http/fields.ts";
import { isRemotePublicAddress } from "../../lib/net/own-address.ts";
import { connectTcp } from "../wire/connect-tcp.ts";
import { type Connecting, type Endpoint, type OnError } from "../wire/tcp.ts";
import { connectTls, type TlsClientOptions } from "../wire/tls-connect.ts";
import { type Wire, type WireHandler } from "../wire/wire.ts";
import { type Accept, connectFound } from "./first-of.ts";
import { addressesOf } from "./look-up.ts";

/** The settings of connections to a server. With `allowPrivate`, addresses that are not public are allowed. */
export interface DialSettings {
  readonly allowPrivate: boolean;
  /** Undefined: no TLS. */
  readonly tls: TlsClientOptions | undefined;
  /** The field line that authenticates the gateway in every request; empty or left out: none. */
  readonly credential?: Fields;
  /** Links in a Unix socket's path have been resolved. If it has a link now, the connection is refused. */
  readonly isResolved?: boolean;
}

/** A part of a Unix socket's path has become a link since the path was checked. */
class LinkedSocketError extends Error {}

/** The host has a private address, and the operator has forbidden those (`upstreams[].allow_private: false`). */
export class PrivateAddressError extends Error {}

/**
 * Opens a connection. `accept` is called once the connection is usable, which is after the TLS handshake if there is
 * one. It gets the protocol that ALPN agreed on, or an empty text, and returns the handler of the connection. No
 * received byte is lost in between.
 */
export function dial(
  endpoint: Endpoint,
  settings: DialSettings,
  accept: (wire: Wire, protocol: string) => WireHandler,
  onError: OnError,
): Connecting {
  const { allowPrivate, tls, isResolved = false } = settings;
  if ("unix" in endpoint) {
    if (!isResolved || !isLinked(endpoint.unix)) return connectTcp(endpoint, (wire) => accept(wire, ""), onError);
    return {
      done: Promise.reject(new LinkedSocketError("Cannot connect: a link is in the socket's path")),
      abort() {},
    };
  }
  const { address: host, port } = endpoint;
  const open = (address: string, accepted: Accept): Connecting => {
    if (tls === undefined) return connectTcp({ address, port }, (wire) => accepted(wire, ""), onError);
    // A name that was resolved here is still the name for SNI and for verifying the certificate.
    return connectTls({ address, port }, { ...tls, serverName: tls.serverName || host }, accepted, onError);
  };
  // The name is not resolved again: the connection goes to one of the checked addresses.
  return allowPrivate ? open(host, accept) : connectFound(publicAddresses(host), open, accept);
}

/** Returns false if the path does not exist: then connecting reports the error. */
function isLinked(path: string): boolean {
  try {
    return realpathSync(path) !== path;
  } catch {
    return false;
  }
}

/** The addresses of a host. Throws unless all of them are public. */
async function publicAddresses(host: string): Promise<readonly string[]> {
  const addresses = await addressesOf(host);
  if (addresses.length === 0 || !addresses.every(isRemotePublicAddress)) {
    throw new PrivateAddressError(`Cannot connect to "${host}": it is not a public address`);
  }
  return addresses;
}
