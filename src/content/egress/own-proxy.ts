/** A proxy through which a visit reaches its servers. */
export interface OwnProxy {
  readonly protocol: "http" | "socks5";
  readonly host: string;
  readonly port: number;
  /** Undefined: the proxy wants no name. */
  readonly user: { readonly name: string; readonly password: string } | undefined;
  /** True: the operator has chosen its address, which may be private. */
  readonly isTrusted: boolean;
}

/** The proxy at a URL. Undefined if it is not one of a proxy. */
export function proxyOf(address: string, isTrusted = false): OwnProxy | undefined {
  const [, scheme = ""] = /^(https?|socks5h?):\/\//i.exec(address) ?? [];
  const isHttp = scheme.toLowerCase() === "http";
  if (!isHttp && !/^socks5/i.test(scheme)) return undefined;
  // Only URLs of the web are parsed in full.
  const url = URL.parse(`http://${address.slice(scheme.length + 3)}`);
  if (url === null || url.hostname === "" || !/^\/?$/.test(url.pathname + url.search + url.hash)) return undefined;
  // The URL of a web page leaves port 80 out.
  const usual = isHttp || /:0*80[/?#]*$/.test(address) ? 80 : 1080;
  const port = url.port === "" ? usual : Number(url.port);
  try {
    const [name, password] = [decodeURIComponent(url.username), decodeURIComponent(url.password)];
    const user = name === "" && password === "" ? undefined : { name, password };
    return { protocol: isHttp ? "http" : "socks5", host: url.hostname, port, user, isTrusted };
  } catch {
    return undefined;
  }
}
