import { createAllowedHosts, type HostCheck, LOOPBACK_HOSTS } from "../../../lib/http/allowed-hosts.ts";
import { TurnpikeError } from "../../../lib/errors.ts";
import { isAddress } from "../../../lib/net/networks.ts";
import { bareHost, hostOf } from "../../../lib/http/url-host.ts";
import { type Config } from "../../config/config.ts";
import { isAuthority } from "../../exchange/authority.ts";
import { type Connection } from "./connection.ts";

/** Addresses that accept connections to every address of the machine. */
const EVERYWHERE: readonly string[] = ["0.0.0.0", "::"];
const MAPPED = /^::ffff:(?=\d+\.)/i;

/** The hosts that the interface serves on every connection. A host that is an address cannot be bound to another one. */
export function ownHosts({ address, hosts }: Pick<Config["admin"], "address" | "hosts">): HostCheck {
  const isOwn = createAllowedHosts([...LOOPBACK_HOSTS, address, ...hosts]);
  const servesAddresses = EVERYWHERE.includes(address);
  return (authority) => isOwn(authority) || (servesAddresses && isAddress(bareHost(hostOf(authority))));
}

/**
 * Throws unless the request names one host, and the host is the interface's: the page of another site can bind its own
 * host name to this address (DNS rebinding). `authorities` is empty for HTTP/1.0 without Host, which browsers never send.
 */
export function checkHost(
  authorities: readonly string[],
  { localAddress }: Pick<Connection, "localAddress">,
  isOwn: HostCheck,
): void {
  const [authority, ...others] = authorities;
  if (authority === undefined) return;
  if (others.length > 0 || !isAuthority(authority)) {
    throw new TurnpikeError("bad-request", "Cannot read the request: it does not have exactly one valid Host");
  }
  if (isOwn(authority) || createAllowedHosts([localAddress.replace(MAPPED, "")])(authority)) return;
  throw new TurnpikeError(
    "host-not-allowed",
    "Cannot serve this host: it is not an address of this interface; add its name to admin.hosts",
  );
}
