import { hostOf } from "./table.ts";

/** Whether a request's authority may be served. */
export type HostCheck = (authority: string) => boolean;

/**
 * Compiles `server.allowed_hosts`; undefined where every host is. Capitals, the port and the dot of a rooted name do not matter, nor
 * the spelling of an IPv6 address, with brackets or without. `*.example.com` takes every host below `example.com`.
 */
export function createAllowedHosts(hosts: readonly string[]): HostCheck | undefined {
  if (hosts.length === 0) return undefined;
  const names = hosts.map((host) => canonical(isBareAddress(host) ? `[${host}]` : host));
  const exact = new Set(names.filter((name) => !name.startsWith("*.")));
  const suffixes = names.filter((name) => name.startsWith("*.")).map((name) => name.slice(1));
  return function isAllowedHost(authority) {
    const host = canonical(authority);
    // A host that is the suffix alone, without a name before its dot, is below nothing.
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
