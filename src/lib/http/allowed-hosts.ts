import { hostOf } from "./url-host.ts";

/** The host names of this machine, under which no page of another site can reach it. */
export const LOOPBACK_HOSTS: readonly string[] = ["localhost", "127.0.0.1", "[::1]"];

/** True if a request with this authority may be served. */
export type HostCheck = (authority: string) => boolean;

/**
 * Compiles a list of hosts. Letter case, port and a trailing dot are ignored, and so are the brackets and the spelling of
 * an IPv6 address. `*.example.com` matches every host below `example.com`.
 */
export function createAllowedHosts(hosts: readonly string[]): HostCheck {
  const names = hosts.map((host) => canonical(isBareAddress(host) ? `[${host}]` : host));
  const exact = new Set(names.filter((name) => !name.startsWith("*.")));
  const suffixes = names.filter((name) => name.startsWith("*.")).map((name) => name.slice(1));
  return function isAllowedHost(authority) {
    const host = canonical(authority);
    // The suffix alone, without a label before it, does not match.
    return exact.has(host) || suffixes.some((suffix) => host.endsWith(suffix) && host.length > suffix.length);
  };
}

function isBareAddress(host: string): boolean {
  return host.indexOf(":") !== host.lastIndexOf(":") && !host.startsWith("[");
}

function canonical(authority: string): string {
  const host = hostOf(authority);
  if (!host.startsWith("[")) return host;
  return URL.parse(`http://${host}/`)?.hostname ?? host;
}
