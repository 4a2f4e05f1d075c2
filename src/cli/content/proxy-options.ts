import { type OwnProxy, proxyOf } from "../../content/egress/own-proxy.ts";
import { contentProxies } from "../../gateway/config/schema/content-proxies.ts";
import { StartError } from "../common/start-error.ts";
import { parseJsonOption } from "./json-option.ts";

/** The proxies of `content.proxies`, as JSON, by their names. Throws StartError, never with a URL: it may be secret. */
export function parseProxyOptions(
  json: string,
  environment: Readonly<Record<string, string | undefined>>,
): ReadonlyMap<string, OwnProxy> {
  const listed = parseJsonOption("--proxies", json, contentProxies);
  return new Map(
    listed.map(({ name, url_env: variable }) => {
      const proxy = proxyOf(environment[variable]?.trim() ?? "", true);
      if (proxy !== undefined) return [name, proxy] as const;
      throw new StartError(`content.proxies "${name}": the value of ${variable} is not an http:// or socks5:// URL`);
    }),
  );
}
