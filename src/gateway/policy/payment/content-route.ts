import { type RouteConfig, type UpstreamConfig } from "../../config/config.ts";

/** True if the upstream `name`, the content service, makes every upstream response of the route. */
export function isContentRoute(
  { upstream, traffic_split: split = [] }: Pick<RouteConfig, "upstream" | "traffic_split">,
  upstreams: readonly UpstreamConfig[],
  name: string | undefined,
): boolean {
  const own = upstreams.find((other) => other.name === name);
  if (own === undefined || upstream !== name || split.length > 0) return false;
  return own.servers.length === 1 && own.dns_discovery === undefined && own.catalog_discovery === undefined;
}
