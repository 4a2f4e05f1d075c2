import ipaddr from "ipaddr.js";
import { trimOws } from "../../lib/http/fields.ts";
import { networkCheck } from "../../lib/net/networks.ts";

/** An IPv4 address from an IPv6 socket in IPv4 form. Other addresses are returned unchanged. */
export function plainAddress(address: string): string {
  return address.startsWith("::ffff:") && address.includes(".") ? address.slice(7) : address;
}

/** The canonical spelling of an address: one for each client, whatever a proxy writes. IPv4 in the form of IPv6 is IPv4. */
export function canonicalAddress(address: string): string {
  const plain = plainAddress(address);
  return plain.includes(":") && ipaddr.IPv6.isValid(plain) ? ipaddr.process(plain).toString() : plain;
}

/**
 * Finds the client behind trusted proxies (`server.trusted_proxies`): the right-most entry of X-Forwarded-For that is
 * not a trusted proxy. Entries further left are claims of the client.
 */
export function createClientAddress(
  cidrs: readonly string[],
): ((peer: string, forwardedFor: string) => string) | undefined {
  if (cidrs.length === 0) return undefined;
  const isProxy = createProxyCheck(cidrs);
  return function clientAddress(peer, forwardedFor) {
    let client = peer;
    const entries = forwardedFor === "" ? [] : forwardedFor.split(",");
    while (isProxy?.(client) === true) {
      const entry = entries.pop();
      const address = entry === undefined ? undefined : addressOf(trimOws(entry));
      if (address === undefined) return client;
      client = address;
    }
    return client;
  };
}

/** Returns a function that is true for the address of a trusted proxy; undefined if there are no trusted proxies. */
export function createProxyCheck(cidrs: readonly string[]): ((address: string) => boolean) | undefined {
  return cidrs.length === 0 ? undefined : networkCheck(cidrs);
}

/** The address in an X-Forwarded-For entry, which can have a port; undefined if the entry is not an address. */
function addressOf(entry: string): string | undefined {
  const bare =
    /^\[([^\]]+)\](?::\d+)?$/.exec(entry)?.[1] ??
    (/^[^:]+:\d+$/.test(entry) ? entry.slice(0, entry.indexOf(":")) : entry);
  const valid = bare.includes(":") ? ipaddr.IPv6.isValid(bare) : ipaddr.IPv4.isValidFourPartDecimal(bare);
  return valid ? canonicalAddress(bare) : undefined;
}
