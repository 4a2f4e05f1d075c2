import { type RouteConfig } from "../config/config.ts";
import { createRequestHeadersPolicy, createResponseHeadersPolicy } from "../policy/headers/headers.ts";
import { createTrafficSplit, EditedSplit, type MessageEdit, type Sticky, type TrafficSplit } from "../proxy/split.ts";
import { type Upstream } from "../upstream/upstream.ts";
import { type Upstreams } from "./upstreams.ts";

/** The split of the route's traffic; undefined if all of it goes to its `upstream`. */
export function routeSplit(route: RouteConfig, upstreams: Upstreams): TrafficSplit | undefined {
  const shares = (route.traffic_split ?? []).map(({ upstream, weight }) => ({
    upstream: upstreams.get(upstream),
    weight,
  }));
  const split = createTrafficSplit(shares, stickyOf(route));
  const edits = editsOf(route, upstreams);
  return split === undefined || edits.size === 0 ? split : new EditedSplit(split, edits);
}

/** The edits of messages for upstreams with header rules of their own. */
function editsOf({ traffic_split: shares = [] }: RouteConfig, upstreams: Upstreams): Map<Upstream, MessageEdit> {
  const edits = new Map<Upstream, MessageEdit>();
  for (const { upstream, headers } of shares) {
    if (headers === undefined) continue;
    const policies = [createRequestHeadersPolicy(headers), createResponseHeadersPolicy(headers)];
    edits.set(upstreams.get(upstream), (exchange) => {
      for (const policy of policies) void policy?.request(exchange);
    });
  }
  return edits;
}

function stickyOf({ path_prefix: path, traffic_split_sticky: sticky }: RouteConfig): Sticky | undefined {
  if (sticky?.header !== undefined) return { header: sticky.header };
  if (sticky?.cookie === undefined) return undefined;
  return { cookie: { name: sticky.cookie.name, maxAgeS: sticky.cookie.max_age_s, path } };
}
