import { lookup } from "node:dns/promises";
import { isPublicAddress } from "../../lib/public-address.ts";
import { connectTcp } from "../wire/connect-tcp.ts";
import { type Connecting, type Endpoint, type OnFault } from "../wire/tcp.ts";
import { connectTls, type TlsClientOptions } from "../wire/tls-connect.ts";
import { type Wire, type WireHandler } from "../wire/wire.ts";

export interface DialSettings {
  readonly allowPrivate: boolean;
  /** Undefined: without TLS. */
  readonly tls: TlsClientOptions | undefined;
}

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
  const { allowPrivate, tls } = settings;
  const open = (target: Endpoint): Connecting => {
    if (tls === undefined || "unix" in target) return connectTcp(target, (wire) => accept(wire, ""), onFault);
    // What was looked up here is asked for, and verified, by its name.
    const name = tls.serverName === "" && !("unix" in endpoint) ? endpoint.address : tls.serverName;
    return connectTls(target, { ...tls, serverName: name }, accept, onFault);
  };
  return allowPrivate || "unix" in endpoint ? open(endpoint) : openChecked(endpoint, open);
}

/** Opens a connection to one of the very addresses that were checked: to the first that takes it. */
function openChecked(
  endpoint: { readonly address: string; readonly port: number },
  open: (target: Endpoint) => Connecting,
): Connecting {
  let current: Connecting | undefined;
  let isGivenUp = false;
  const done = (async () => {
    let reason: unknown;
    for (const address of await publicAddresses(endpoint.address)) {
      if (isGivenUp) throw new Error("Cannot connect: it was given up");
      current = open({ address, port: endpoint.port });
      try {
        await current.done;
        return;
      } catch (error) {
        reason = error;
      }
    }
    throw reason;
  })();
  return {
    done,
    abort() {
      isGivenUp = true;
      current?.abort();
    },
  };
}

/** The addresses of a host, all of which must be public ones. */
async function publicAddresses(host: string): Promise<readonly string[]> {
  const found = await lookup(host, { all: true });
  const addresses = found.map(({ address }) => address);
  if (addresses.length === 0 || !addresses.every(isPublicAddress)) {
    throw new PrivateAddressError(`Cannot connect to "${host}": it is not a public address`);
  }
  return addresses;
}
