import { array, int, strictObject } from "./recorded-schema.ts";
import { headerRules } from "./header-rules.ts";
import { count, headerName, ours, text } from "./kinds.ts";
import { mirrors, redirect, rewrite } from "./route-actions.ts";

const weightedUpstream = strictObject({
  upstream: text.exactOptional().describe("Name of an upstream. Required unless `redirect` is set."),
  weight: int().min(0).max(1_000_000).describe("Weight, relative to the others. 0: no requests."),
  headers: headerRules
    .exactOptional()
    .meta(ours("Header rules for requests to this upstream and its responses, after those of the route.")),
  rewrite: rewrite
    .exactOptional()
    .meta(ours("Path and host of requests to this upstream, in place of the route's `rewrite` or `rewrite_pattern`.")),
  redirect: redirect.exactOptional().meta(ours("Redirect these requests, in place of `upstream`. The query is kept.")),
  mirrors: mirrors.meta(ours("Mirrors of the requests to this upstream, in addition to those of the route.")),
}).describe("One weighted upstream, or a redirect.");

export const trafficSplit = array(weightedUpstream).describe(
  "Weighted upstreams, in place of `upstream`. An empty list has no effect.",
);

/** Seconds of a cookie's lifetime, 400 days: browsers keep none for longer (RFC 6265bis §5.5). */
const MAX_COOKIE_AGE_S = 34_560_000;

/** The name of a cookie, which is a token (RFC 6265 §4.1.1). */
const cookieName = headerName;

const stickyCookie = strictObject({
  name: cookieName.default("turnpike_split").describe("Name of the cookie. It is not sent to upstreams."),
  max_age_s: count(2_592_000, 0, MAX_COOKIE_AGE_S).describe(
    "Seconds from the client's first request. 0: until the browser is closed.",
  ),
}).describe("A cookie that the gateway sets.");

export const trafficSplitSticky = strictObject({
  header: headerName.exactOptional().describe("Request header field whose value selects the upstream."),
  cookie: stickyCookie.exactOptional(),
}).meta(ours("Send a client to the same upstream each time, by a `header` or a `cookie`."));
