import { type RouteConfig } from "../config/config.ts";
import { createTrafficSplit, type Sticky, type TrafficSplit } from "../proxy/split.ts";
import { type Upstreams } from "./upstreams.ts";

/** How the route's traffic is split; undefined where all of it goes to its `upstream`. */
export function routeSplit(route: RouteConfig, upstreams: Upstreams): TrafficSplit | undefined {
  const shares = (route.traffic_split ?? []).map(({ upstream, weight }) => ({
    upstream: upstreams.get(upstream),
    weight,
  }));
  return createTrafficSplit(shares, stickyOf(route));
}

function stickyOf({ path_prefix: path, traffic_split_sticky: sticky }: RouteConfig): Sticky | undefined {
  if (sticky?.header !== undefined) return { header: sticky.header };
  if (sticky?.cookie === undefined) return undefined;
  return { cookie: { name: sticky.cookie.name, maxAgeS: sticky.cookie.max_age_s, path } };
}
