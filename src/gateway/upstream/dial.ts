import { realpathSync } from "node:fs";
import { type Fields } from "../../lib/fields.ts";
import { isRemotePublicAddress } from "../../lib/own-address.ts";
import { connectTcp, GivenUpError } from "../wire/connect-tcp.ts";
import { type Connecting, type Endpoint, type OnFault } from "../wire/tcp.ts";
import { connectTls, type TlsClientOptions } from "../wire/tls-connect.ts";
import { type Wire, type WireHandler } from "../wire/wire.ts";
import { connectFirst } from "./first-of.ts";
import { addressesOf } from "./look-up.ts";

export interface DialSettings {
  readonly allowPrivate: boolean;
  /** Undefined: without TLS. */
  readonly tls: TlsClientOptions | undefined;
  /** The field line by which the gateway authenticates itself in every request; empty or left out: none. */
  readonly credential?: Fields;
  /** The path of a Unix socket has had its links resolved: it is not followed where there are links in it by now. */
  readonly isResolved?: boolean;
}

/** A part of a Unix socket's path has become a link since the path was checked. */
class LinkedSocketError extends Error {}

/** Connections to upstreams of which the operator forbade private addresses (`upstreams[].allow_private: false`). */
export class PrivateAddressError extends Error {}

/**
 * Opens a connection; `accept` is called once it is usable, which is after the TLS handshake where there is one, with the
 * protocol agreed on by ALPN (empty where none was). It says who hears the connection; no byte is lost between.
 */
export function dial(
  endpoint: Endpoint,
  settings: DialSettings,
  accept: (wire: Wire, protocol: string) => WireHandler,
  onFault: OnFault,
): Connecting {
  const { allowPrivate, tls, isResolved = false } = settings;
  if (isResolved && "unix" in endpoint && isLinked(endpoint.unix)) {
    return {
      done: Promise.reject(new LinkedSocketError("Cannot connect: a link is in the socket's path")),
      abort() {},
    };
  }
  const open = (target: Endpoint, accepted: Accept): Connecting => {
    if (tls === undefined || "unix" in target) return connectTcp(target, (wire) => accepted(wire, ""), onFault);
    // What was looked up here is asked for, and verified, by its name.
    const name = tls.serverName === "" && !("unix" in endpoint) ? endpoint.address : tls.serverName;
    return connectTls(target, { ...tls, serverName: name }, accepted, onFault);
  };
  return allowPrivate || "unix" in endpoint ? open(endpoint, accept) : openChecked(endpoint, open, accept);
}

/** Of a path that is not there, the connection itself says so. */
function isLinked(path: string): boolean {
  try {
    return realpathSync(path) !== path;
  } catch {
    return false;
  }
}

type Accept = (wire: Wire, protocol: string) => WireHandler;

/** Opens a connection to one of the very addresses that were checked. */
function openChecked(
  { address: host, port }: { readonly address: string; readonly port: number },
  open: (target: Endpoint, accept: Accept) => Connecting,
  accept: Accept,
): Connecting {
  const givenUp = Promise.withResolvers<never>();
  let isGivenUp = false;
  let connecting: Connecting | undefined;
  const connect = async (): Promise<void> => {
    const addresses = await publicAddresses(host);
    if (isGivenUp) return;
    connecting = connectFirst(addresses, (address, accepted) => open({ address, port }, accepted), accept);
    await connecting.done;
  };
  return {
    done: Promise.race([connect(), givenUp.promise]),
    abort() {
      isGivenUp = true;
      connecting?.abort();
      givenUp.reject(new GivenUpError());
    },
  };
}

/** The addresses of a host, all of which must be public ones. */
async function publicAddresses(host: string): Promise<readonly string[]> {
  const addresses = await addressesOf(host);
  if (addresses.length === 0 || !addresses.every(isRemotePublicAddress)) {
    throw new PrivateAddressError(`Cannot connect to "${host}": it is not a public address`);
  }
  return addresses;
}
