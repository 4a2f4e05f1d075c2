import { type Socket } from "node:net";
import { networkCheck } from "../../lib/net/networks.ts";
import { isOwnPeer } from "./peer.ts";
import { hostAndPort } from "../../lib/http/url-host.ts";

/** The address of a visit's egress proxy, and the clients that it serves. */
export interface ProxyAccess {
  /** The IP address that the proxy listens on, and at which the browser reaches it. */
  readonly host: string;
  /** A Unix socket that the proxy listens on in place of the address. */
  readonly socket?: string;
  admits(client: Socket): boolean | Promise<boolean>;
}

/** For a browser on this machine: processes of this user only. */
export const OWN_PROCESSES: ProxyAccess = {
  host: "127.0.0.1",
  // A connection that has ended has no ports, and is refused.
  admits: ({ localPort = 0, remotePort = 0 }) => isOwnPeer(localPort, remotePort),
};

/** For a browser on another machine: clients at these addresses and in these networks. */
export class NetworkAccess implements ProxyAccess {
  readonly host: string;
  readonly #isAllowed: (address: string) => boolean;
  #refused: string | undefined;

  constructor(host: string, allowed: readonly string[]) {
    this.host = host;
    this.#isAllowed = networkCheck(allowed);
  }

  /** The address of the last client that was not admitted. */
  get refused(): string | undefined {
    return this.#refused;
  }

  admits({ remoteAddress }: Socket): boolean {
    if (remoteAddress === undefined) return false;
    const address = plainAddress(remoteAddress);
    if (this.#isAllowed(address)) return true;
    this.#refused = address;
    return false;
  }
}

/** An IP address without the prefix of IPv4 addresses on IPv6 sockets, and without a zone. */
export function plainAddress(address: string): string {
  return address.replace(/^::ffff:(?=[\d.]+$)/i, "").replace(/%.*$/, "");
}

/** The URL of a proxy. */
export function proxyUrl({ host }: ProxyAccess, port: number): string {
  return `http://${hostAndPort(host, port)}`;
}
