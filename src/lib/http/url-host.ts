/** A host without the square brackets that a URL has around an IPv6 address (RFC 3986 §3.2.2). */
export function bareHost(host: string): string {
  return host.startsWith("[") && host.endsWith("]") ? host.slice(1, -1) : host;
}

/** `host:port`, with square brackets around an IPv6 address. `host` may have them already. */
export function hostAndPort(host: string, port: number | string): string {
  return `${host.includes(":") ? `[${bareHost(host)}]` : host}:${port}`;
}

/** The port of a URL. Without a port it is 443 for `https:` and `wss:`, and 80 for every other scheme. */
export function portOf({ port, protocol }: URL): number {
  if (port !== "") return Number(port);
  return protocol === "https:" || protocol === "wss:" ? 443 : 80;
}

/** The host of an authority in lower case, without port and trailing dot. */
export function hostOf(authority: string): string {
  const colon = authority.lastIndexOf(":");
  const portless = colon > authority.lastIndexOf("]") ? authority.slice(0, colon) : authority;
  const host = portless.toLowerCase();
  return host.endsWith(".") ? host.slice(0, -1) : host;
}
